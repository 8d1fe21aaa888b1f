//! What a session says, and what it is told: the vocabulary between learner and caller.

use serde::{Deserialize, Serialize};

use crate::Input;

/// What to do next with the device of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Action {
    /// Reset it; then reply [`Reply::Ready`].
    Reset,
    /// Give it this input; then reply [`Reply::Output`].
    Input(Input),
    /// Nothing: the other lanes come first. Call again after one of them has replied.
    Idle,
    /// Nothing: there is a new hypothesis, or the word of the last [`Reply::Counterexample`] was none.
    /// Reply [`Reply::Ready`] to have it tested, [`Reply::Equivalent`] if it is right, or
    /// [`Reply::Counterexample`].
    Hypothesis,
    /// Nothing: the session is over. Where it has passed all tests, [`Reply::Counterexample`] has it
    /// go on.
    Done(Why),
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// The action is done; also the first reply of all, and the reply to [`Action::Idle`].
    Ready,
    /// The device answered.
    Output(&'a [u8]),
    /// The device answered this input and then those [`ahead`](crate::Session::ahead), all or the first of them.
    /// Where a test ends with an output, those after it are left out, and not counted.
    #[cfg(feature = "fast")]
    Outputs(&'a [&'a [u8]]),
    /// The hypothesis is equivalent to the device.
    Equivalent,
    /// The hypothesis may be wrong on this word, which is asked as a test; if it is not, there is
    /// [`Action::Hypothesis`] again, and room for another word.
    Counterexample(&'a [Input]),
}

/// Why a session is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Why {
    /// As many random tests in a row as the options want found nothing.
    TestsPassed,
    /// The complete suite found nothing.
    SuitePassed,
    /// The suite found nothing, but the walk did not reach all states of the hypothesis.
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
}

impl Why {
    /// Whether the hypothesis withstood all that was to be tried.
    pub fn is_converged(self) -> bool {
        matches!(self, Self::TestsPassed | Self::SuitePassed | Self::Equivalent)
    }
}
