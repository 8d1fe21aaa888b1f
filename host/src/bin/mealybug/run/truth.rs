//! In simulation: the model that is right, and what follows from it.

use mealybug::learn::{Oracle, Verdict};
use mealybug_core::{Hypothesis, Tests};

use crate::endpoint::Subject;
use crate::run::options::RunOptions;

/// The model that is simulated.
pub(crate) struct Truth<'a> {
    oracle: Oracle<'a>,
    /// Whether a hypothesis that equals the model ends the run.
    ends_at_equality: bool,
    /// Whether the model gives the counterexamples.
    tests_by_model: bool,
}

impl<'a> Truth<'a> {
    /// The model of `subject`, if it is simulated.
    pub(crate) fn new(subject: Subject<'a>, options: &RunOptions) -> Option<Self> {
        let is_suite = matches!(
            options.tests(),
            Tests::W { .. } | Tests::Wp { .. } | Tests::Components { .. }
        );
        Some(Self {
            oracle: Oracle::new(subject.model?),
            ends_at_equality: options.is_paper() || !is_suite,
            tests_by_model: options.tests() == Tests::External,
        })
    }

    /// Whether the hypothesis does what the model does.
    pub(crate) fn equals(&self, hypothesis: Hypothesis<'_>) -> bool {
        self.oracle.counterexample(hypothesis).is_none()
    }

    /// What the run does with the hypothesis.
    pub(crate) fn verdict(&self, hypothesis: Hypothesis<'_>) -> Verdict {
        if !self.ends_at_equality {
            return Verdict::Test;
        }
        match self.oracle.counterexample(hypothesis) {
            None => Verdict::Equivalent,
            Some(word) if self.tests_by_model => Verdict::Counterexample(word),
            Some(_) => Verdict::Test,
        }
    }
}
