//! The device: the system under learning, and the loop that serves a session with one.

use core::convert::Infallible;
use core::fmt;

use crate::{Action, Input, Reply, Session, SessionError, Why};

/// A system under learning (SUL): something that can be reset and takes one input at a time.
///
/// Outputs are raw bytes; the learner numbers them in the order in which they appear.
pub trait Sul {
    /// Why the device or the link to it failed.
    type Error;

    /// Brings the device to its initial state.
    ///
    /// # Errors
    /// The device did not come back from the reset.
    fn reset(&mut self) -> Result<(), Self::Error>;

    /// Gives the device one input and returns its output.
    ///
    /// # Errors
    /// The device or the link failed; the word that was being asked is asked again from a reset.
    fn step(&mut self, input: Input) -> Result<&[u8], Self::Error>;

    /// A word that will be asked later, as far as it is known: words come in the order in which they are
    /// announced, and some never. Who reaches the device over a slow link may ask it now.
    fn announce(&mut self, word: &[Input]) {
        let _ = word;
    }

    /// A reset for a word whose inputs are known: those that follow begin with these, or the next reset
    /// comes earlier.
    ///
    /// # Errors
    /// As of [`reset`](Self::reset).
    fn reset_for(&mut self, word: &[Input]) -> Result<(), Self::Error> {
        let _ = word;
        self.reset()
    }
}

/// Why learning a device ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum LearnError<E> {
    /// The device or the link to it failed.
    Sul(E),
    /// The session could not go on.
    Session(SessionError),
}

impl<E: fmt::Display> fmt::Display for LearnError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sul(error) => error.fmt(f),
            Self::Session(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for LearnError<E> {}

/// Serves the first lane of a session with a device until the session is over.
///
/// Every hypothesis is tested as the session's options say. A caller that wants to see them or to give
/// more memory writes these few lines anew.
///
/// # Errors
/// The device failed: calling again asks the word anew. Or the session cannot go on; what was
/// learned stays in it.
pub fn learn<M, S>(session: &mut Session<M>, sul: &mut S) -> Result<Why, LearnError<S::Error>>
where
    M: AsRef<[u32]> + AsMut<[u32]>,
    S: Sul,
{
    let mut reply = Reply::Ready;
    loop {
        let result = match session.next(0, reply).map_err(LearnError::Session)? {
            Action::Reset => sul.reset().map(|()| Reply::Ready),
            Action::Input(input) => sul.step(input).map(Reply::Output),
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

/// A device that is a closure: see [`from_fn`].
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F, O> {
    call: F,
    answer: Option<O>,
}

/// A device that is a closure: called with an input it answers, called with `None` it resets, and
/// its answer then does not matter.
pub fn from_fn<F, O>(call: F) -> FromFn<F, O>
where
    F: FnMut(Option<Input>) -> O,
    O: AsRef<[u8]>,
{
    FromFn { call, answer: None }
}

impl<F, O> Sul for FromFn<F, O>
where
    F: FnMut(Option<Input>) -> O,
    O: AsRef<[u8]>,
{
    type Error = Infallible;

    fn reset(&mut self) -> Result<(), Infallible> {
        (self.call)(None);
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
        Ok(O::as_ref(self.answer.insert((self.call)(Some(input)))))
    }
}
