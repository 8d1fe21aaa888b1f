//! A device on an I2C bus: writes to its registers and reads of them.

use embedded_hal::delay::DelayNs;
use embedded_hal::i2c::{Error, ErrorKind, I2c};
use mealybug_core::wire::message::DeviceError;

use crate::{Act, Probe, Seen, asynchronous};

/// The most bytes that one read takes.
pub const MAX_READ: usize = 16;

/// What is done to a device on an I2C bus. The address is part of it, since a device may have
/// several, and the general call (address 0) resets some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Bytes are written.
    Write {
        /// The address, of seven bits.
        address: u8,
        /// The number of a register, as wide as it is in this device, and what goes into it.
        bytes: &'static [u8],
    },
    /// A register is read: its number is written, and after a repeated start bytes are read.
    Read {
        /// The address, of seven bits.
        address: u8,
        /// The number of the register, as wide as it is in this device.
        register: &'static [u8],
        /// How many bytes, at most [`MAX_READ`].
        len: usize,
    },
}

/// A device on an I2C bus.
///
/// What is seen: `ok` of a write, the bytes of a read in hexadecimal, or `nack`. That a device does
/// not acknowledge is how it says that it is busy, locked or asleep, so it is an output. HALs do not
/// agree on whether the address or a byte was not acknowledged, and the model should not depend on
/// the HAL: it is one output. All other faults (a stuck bus, a lost arbitration) say nothing about
/// the device, and are errors.
#[derive(Debug)]
pub struct Registers<B> {
    bus: B,
}

impl<B> Registers<B> {
    /// A device on this bus.
    pub const fn new(bus: B) -> Self {
        Self { bus }
    }
}

/// Writes down what came of an access: `room` holds what a read has brought.
fn see(
    access: &Access,
    done: Result<(), ErrorKind>,
    room: &[u8],
    seen: &mut Seen,
) -> Result<(), DeviceError> {
    match (done, access) {
        (Ok(()), Access::Write { .. }) => seen.push(b"ok"),
        (Ok(()), Access::Read { .. }) => seen.push_hex(room),
        (Err(ErrorKind::NoAcknowledge(_)), _) => seen.push(b"nack"),
        (Err(ErrorKind::Overrun), _) => Err(DeviceError::Overrun),
        (Err(_), _) => Err(DeviceError::Bus),
    }
}

/// What a read is read into.
fn room<'r>(access: &Access, room: &'r mut [u8; MAX_READ]) -> Result<&'r mut [u8], DeviceError> {
    let len = if let Access::Read { len, .. } = access { *len } else { 0 };
    room.get_mut(..len).ok_or(DeviceError::TooLong)
}

impl<B> Probe for Registers<B> {}

impl<B: I2c> Act<Access> for Registers<B> {
    fn act(
        &mut self,
        access: &Access,
        _: &mut impl DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        let mut all = [0; MAX_READ];
        let room = room(access, &mut all)?;
        let done = match *access {
            Access::Write { address, bytes } => self.bus.write(address, bytes),
            Access::Read { address, register, .. } => self.bus.write_read(address, register, room),
        };
        see(access, done.map_err(|error| error.kind()), room, seen)
    }
}

impl<B: embedded_hal_async::i2c::I2c> asynchronous::Act<Access> for Registers<B> {
    async fn act(
        &mut self,
        access: &Access,
        _: &mut impl embedded_hal_async::delay::DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        let mut all = [0; MAX_READ];
        let room = room(access, &mut all)?;
        let done = match *access {
            Access::Write { address, bytes } => self.bus.write(address, bytes).await,
            Access::Read { address, register, .. } => {
                self.bus.write_read(address, register, room).await
            }
        };
        see(access, done.map_err(|error| error.kind()), room, seen)
    }
}
