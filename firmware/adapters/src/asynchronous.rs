//! The same for programs whose hardware is awaited: traits of the same names, over
//! embedded-hal-async.
//!
//! A learner waits for its device and has nothing else to do meanwhile, but the program around it
//! may have: what is here lets it. What is done and how it is called is written once for both, in
//! the file of each probe; only the awaiting is written here and there.

use core::future::Future;

use embedded_hal_async::delay::DelayNs;
use mealybug_core::wire::message::DeviceError;

use crate::{Probe, Seen};

/// A probe that does what a `T` says, and is awaited.
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
    ) -> impl Future<Output = Result<(), DeviceError>>;
}

/// A [`Reset`](crate::Reset) that is awaited.
pub trait Reset<P, D> {
    /// Does it, and waits until the device is back.
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
