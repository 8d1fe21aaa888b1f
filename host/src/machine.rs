//! A Mealy machine stored in a table, and what a model is used for.
//!
//! A [`Machine`] is deterministic: each state has at most one transition for each input. It may be
//! *partial*, for example if the run that learned it ended early. A [`Transition`] is then one of
//! three kinds:
//!
//! - *confirmed*: it was asked, and its target follows from the answers;
//! - *open*: it was asked, so its output is known, but its target is a guess;
//! - *unknown*: it was never asked, and has neither output nor target.
//!
//! A machine without unknown transitions is *complete*. Code that needs a complete machine calls
//! [`Machine::require_complete`] first.
//!
//! An unknown transition is never a difference: [`differences`] compares only what both machines
//! know, and a test of a partial model ends where the model ends.
//!
//! Representation: one table, states × inputs, row-major, `None` for an unknown transition.

mod access;
mod alphabet;
mod builder;
mod difference;
mod explore;
mod gaps;
mod minimise;
mod overlay;
mod parting;
mod product;
mod separate;
#[cfg(test)]
pub(crate) mod testing;

pub use access::AccessWords;
pub use alphabet::AlphabetError;
pub use builder::{Builder, MachineError};
pub use difference::{Cut, Difference, Differences, differences};
pub use explore::ExploreError;
pub use gaps::{Gaps, IncompleteError};
pub use overlay::Overlay;
pub use parting::Parting;
pub use product::{ComponentTransition, ProductComponent, ProductError, ProductWalk, product};
pub use separate::{separate, separate_by};

use std::collections::BTreeMap;

use mealybug_core::{Input, Mealy, NumberedMealy, Output};

use crate::names::names_of;

/// A known transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition<O = Output> {
    /// The state to which it leads.
    pub target: u32,
    /// Its output.
    pub output: O,
    /// Whether the target is a guess.
    pub is_open: bool,
}

/// A deterministic Mealy machine with named inputs and outputs; it may be partial.
///
/// States are numbered from 0. [`inputs`](Self::inputs) and [`outputs`](Self::outputs) name the
/// [`Input`] and [`Output`] of each index. Two machines with the same behaviour are equal after
/// [`minimise`](Self::minimise), provided that their inputs are in the same order.
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
    table: Vec<Option<Transition>>,
    states: u32,
    /// The names that people gave to states, all different.
    state_names: BTreeMap<u32, String>,
}

impl Machine {
    /// The number of states.
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

    /// This machine with names that can be shown: see [`names_of`].
    pub fn with_visible_names(self) -> Self {
        let [inputs, outputs] = [&self.inputs, &self.outputs].map(|names| names_of(names));
        Self { inputs, outputs, ..self }
    }

    /// The input with this name.
    pub fn find_input(&self, name: &str) -> Option<Input> {
        let index = self.inputs.iter().position(|input| input == name)?;
        Some(Input::new(number(index)))
    }

    /// The name of an input.
    ///
    /// # Panics
    /// If the machine has no such input.
    pub fn input_name(&self, input: Input) -> &str {
        &self.inputs[input.index() as usize]
    }

    /// The name of an output.
    ///
    /// # Panics
    /// If the machine has no such output.
    pub fn output_name(&self, output: Output) -> &str {
        &self.outputs[output.index() as usize]
    }

    /// The name that people gave to a state; see [`state_names`](crate::state_names).
    pub fn state_name(&self, state: u32) -> Option<&str> {
        self.state_names.get(&state).map(String::as_str)
    }

    /// What a state is called in a sentence: its name, or else its number.
    pub fn state_text(&self, state: u32) -> String {
        self.state_name(state).map_or_else(|| state.to_string(), str::to_owned)
    }

    /// The number of a state with its name, if it has one: `3 locked`.
    pub fn state_label(&self, state: u32) -> String {
        self.state_name(state).map_or_else(|| state.to_string(), |name| format!("{state} {name}"))
    }

    /// Whether a state has a name.
    pub fn has_state_names(&self) -> bool {
        !self.state_names.is_empty()
    }

