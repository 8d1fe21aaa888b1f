//! The same for programs with awaited hardware: over embedded-hal-async and embedded-io-async.
//!
//! A learner that waits for its device has nothing else to do, but the program around it may. A
//! [`Conversation`], the [`Frames`] to a host, and a [`Link`] are those of the crate's root, awaited: their
//! files are compiled twice. [`Streamed`] makes a link of a serial port of embedded-io-async. The file
//! of each probe holds the logic once for both versions; only the waiting differs between them.
//!
//! # Futures that are dropped
//!
//! A program may stop waiting: it drops the future, as `select` does. Then
//!
//! | what waited | what holds |
//! |---|---|
//! | [`Link::read_until`], [`Frames::receive`] | no byte is lost |
//! | [`Link::write`], [`Frames::send`] | the rest of the bytes, or the message, is lost; the next message comes whole |
//! | [`Link::flush`] | nothing is lost |
//! | `reset` and `step` of a [`Conversation`], a [`Probing`](crate::Probing) or a [`Probed`](crate::Probed) | the device is in an unknown state, as after an error: the next call is `reset`. A pulse of a `Probing` ends at once; a pin that a `Conversation` or a `Probed` holds is let go by that `reset` |
//! | [`Act::act`], [`Reset::reset`], [`Buses`] | as of the device; whether a bus is free again is up to its HAL |

#[path = "attached.rs"]
mod attached;
#[path = "conversation.rs"]
mod conversation;
#[path = "frames.rs"]
mod frames;
#[path = "line.rs"]
mod line;
mod streamed;

pub use attached::Attached;
pub use conversation::Conversation;
pub use frames::Frames;
pub use streamed::Streamed;

use maybe_async::must_be_async as waiting;
use mealybug_core::AsyncSul as Sul;

use core::future::{Future, ready};

use embedded_hal::i2c::ErrorKind as I2cFault;
use embedded_hal::spi::ErrorKind as SpiFault;
use embedded_hal_async::delay::DelayNs;
use mealybug_core::wire::line::LineSettings;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::probe::OfferKind;

use crate::offers::find;
use crate::{LineFault, Offers, Probe, Seen};

/// A serial port with a clock, as [`Link`](crate::Link), that is awaited.
pub trait Link {
    /// The time in milliseconds since a fixed moment.
    fn now_ms(&self) -> u64;

    /// Sends bytes; waits while the line cannot take them. If it is dropped, the rest of them is not sent.
    fn write(&mut self, bytes: &[u8]) -> impl Future<Output = ()>;

    /// Waits until at most what the port itself holds is still to be sent, as [`Link::flush`](crate::Link::flush).
    fn flush(&mut self) -> impl Future<Output = ()> {
        async {}
    }

    /// The next byte; `None` when none came by the deadline. With a deadline in the past, the call
    /// only checks whether a byte is there. If it is dropped, no byte is lost.
    ///
    /// # Errors
    /// Bytes before this one are lost or damaged. A damaged byte is not returned.
    fn read_until(
        &mut self,
        deadline_ms: u64,
    ) -> impl Future<Output = Result<Option<u8>, LineFault>>;

    /// Changes the settings of the line, as [`Link::set_line`](crate::Link::set_line).
    ///
    /// # Errors
    /// The line cannot have these settings; returns those that it keeps.
    fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        let fixed = LineSettings::DEFAULT;
        if settings == fixed { Ok(()) } else { Err(fixed) }
    }
}

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
