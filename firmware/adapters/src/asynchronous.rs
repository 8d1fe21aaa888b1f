//! The same for programs whose hardware is awaited: traits of the same names, over
//! embedded-hal-async.
//!
//! A learner waits for its device and has nothing else to do meanwhile, but the program around it
//! may have: what is here lets it. What is done and how it is called is written once for both, in
//! the file of each probe; only the awaiting is written here and there.

use core::future::Future;

use embedded_hal_async::delay::DelayNs;
use mealybug_core::LearnError;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::{Action, EndReason, Input, Reply, Session};

use crate::{Deed, Probe, Probed, Seen};

/// A system under learning that is awaited, else as [`mealybug_core::Sul`].
pub trait Sul {
    /// Why the device or the link to it failed.
    type Error;

    /// Brings the device to its initial state.
    ///
    /// # Errors
    /// The device did not come back from the reset.
    fn reset(&mut self) -> impl Future<Output = Result<(), Self::Error>>;

    /// Gives the device one input and returns its output.
    ///
    /// # Errors
    /// The device or the link failed.
    fn step(&mut self, input: Input) -> impl Future<Output = Result<&[u8], Self::Error>>;
}

/// Serves the first lane of a session with a device until the session is over, as
/// [`mealybug_core::sul::learn`] does. No borrow of the session is held while the device is awaited.
///
/// # Errors
/// The device failed: calling again asks the word anew. Or the session cannot go on; what was
/// learned stays in it.
pub async fn learn<M, S>(
    session: &mut Session<M>,
    sul: &mut S,
) -> Result<EndReason, LearnError<S::Error>>
where
    M: AsRef<[u32]> + AsMut<[u32]>,
    S: Sul,
{
    let mut reply = Reply::Ready;
    loop {
        let result = match session.next(0, reply).map_err(LearnError::Session)? {
            Action::Reset => sul.reset().await.map(|()| Reply::Ready),
            Action::Input(input) => sul.step(input).await.map(Reply::Output),
            Action::Idle | Action::Hypothesis => Ok(Reply::Ready),
            Action::Done(why) => return Ok(why),
        };
        reply = match result {
            Ok(reply) => reply,
            Err(error) => {
                session.failed(0);
                return Err(LearnError::Sul(error));
            }
        };
    }
}

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

impl<T, P: Act<T>, R: Reset<P, D>, D: DelayNs> Sul for Probed<T, P, R, D> {
    type Error = DeviceError;

    async fn reset(&mut self) -> Result<(), DeviceError> {
        self.probe.rest()?;
        self.reset.reset(&mut self.probe, &mut self.delay).await
    }

    async fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        self.seen.clear();
        if let Some(deed) = self.deed(input) {
            deed.run_async(&mut self.probe, &mut self.delay, &mut self.seen).await?;
        }
        Ok(self.output())
    }
}

impl<T> Deed<T> {
    /// Does it, and writes down what is seen then.
    pub(crate) async fn run_async(
        &self,
        probe: &mut impl Act<T>,
        delay: &mut impl DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        match self {
            Self::Act(action) => probe.act(action, delay, seen).await,
            Self::Wait { ms } => {
                delay.delay_ms(*ms).await;
                probe.look(seen)
            }
        }
    }
}
