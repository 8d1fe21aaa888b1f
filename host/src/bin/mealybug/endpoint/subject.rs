//! What is learned.

use mealybug::machine::Machine;
use mealybug::state_names::StateNames;

/// What is learned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// How it is called; folders are named after it.
    pub(crate) name: &'a str,
    /// The names of its inputs.
    pub(crate) inputs: &'a [String],
    /// What its device file calls its states.
    pub(crate) states: &'a StateNames,
    /// In simulation, what it does.
    pub(crate) model: Option<&'a Machine>,
}
