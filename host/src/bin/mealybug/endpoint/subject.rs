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
    /// Where it is: a port or a program. `None` if no other run can meet the same device.
    pub(crate) address: Option<&'a str>,
    /// In simulation, what it does.
    pub(crate) model: Option<&'a Machine>,
}
