//! A device on an I2C bus: the program writes and reads its registers.

use embedded_hal::delay::DelayNs;
use embedded_hal::i2c::{Error, ErrorKind, I2c};
use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::probe::MAX_BUS_BYTES;

use crate::{Act, Probe, Seen, asynchronous};

/// The most bytes of one read.
pub const MAX_READ: usize = MAX_BUS_BYTES;

/// One access to a device on an I2C bus. It includes the address: a device may have several, and
/// the general call (address 0) resets some devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Write bytes.
    Write {
        /// The seven-bit address.
        address: u8,
        /// The number of a register, as wide as the device demands, and the bytes for the register.
        bytes: &'static [u8],
    },
    /// Write the number of a register, then read bytes after a repeated start.
    Read {
        /// The seven-bit address.
        address: u8,
        /// The number of the register, as wide as the device demands.
        register: &'static [u8],
        /// The number of bytes, at most [`MAX_READ`].
        len: usize,
    },
}

/// A device on an I2C bus.
///
/// The outputs are `ok` for a write, the bytes of a read in hexadecimal, and `nack`. A device that
/// is busy, locked or asleep does not acknowledge, so `nack` is an output. HALs disagree on whether
/// the address or a byte was refused, and the model should not depend on the HAL: both give the
/// same output. All other faults (a stuck bus, a lost arbitration) say nothing about the device,
/// and are errors.
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

/// Appends the result of an access to `seen`; `read` holds the bytes of a read.
pub(crate) fn see(
    done: Result<(), ErrorKind>,
    read: Option<&[u8]>,
    seen: &mut Seen,
) -> Result<(), DeviceError> {
    match (done, read) {
        (Ok(()), None) => seen.push(b"ok"),
        (Ok(()), Some(bytes)) => seen.push_hex(bytes),
        (Err(ErrorKind::NoAcknowledge(_)), _) => seen.push(b"nack"),
        (Err(ErrorKind::Overrun), _) => Err(DeviceError::Overrun),
        (Err(_), _) => Err(DeviceError::Bus),
    }
}

/// The bytes that an access has read; `None` for a write.
fn read<'r>(access: &Access, room: &'r [u8]) -> Option<&'r [u8]> {
    matches!(access, Access::Read { .. }).then_some(room)
}

/// The part of the buffer that an access reads into.
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
        see(done.map_err(|error| error.kind()), read(access, room), seen)
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
        see(done.map_err(|error| error.kind()), read(access, room), seen)
    }
}
