//! The device: the system under learning.

use core::convert::Infallible;
use core::future::Future;
use core::time::Duration;

use crate::alphabet::Input;

/// A system under learning (SUL): something that can be reset and takes one input at a time.
///
/// Outputs are raw bytes; the session numbers them in the order in which they appear.
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

    /// Announces a word that will probably be asked. Announced words are asked in this order; some are
    /// dropped. An implementation with a slow link may send it ahead.
    fn announce(&mut self, word: &[Input]) {
        let _ = word;
    }

    /// As [`announce`](Self::announce), for a word that may go on after its last input: that depends on the answers. An
    /// implementation that asks such a word ahead should keep its device in the state that the word leads to.
    fn announce_open(&mut self, word: &[Input]) {
        self.announce(word);
    }

    /// How long the device took for the last reset or input, where the caller cannot measure it because the word was
    /// asked ahead.
    fn elapsed(&self) -> Option<Duration> {
        None
    }

    /// What the device said, where the last output is a name for that. A host that stores answers stores both, so that
    /// other names can be given later.
    fn reply(&self) -> Option<&[u8]> {
        None
    }

    /// Brings the device to its initial state for a word whose inputs are known. The inputs that follow
    /// are those of `word`, in their order; a reset may come before the last of them.
    ///
    /// # Errors
    /// As of [`reset`](Self::reset).
    fn reset_for(&mut self, word: &[Input]) -> Result<(), Self::Error> {
        let _ = word;
        self.reset()
    }
}

/// A [`Sul`] whose device is awaited.
pub trait AsyncSul {
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

/// A device that is a closure: see [`from_fn`].
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F, O> {
    call: F,
    answer: Option<O>,
}

/// A device that is a closure. Called with an input it answers. Called with `None` it resets, and what
/// it answers is ignored.
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
