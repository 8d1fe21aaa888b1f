//! What is done to a device by hand: on pins, on a bus.

use embedded_hal::delay::DelayNs;
use mealybug_core::wire::message::DeviceError;

use crate::Seen;

/// Lines to a device, where something can be done and seen. What can be done says [`Act`], or
/// [`asynchronous::Act`](crate::asynchronous::Act) where it is awaited.
///
/// A probe has neither names nor a reset; those are added by [`Probed`](crate::Probed).
pub trait Probe {
    /// Writes down what is seen when nothing is done.
    ///
    /// # Errors
    /// The hardware failed, or what is seen has no room.
    fn look(&mut self, seen: &mut Seen) -> Result<(), DeviceError> {
        seen.push(b"ok")
    }

    /// Brings the lines to where they are at a reset.
    ///
    /// # Errors
    /// The hardware failed.
    fn rest(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// A probe that does what a `T` says.
pub trait Act<T>: Probe {
    /// Does it and writes down what is seen then.
    ///
    /// # Errors
    /// The hardware failed, or what is seen has no room.
    fn act(
        &mut self,
        action: &T,
        delay: &mut impl DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError>;
}
