//! A Mealy machine that lies in a table, with everything that a model is used for.
//!
//! A [`Machine`] is deterministic and complete: each state has exactly one transition for each
//! input. That holds from the moment it exists, because the only ways to make one are a
//! [`Builder`], which refuses anything else, and walking another machine ([`Machine::explore`],
//! [`product`]).
//!
//! Shape: two tables, states × inputs, row-major. `delta` holds the successor and `lambda` the
//! output of a transition, the letters of every text book on the matter.

mod builder;
mod difference;
mod explore;
mod minimise;
mod product;
mod separate;
#[cfg(test)]
pub(crate) mod testing;

pub use builder::{Builder, MachineError};
pub use difference::{Difference, Differences, differences};
pub use explore::ExploreError;
pub use product::{Component, Product, ProductError, product};
pub use separate::{AlphabetError, separate, separate_by};

use std::collections::VecDeque;

use mealybug_core::{Input, Mealy, NumberedMealy, Output};

/// A deterministic and complete Mealy machine with named inputs and outputs.
///
/// States are numbered from 0; the [`Input`] and [`Output`] of an index are named by
/// [`inputs`](Self::inputs) and [`outputs`](Self::outputs). Two machines that do the same are equal
/// after [`minimise`](Self::minimise), provided that their inputs stand in the same order.
///
/// ```
/// use mealybug::machine::Builder;
///
/// let mut lamp = Builder::default();
/// lamp.add(0, "press", 1, "on")?;
/// lamp.add(1, "press", 0, "off")?;
/// let lamp = lamp.build(0)?;
/// assert_eq!(lamp.states(), 2);
/// # Ok::<(), mealybug::machine::MachineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    inputs: Vec<String>,
    outputs: Vec<String>,
    initial: u32,
    delta: Vec<u32>,
    lambda: Vec<u32>,
    states: u32,
}

impl Machine {
    /// How many states it has.
    pub const fn states(&self) -> u32 {
        self.states
    }

    /// The names of the inputs.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// The names of the outputs.
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// The input of this name.
    pub fn find_input(&self, name: &str) -> Option<Input> {
        let index = self.inputs.iter().position(|input| input == name)?;
        Some(Input::new(number(index)))
    }

    /// The name of an input.
    ///
    /// # Panics
    /// The machine has no such input.
    pub fn input_name(&self, input: Input) -> &str {
        &self.inputs[input.index() as usize]
    }

    /// The name of an output.
    ///
    /// # Panics
    /// The machine has no such output.
    pub fn output_name(&self, output: Output) -> &str {
        &self.outputs[output.index() as usize]
    }

    /// The transition from `state` along `input`: the state it leads to, and its output.
    ///
    /// # Panics
    /// The machine has no such state or input.
    pub fn transition(&self, state: u32, input: Input) -> (u32, Output) {
        assert!((input.index() as usize) < self.inputs.len(), "no such input");
        let at = state as usize * self.inputs.len() + input.index() as usize;
        (self.delta[at], Output::new(self.lambda[at]))
    }

    /// All transitions, state by state and input by input: from, input, to, output.
    pub fn transitions(&self) -> impl Iterator<Item = (u32, Input, u32, Output)> + '_ {
        (0..self.states).flat_map(move |from| {
            (0..number(self.inputs.len())).map(move |input| {
                let input = Input::new(input);
                let (to, output) = self.transition(from, input);
                (from, input, to, output)
            })
        })
    }

    /// All transitions in the same order, with the names of inputs and outputs.
    pub fn named_transitions(&self) -> impl Iterator<Item = (u32, &str, u32, &str)> {
        self.transitions().map(|(from, input, to, output)| {
            (from, self.input_name(input), to, self.output_name(output))
        })
    }

    /// Each state that can be reached with a shortest word to it, breadth first.
    pub fn access_words(&self) -> Vec<(u32, Vec<Input>)> {
        let mut seen = vec![false; self.states as usize];
        let mut words = Vec::new();
        let mut open = VecDeque::from([(self.initial, Vec::new())]);
        seen[self.initial as usize] = true;
        while let Some((state, word)) = open.pop_front() {
            for input in (0..Mealy::inputs(self)).map(Input::new) {
                let (next, _) = self.transition(state, input);
                if !std::mem::replace(&mut seen[next as usize], true) {
                    open.push_back((next, [&word[..], &[input]].concat()));
                }
            }
            words.push((state, word));
        }
        words
    }

    /// The same machine with its inputs in the order of `inputs`.
    ///
    /// # Errors
    /// The machine has not exactly these inputs.
    pub fn with_inputs(&self, inputs: &[String]) -> Result<Self, AlphabetError> {
        separate::same_inputs(inputs, &self.inputs).map(|order| self.select(&order))
    }

    /// The machine with only the inputs of these numbers, in this order.
    fn select(&self, order: &[usize]) -> Self {
        let reordered = |table: &[u32]| {
            let rows = table.chunks_exact(self.inputs.len().max(1));
            rows.flat_map(|row| order.iter().map(|&old| row[old])).collect()
        };
        Self {
            inputs: order.iter().map(|&old| self.inputs[old].clone()).collect(),
            outputs: self.outputs.clone(),
            initial: self.initial,
            delta: reordered(&self.delta),
            lambda: reordered(&self.lambda),
            states: self.states,
        }
    }

    /// The projection onto one output: the same machine, which says `1` where that output comes and `0`
    /// elsewhere.
    #[must_use]
    pub fn projection(&self, output: Output) -> Self {
        let lambda = self.lambda.iter().map(|&own| u32::from(own == output.index()));
        let outputs = ["0", "1"].map(str::to_owned).to_vec();
        Self { outputs, lambda: lambda.collect(), ..self.clone() }
    }

    /// What the type promises; for `debug_assert!` and tests.
    fn check_invariants(&self) -> bool {
        let transitions = self.states as usize * self.inputs.len();
        self.initial < self.states
            && self.delta.len() == transitions
            && self.lambda.len() == transitions
            && self.delta.iter().all(|&state| state < self.states)
            && self.lambda.iter().all(|&output| (output as usize) < self.outputs.len())
    }
}

impl Mealy for Machine {
    type State = u32;

    fn inputs(&self) -> u32 {
        number(self.inputs.len())
    }

    fn initial(&self) -> u32 {
        self.initial
    }

    fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
        let (next, output) = self.transition(*state, input);
        *state = next;
        Some(output)
    }
}

impl NumberedMealy for Machine {
    fn outputs(&self) -> u32 {
        number(self.outputs.len())
    }

    fn states(&self) -> u32 {
        self.states
    }

    fn output_name(&self, output: Output) -> &[u8] {
        Self::output_name(self, output).as_bytes()
    }
}

/// An index as a state, input or output number.
fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a table of 2^32 entries does not fit in memory beside its names")
}

#[cfg(test)]
mod tests {
    use super::testing::lamp;

    #[test]
    fn with_inputs_reorders_the_columns_and_nothing_else() {
        let lamp = lamp();
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let turned = lamp.with_inputs(&names(&["hold", "press"])).expect("the same inputs");
        assert!(turned.check_invariants());
        assert_ne!(turned, lamp);
        for (from, input, to, output) in lamp.transitions() {
            let input = turned.find_input(lamp.input_name(input)).expect("it has this input");
            assert_eq!(turned.transition(from, input), (to, output));
        }
        assert_eq!(turned.with_inputs(lamp.inputs()).as_ref(), Ok(&lamp));
    }
}
