//! The awaited versions of the traits, over embedded-hal-async.
//!
//! A learner that waits for its device has nothing else to do, but the program around it may. The
//! file of each probe holds the logic once for both versions; only the waiting differs between
//! them.

use core::future::Future;

use embedded_hal_async::delay::DelayNs;
use mealybug_core::wire::message::DeviceError;

use crate::{Probe, Seen};

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
