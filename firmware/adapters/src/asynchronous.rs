//! The awaited versions of the traits, over embedded-hal-async.
//!
//! A learner that waits for its device has nothing else to do, but the program around it may. The
//! file of each probe holds the logic once for both versions; only the waiting differs between
//! them.

use core::future::{Future, ready};

use embedded_hal::i2c::ErrorKind as I2cFault;
use embedded_hal::spi::ErrorKind as SpiFault;
use embedded_hal_async::delay::DelayNs;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::probe::OfferKind;

use crate::offers::find;
use crate::{Offers, Probe, Seen};

/// A probe that carries out a `T` and is awaited.
pub trait Act<T>: Probe {
    /// Carries out the action and appends to `seen` what the probe sees afterwards.
    ///
    /// # Errors
    /// The hardware failed, or the text did not fit into `seen`.
    fn act(
        &mut self,
        action: &T,
        delay: &mut impl DelayNs,
        seen: &mut Seen,
    ) -> impl Future<Output = Result<(), DeviceError>>;
}

/// A [`Reset`](crate::Reset) that is awaited.
pub trait Reset<P, D> {
    /// Resets the device and waits until it is back.
    ///
    /// # Errors
    /// The hardware failed, or the device did not come back.
    fn reset(
        &mut self,
        probe: &mut P,
        delay: &mut D,
    ) -> impl Future<Output = Result<(), DeviceError>>;
}

impl<P, D, A: Reset<P, D>, B: Reset<P, D>> Reset<P, D> for (A, B) {
    async fn reset(&mut self, probe: &mut P, delay: &mut D) -> Result<(), DeviceError> {
        self.0.reset(probe, delay).await?;
        self.1.reset(probe, delay).await
    }
}

/// [Buses](crate::Buses) that are awaited.
pub trait Buses: Offers {
    /// Writes to a device on an I2C bus, and then fills `read` after a repeated start. An empty
    /// `write` or `read` is left out.
    ///
    /// # Errors
    /// What went wrong; [`I2cFault::Other`] if no bus has this name.
    fn i2c(
        &mut self,
        bus: &[u8],
        address: u8,
        write: &[u8],
        read: &mut [u8],
    ) -> impl Future<Output = Result<(), I2cFault>> {
        let _ = (bus, address, write, read);
        ready(Err(I2cFault::Other))
    }

    /// Sends `bytes` to a device on an SPI bus. The bytes that come back replace them.
    ///
    /// # Errors
    /// What went wrong; [`SpiFault::Other`] if no device has this name.
    fn spi(
        &mut self,
        device: &[u8],
        bytes: &mut [u8],
    ) -> impl Future<Output = Result<(), SpiFault>> {
        let _ = (device, bytes);
        ready(Err(SpiFault::Other))
    }
}

impl Buses for () {}

impl<A: Buses, B: Buses> Buses for (A, B) {
    async fn i2c(
        &mut self,
        bus: &[u8],
        address: u8,
        write: &[u8],
        read: &mut [u8],
    ) -> Result<(), I2cFault> {
        match self.0.has(OfferKind::I2c, bus) {
            true => self.0.i2c(bus, address, write, read).await,
            false => self.1.i2c(bus, address, write, read).await,
        }
    }

    async fn spi(&mut self, device: &[u8], bytes: &mut [u8]) -> Result<(), SpiFault> {
        match self.0.has(OfferKind::Spi, device) {
            true => self.0.spi(device, bytes).await,
            false => self.1.spi(device, bytes).await,
        }
    }
}

impl<P: Buses, const N: usize> Buses for [P; N] {
    async fn i2c(
        &mut self,
        bus: &[u8],
        address: u8,
        write: &[u8],
        read: &mut [u8],
    ) -> Result<(), I2cFault> {
        let offer = find(self, OfferKind::I2c, bus).ok_or(I2cFault::Other)?;
        offer.i2c(bus, address, write, read).await
    }

    async fn spi(&mut self, device: &[u8], bytes: &mut [u8]) -> Result<(), SpiFault> {
        let offer = find(self, OfferKind::Spi, device).ok_or(SpiFault::Other)?;
        offer.spi(device, bytes).await
    }
}
