//! What a report is about.

use crate::learned::Learned;
use crate::machine::Machine;
use crate::statistics::Statistics;
use crate::store::Tree;

/// What is reported.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// How the run is called.
    pub name: &'a str,
    /// How it ended and what it cost.
    pub statistics: &'a Statistics,
    /// Its last hypothesis.
    pub learned: Option<&'a Learned>,
    /// The machine that its components make together, if it is not too large.
    pub model: Option<&'a Machine>,
    /// The names of the inputs.
    pub inputs: &'a [String],
    /// What the device said, if that was kept.
    pub answers: Option<&'a Tree>,
}