    /// This machine with these names of states instead of its own.
    #[must_use]
    pub fn with_state_names(self, state_names: BTreeMap<u32, String>) -> Self {
        Self { state_names, ..self }
    }

    /// The transition from `state` on `input`; `None` if it is unknown.
    ///
    /// # Panics
    /// If the machine has no such state or input.
    pub fn transition(&self, state: u32, input: Input) -> Option<Transition> {
        assert!((input.index() as usize) < self.inputs.len(), "no such input");
        self.table[state as usize * self.inputs.len() + input.index() as usize]
    }

    /// The transition from `state` on `input` of a complete machine: the target and the output.
    ///
    /// # Panics
    /// If the machine has no such state or input, or the transition is unknown.
    pub fn expect_transition(&self, state: u32, input: Input) -> (u32, Output) {
        let known = self.transition(state, input);
        let Transition { target, output, .. } = known.expect("the machine is complete");
        (target, output)
    }

    /// All known transitions as (from, input, transition), by state and then by input.
    pub fn transitions(&self) -> impl Iterator<Item = (u32, Input, Transition)> + '_ {
        (0..self.states).flat_map(move |from| {
            let inputs = (0..number(self.inputs.len())).map(Input::new);
            inputs.filter_map(move |input| Some((from, input, self.transition(from, input)?)))
        })
    }

    /// All known transitions with the names of inputs and outputs: (from, input, to, output).
    pub fn named_transitions(&self) -> impl Iterator<Item = (u32, &str, u32, &str)> {
        self.transitions().map(|(from, input, Transition { target, output, .. })| {
            (from, self.input_name(input), target, self.output_name(output))
        })
    }

    /// The state to which these inputs lead, if all of them are known; a guess counts.
    pub fn state_after(&self, word: &[String]) -> Option<u32> {
        word.iter().try_fold(self.initial, |state, name| {
            Some(self.transition(state, self.find_input(name)?)?.target)
        })
    }

    /// The same machine, with its inputs in the order of `inputs`.
    ///
    /// # Errors
    /// The machine has different inputs.
    pub fn with_inputs(&self, inputs: &[String]) -> Result<Self, AlphabetError> {
        alphabet::same_inputs(inputs, &self.inputs).map(|order| self.select(&order))
    }

    /// The machine restricted to the inputs with these numbers, in this order.
    fn select(&self, order: &[usize]) -> Self {
        let rows = self.table.chunks_exact(self.inputs.len().max(1));
        Self {
            inputs: order.iter().map(|&old| self.inputs[old].clone()).collect(),
            outputs: self.outputs.clone(),
            initial: self.initial,
            table: rows.flat_map(|row| order.iter().map(|&old| row[old])).collect(),
            states: self.states,
            state_names: self.state_names.clone(),
        }
    }

    /// The projection onto one output: the same machine, except that it gives `1` instead of that
    /// output and `0` instead of all others.
    #[must_use]
    pub fn projection(&self, output: Output) -> Self {
        let seen = |known: Transition| {
            let output = Output::new(u32::from(known.output == output));
            Transition { output, ..known }
        };
        let table = self.table.iter().map(|known| known.map(seen));
        let outputs = ["0", "1"].map(str::to_owned).to_vec();
        Self { outputs, table: table.collect(), ..self.clone() }
    }

    /// Checks the invariants of the type, for assertions and tests.
    fn check_invariants(&self) -> bool {
        let transitions = self.states as usize * self.inputs.len();
        self.initial < self.states
            && self.table.len() == transitions
            && self.table.iter().flatten().all(|&Transition { target, output, .. }| {
                target < self.states && (output.index() as usize) < self.outputs.len()
            })
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

    /// `None` for an unknown transition, which does not change the state.
    fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
        let Transition { target, output, .. } = self.transition(*state, input)?;
        *state = target;
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
        for (from, input, transition) in lamp.transitions() {
            let input = turned.find_input(lamp.input_name(input)).expect("it has this input");
            assert_eq!(turned.transition(from, input), Some(transition));
        }
        assert_eq!(turned.with_inputs(lamp.inputs()).as_ref(), Ok(&lamp));
    }
}
