//! What a session says, and what it is told. [The guide](crate::guide::sessions) has a table.

use crate::alphabet::Input;

/// What to do next with the device of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Action {
    /// Reset the device; then reply [`Reply::Ready`].
    Reset,
    /// Give the device this input; then reply [`Reply::Output`].
    Input(Input),
    /// Nothing: the other lanes come first. Call again after one of them has replied. Where no other lane has a word, the
    /// session has looked at many tests whose answers it knows: call again, or end it.
    Idle,
    /// A hypothesis is ready: a new one, or the same one again because the word of the last
    /// [`Reply::Counterexample`] or [`Reply::Advice`] was not a counterexample. Nothing to do at the
    /// device. Reply [`Reply::Ready`] to have the hypothesis tested, [`Reply::Equivalent`] if it is
    /// right, or a word that may be a counterexample.
    Hypothesis,
    /// The session is over. Where all tests have passed ([`EndReason::TestsPassed`], [`EndReason::SuitePassed`]), a word
    /// that may be a counterexample makes it go on.
    Done(EndReason),
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// The action is done; also the first reply of all, and the reply to [`Action::Idle`].
    Ready,
    /// The device answered.
    Output(&'a [u8]),
    /// The outputs of this input and of those [`ahead`](crate::Session::ahead), of all or of the first of
    /// them. If a test ends with one of the outputs, those after it are ignored and not counted.
    Outputs(&'a [&'a [u8]]),
    /// The hypothesis is equivalent to the device.
    Equivalent,
    /// A word for which the hypothesis may be wrong. The session asks it as a test. If it is no
    /// counterexample, [`Action::Hypothesis`] comes again, and another word can be given.
    Counterexample(&'a [Input]),
    /// The same, but the word counts as learning: what suggests it knows something about the device, an
    /// older model for one.
    Advice(&'a [Input]),
}

/// Why a session is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum EndReason {
    /// [`Options::passing_tests`](crate::Options::passing_tests) random tests in a row found nothing.
    TestsPassed,
    /// The complete suite found nothing.
    SuitePassed,
    /// The suite found nothing, but it is not complete: the hypothesis has more states than
    /// [`Options::product_states`](crate::Options::product_states) lets it start in.
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
    /// A test refuted the model of [`Session::of_model`](crate::Session::of_model). The word that was
    /// asked last shows the difference; the session no longer has it.
    Refuted,
}

impl EndReason {
    /// Whether the hypothesis passed all its tests, or the caller said that it is right.
    pub fn is_converged(self) -> bool {
        matches!(self, Self::TestsPassed | Self::SuitePassed | Self::Equivalent)
    }
}
