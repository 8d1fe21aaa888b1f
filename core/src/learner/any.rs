//! A learner that is chosen when a session is made.

use super::Learn;
use super::table::TableLearner;
use super::tree::TreeLearner;
use crate::error::Refused;
use crate::known_answer::KnownAnswer;
use crate::machines::model::Model;
use crate::machines::product::Product;
use crate::memory::{Memory, MemoryRef};
use crate::options::{Observations, Options, Projections};
use crate::outputs::Outputs;
use crate::progress::{Progress, Purpose};
use crate::words::{Lane, Words};

/// The learner that the [options](Options) say.
#[derive(Clone, Copy, Debug)]
pub enum AnyLearner {
    /// L* or OL*.
    Table(TableLearner),
    /// L# or OL#.
    Tree(TreeLearner),
}

impl AnyLearner {
    /// A learner for a device with `inputs` inputs.
    pub const fn new(inputs: u32, options: &Options) -> Self {
        match options.observations {
            Observations::Table => Self::Table(TableLearner::new(inputs, options.projections)),
            Observations::Tree => Self::Tree(TreeLearner::new(inputs, options.projections)),
        }
    }
}

/// Passes a call on to the learner.
macro_rules! pass_on {
    ($learner:expr, $method:ident($($argument:expr),*)) => {
        match $learner {
            AnyLearner::Table(learner) => learner.$method($($argument),*),
            AnyLearner::Tree(learner) => learner.$method($($argument),*),
        }
    };
}

impl Learn for AnyLearner {
    const HAS_TREE: bool = true;

    fn algorithm(&self) -> (Observations, Projections) {
        pass_on!(self, algorithm())
    }

    fn advance(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused> {
        pass_on!(self, advance(m, options))
    }

    fn is_ready(&self) -> bool {
        pass_on!(self, is_ready())
    }

    fn is_stuck(&self) -> bool {
        pass_on!(self, is_stuck())
    }

    fn next_word(&mut self, m: &mut Memory<'_>, words: Words, lane: Lane) -> Result<bool, Refused> {
        pass_on!(self, next_word(m, words, lane))
    }

    fn extend(&mut self, m: &mut Memory<'_>, words: Words, lane: Lane) -> Result<(), Refused> {
        pass_on!(self, extend(m, words, lane))
    }

    fn take(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
        words: Words,
        lane: Lane,
        is_as_expected: bool,
    ) -> Result<bool, Refused> {
        pass_on!(self, take(m, options, words, lane, is_as_expected))
    }

    fn recall(&self, m: &mut Memory<'_>, words: Words, lane: Lane) -> bool {
        pass_on!(self, recall(m, words, lane))
    }

    fn known_answer(&self, read: MemoryRef<'_>, number: u32) -> Option<KnownAnswer> {
        pass_on!(self, known_answer(read, number))
    }

    fn sketch(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        pass_on!(self, sketch(m))
    }

    fn purpose(&self) -> Purpose {
        pass_on!(self, purpose())
    }

    fn is_refuted(&self) -> bool {
        pass_on!(self, is_refuted())
    }

    fn product(&self) -> &Product {
        pass_on!(self, product())
    }

    fn model(&self) -> Model {
        pass_on!(self, model())
    }

    fn outputs(&self) -> &Outputs {
        pass_on!(self, outputs())
    }

    fn outputs_mut(&mut self) -> &mut Outputs {
        pass_on!(self, outputs_mut())
    }

    fn inconsistencies(&self) -> u32 {
        pass_on!(self, inconsistencies())
    }

    fn report(&self, progress: &mut Progress) {
        pass_on!(self, report(progress));
    }
}
