//! Devices that a program operates by hand: on pins or on a bus.

use embedded_hal::delay::DelayNs;
use mealybug_core::wire::message::DeviceError;

use crate::Seen;

/// Lines to a device, on which the program can act and see the effect. The actions are those of
/// [`Act`], or of [`asynchronous::Act`](crate::asynchronous::Act) for awaited hardware.
///
/// A probe has neither input names nor a reset; [`Probed`](crate::Probed) adds them.
pub trait Probe {
    /// Appends to `seen` what the probe sees without an action.
    ///
    /// # Errors
    /// The hardware failed, or the text did not fit into `seen`.
    fn look(&mut self, seen: &mut Seen) -> Result<(), DeviceError> {
        seen.push(b"ok")
    }

    /// Sets the lines to their levels at a reset, which they also have when a run has ended.
    ///
    /// # Errors
    /// The hardware failed.
    fn rest(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// A probe that carries out a `T`.
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
    ) -> Result<(), DeviceError>;
}
