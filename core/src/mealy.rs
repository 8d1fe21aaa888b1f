//! What every machine can do, whether it lies in a table, in a file or in a product of components.

use crate::{Input, Output};

/// A Mealy machine that can be walked, state by state.
///
/// `step` answers `None` where the machine has no output: a product of components that contradict
/// each other has such *defects*; a machine read from a file has none.
pub trait Mealy {
    /// A state.
    type State: Clone;

    /// How many inputs there are; [`Input`]s are below it.
    fn inputs(&self) -> u32;

    /// The state after a reset.
    fn initial(&self) -> Self::State;

    /// Moves `state` along `input` and says the output of that transition.
    fn step(&self, state: &mut Self::State, input: Input) -> Option<Output>;
}
