//! What a program gets: the model, what it consists of, and the report.

use crate::learned_components::LearnedComponents;
use crate::machine::Machine;
use crate::modules::Modules;
use crate::report::{self, Report};
use crate::statistics::Statistics;
use crate::store::{AnswerTree, NodeId};

/// A model with more states is too large to be one machine.
pub(super) const MAX_STATES: u32 = 1_000_000;

/// A learned device.
#[derive(Clone, Debug)]
pub struct Learned {
    pub(super) model: Machine,
    pub(super) components: LearnedComponents,
    pub(super) statistics: Statistics,
    pub(super) answers: AnswerTree,
}

impl Learned {
    /// The minimal machine of the device.
    pub fn model(&self) -> &Machine {
        &self.model
    }

    /// The machines side by side that the model consists of; `None` for the partial model of a run that
    /// gave up.
    ///
    /// # Cost
    /// Up to a second for a large model.
    pub fn modules(&self) -> Option<Modules> {
        Modules::new(&self.model)
    }

    /// The page that `mealybug learn` leaves as `report.html`, under this name.
    pub fn report(&self, name: &str) -> String {
        let modules = self.modules();
        report::html(&Report {
            name,
            statistics: &self.statistics,
            learned: Some(&self.components),
            model: Some(&self.model),
            modules: modules.as_ref(),
            inputs: self.model.inputs(),
            answers: Some(&self.answers),
        })
    }

    /// How the run ended, and what it cost.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Whether the device was asked this word of names.
    pub(super) fn has_said(&self, word: &[String]) -> bool {
        let mut node = Some(NodeId::ROOT);
        for name in word {
            let input = self.model.find_input(name);
            node = node.zip(input).and_then(|(node, input)| self.answers.answer(node, input));
        }
        node.is_some()
    }
}
