//! What a session says, and what it is told: the vocabulary between session and caller.

use crate::alphabet::Input;

/// What to do next with the device of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Action {
    /// Reset the device; then reply [`Reply::Ready`].
    Reset,
    /// Give the device this input; then reply [`Reply::Output`].
    Input(Input),
    /// Nothing: the other lanes come first. Call again after one of them has replied.
    Idle,
    /// A hypothesis is ready: a new one, or the same one again because the word of the last
    /// [`Reply::Counterexample`] was not a counterexample. Nothing to do at the device. Reply
    /// [`Reply::Ready`] to have the hypothesis tested, [`Reply::Equivalent`] if it is right, or
    /// [`Reply::Counterexample`].
    Hypothesis,
    /// The session is over. Where all tests have passed, [`Reply::Counterexample`] makes it go on.
    Done(EndReason),
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// The action is done; also the first reply of all, and the reply to [`Action::Idle`].
    Ready,
    /// The device answered.
    Output(&'a [u8]),
    /// The device answered this input and then those [`ahead`](crate::Session::ahead), all or the
    /// first of them. Where a test ends with an output, those after it are left out, and not counted.
    Outputs(&'a [&'a [u8]]),
    /// The hypothesis is equivalent to the device.
    Equivalent,
    /// The hypothesis may be wrong on this word, which is asked as a test. If it is right, there is
    /// [`Action::Hypothesis`] again, and room for another word.
    Counterexample(&'a [Input]),
}

/// Why a session is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum EndReason {
    /// As many random tests in a row as the options want found nothing.
    TestsPassed,
    /// The complete suite found nothing.
    SuitePassed,
    /// The suite found nothing, but it does not start in all states of the hypothesis.
    SuiteCut,
    /// The caller said that the hypothesis is equivalent to the device.
    Equivalent,
    /// There are no tests, and the caller gave no counterexample.
    Untested,
    /// The budget of rounds is spent.
    Rounds,
    /// The budget of symbols is spent.
    Symbols,
    /// The budget of resets is spent.
    Resets,
    /// The caller stopped it.
    Stopped,
    /// A test refuted the model of [`Session::of_model`](crate::Session::of_model). The failing word is
    /// the last one that was asked.
    Refuted,
}

impl EndReason {
    /// Whether the hypothesis withstood all that was to be tried.
    pub fn is_converged(self) -> bool {
        matches!(self, Self::TestsPassed | Self::SuitePassed | Self::Equivalent)
    }
}
