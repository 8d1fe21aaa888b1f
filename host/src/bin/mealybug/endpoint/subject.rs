//! What is learned.

use mealybug::machine::Machine;

/// What is learned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// How it is called; folders are named after it.
    pub(crate) name: &'a str,
    /// The names of its inputs.
    pub(crate) inputs: &'a [String],
    /// In simulation, what it does.
    pub(crate) model: Option<&'a Machine>,
}
