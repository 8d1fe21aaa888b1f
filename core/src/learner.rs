//! Learners ask words to find out what a device does.
//!
//! A learner never meets a device, and never tests: it says which word comes next, takes the answers to
//! its own words and to those of tests, and has a hypothesis when it has nothing more to ask. Each
//! learner has a folder of its own; a session has one.

#[cfg(feature = "tree")]
pub(crate) mod any;
pub(crate) mod known;
pub(crate) mod table;
#[cfg(feature = "tree")]
pub(crate) mod tree;

use crate::error::Refused;
use crate::known_answer::KnownAnswer;
use crate::machines::model::Model;
use crate::machines::product::Product;
use crate::memory::{Memory, MemoryRef};
use crate::options::{Observations, Options, Projections};
use crate::outputs::Outputs;
use crate::progress::{Progress, Purpose};
use crate::words::{Lane, Words};

/// A learner that a [`Session`](crate::Session) can have; they are those of this crate.
#[expect(private_bounds, reason = "what a session asks of a learner is its own affair")]
pub trait Learner: Learn {}

impl<L: Learn> Learner for L {}

/// What a session asks of a learner.
pub(crate) trait Learn {
    /// Whether its words may become longer while they are asked, and it recalls answers to tests.
    const HAS_TREE: bool = false;

    /// Where it keeps answers, and its projections: what the options of its session say.
    fn algorithm(&self) -> (Observations, Projections);

    /// Goes on until there are words to ask or a hypothesis stands. All words that were handed out
    /// were taken in.
    ///
    /// Calling it again after an error goes on where it ended.
    fn advance(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused>;

    /// Whether a hypothesis stands: nothing is to be asked until an answer refutes it.
    fn is_ready(&self) -> bool;

    /// Whether an answer refutes the hypothesis and the learner cannot make another: the session is over.
    fn is_stuck(&self) -> bool {
        false
    }

    /// Writes the next word into a lane, which is empty; `false` when there is none now.
    fn next_word(&mut self, m: &mut Memory<'_>, words: Words, lane: Lane) -> Result<bool, Refused>;

    /// May add inputs to a word of its own that was answered so far; else the word ends there.
    fn extend(&mut self, _: &mut Memory<'_>, _: Words, _: Lane) -> Result<(), Refused> {
        Ok(())
    }

    /// Takes in the complete answer of a lane, to a word of the learner or a test; `true` if it refutes
    /// the hypothesis. `is_as_expected` says that the caller has seen that it does not.
    ///
    /// Taking in the same answer twice is the same as once.
    fn take(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
        words: Words,
        lane: Lane,
        is_as_expected: bool,
    ) -> Result<bool, Refused>;

    /// Fills in the answer to a test, if the learner knows it.
    fn recall(&self, _: &mut Memory<'_>, _: Words, _: Lane) -> bool {
        false
    }

    /// The answer with this number, from 1 on, if the learner keeps answers.
    fn known_answer(&self, _: MemoryRef<'_>, _: u32) -> Option<KnownAnswer> {
        None
    }

    /// Makes of what is known so far a hypothesis that may be partial, if there is none that stands; learning can go on.
    /// Does nothing where no such hypothesis can be made.
    fn sketch(&mut self, _: &mut Memory<'_>) -> Result<(), Refused> {
        Ok(())
    }

    /// What words are asked for now.
    fn purpose(&self) -> Purpose;

    /// Whether an answer contradicts the last hypothesis.
    fn is_refuted(&self) -> bool;

    /// The last hypothesis, without components if there is none yet.
    fn product(&self) -> &Product;

    /// The same, with what tests need.
    fn model(&self) -> Model;

    /// The outputs that were seen so far.
    fn outputs(&self) -> &Outputs;

    /// The outputs that were seen so far.
    fn outputs_mut(&mut self) -> &mut Outputs;

    /// How many suffixes made a table output-consistent; 0 without a table.
    fn inconsistencies(&self) -> u32 {
        0
    }

    /// Says where it stands.
    fn report(&self, progress: &mut Progress);
}
