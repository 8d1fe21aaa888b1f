//! What every machine can do, whether it is a table, a file or a product of components.

use crate::alphabet::{Input, Output};

/// A Mealy machine that can be walked, state by state.
///
/// `step` answers `None` where the machine has no output: a product of components that contradict
/// each other has such *defects*, and a partial machine does not know some outputs.
pub trait Mealy {
    /// A state.
    type State: Clone;

    /// Number of inputs: they are `0..inputs`.
    fn inputs(&self) -> u32;

    /// The state after a reset.
    fn initial(&self) -> Self::State;

    /// Moves `state` along `input` and says the output of that transition.
    fn step(&self, state: &mut Self::State, input: Input) -> Option<Output>;
}

/// A complete Mealy machine whose states and outputs are numbered from 0, such as one from a file.
///
/// Each step from a state below [`states`](Self::states) leads to such a state and has an output below
/// [`outputs`](Self::outputs).
pub trait NumberedMealy: Mealy<State = u32> {
    /// How many outputs there are.
    fn outputs(&self) -> u32;

    /// How many states there are.
    fn states(&self) -> u32;

    /// The bytes that a device answers for an output.
    fn output_name(&self, output: Output) -> &[u8];
}
