//! The contents of a report.

use crate::learned_components::LearnedComponents;
use crate::machine::Machine;
use crate::modules::Modules;
use crate::statistics::Statistics;
use crate::store::AnswerTree;

/// The run that is reported.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The name of the run.
    pub name: &'a str,
    /// How the run ended and what it cost.
    pub statistics: &'a Statistics,
    /// Its last hypothesis.
    pub learned: Option<&'a LearnedComponents>,
    /// The product of its components, if it is not too large.
    pub model: Option<&'a Machine>,
    /// The modules of the model, if it is complete.
    pub modules: Option<&'a Modules>,
    /// The names of the inputs.
    pub inputs: &'a [String],
    /// The answers of the device, if they were kept.
    pub answers: Option<&'a AnswerTree>,
}
