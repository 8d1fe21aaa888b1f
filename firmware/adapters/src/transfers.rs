//! A device on an SPI bus: each byte that goes out brings one back.

use embedded_hal::delay::DelayNs;
use embedded_hal::spi::{Error, ErrorKind, SpiDevice};
use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::probe::MAX_BUS_BYTES;

use crate::{Act, Probe, Seen, asynchronous};

/// The most bytes of a transfer.
pub const MAX_TRANSFER: usize = MAX_BUS_BYTES;

/// A device on an SPI bus. An action is the bytes of one transfer, during which the device stays
/// selected. The probe sees the bytes that came back, in hexadecimal.
#[derive(Debug)]
pub struct Transfers<S> {
    device: S,
}

impl<S> Transfers<S> {
    /// A device on its bus.
    pub const fn new(device: S) -> Self {
        Self { device }
    }
}

/// The buffer of a transfer: it holds the bytes to send, and those that come back replace them.
pub(crate) fn room<'r>(
    bytes: &[u8],
    room: &'r mut [u8; MAX_TRANSFER],
) -> Result<&'r mut [u8], DeviceError> {
    let room = room.get_mut(..bytes.len()).ok_or(DeviceError::TooLong)?;
    room.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    Ok(room)
}

/// Appends the bytes that came back to `seen`.
pub(crate) fn see(
    done: Result<(), ErrorKind>,
    room: &[u8],
    seen: &mut Seen,
) -> Result<(), DeviceError> {
    match done {
        Ok(()) => seen.push_hex(room),
        Err(ErrorKind::Overrun) => Err(DeviceError::Overrun),
        Err(_) => Err(DeviceError::Bus),
    }
}

impl<S> Probe for Transfers<S> {}

impl<S: SpiDevice> Act<&'static [u8]> for Transfers<S> {
    fn act(
        &mut self,
        bytes: &&'static [u8],
        _: &mut impl DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        let mut all = [0; MAX_TRANSFER];
        let room = room(bytes, &mut all)?;
        let done = self.device.transfer_in_place(room);
        see(done.map_err(|error| error.kind()), room, seen)
    }
}

impl<S: embedded_hal_async::spi::SpiDevice> asynchronous::Act<&'static [u8]> for Transfers<S> {
    async fn act(
        &mut self,
        bytes: &&'static [u8],
        _: &mut impl embedded_hal_async::delay::DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        let mut all = [0; MAX_TRANSFER];
        let room = room(bytes, &mut all)?;
        let done = self.device.transfer_in_place(room).await;
        see(done.map_err(|error| error.kind()), room, seen)
    }
}
