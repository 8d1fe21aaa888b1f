//! Builds a machine from transitions, in any order.

use std::collections::{BTreeMap, HashMap};

use mealybug_core::Output;
use thiserror::Error;

use super::{Machine, Transition, number};

/// Collects transitions. Inputs and outputs are numbered in the order in which they are first
/// named.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    inputs: Names,
    outputs: Names,
    states: u32,
    /// The transitions, by state and input.
    transitions: HashMap<(u32, u32), Transition>,
}

/// Why transitions do not make a deterministic and complete machine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MachineError {
    /// A state has two different transitions for one input.
    #[error("state {state} has two different transitions for the input `{input}`")]
    Nondeterministic {
        /// The state.
        state: u32,
        /// The input.
        input: String,
    },
    /// A state lacks a transition.
    #[error("state {state} has no transition for the input `{input}`")]
    Incomplete {
        /// The state.
        state: u32,
        /// The input.
        input: String,
    },
}

impl Builder {
    /// Adds a confirmed transition. Adding the same transition again changes nothing.
    ///
    /// # Errors
    /// `from` has another transition for `input`. The builder is then unchanged.
    pub fn add(
        &mut self,
        from: u32,
        input: &str,
        to: u32,
        output: &str,
    ) -> Result<(), MachineError> {
        self.add_as(from, input, to, output, false)
    }

    /// Adds an open transition: `to` is a guess.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_open(
        &mut self,
        from: u32,
        input: &str,
        to: u32,
        output: &str,
    ) -> Result<(), MachineError> {
        self.add_as(from, input, to, output, true)
    }

    /// Adds a transition. A transition added both as open and as confirmed is confirmed.
    pub(crate) fn add_as(
        &mut self,
        from: u32,
        input: &str,
        to: u32,
        output: &str,
        is_open: bool,
    ) -> Result<(), MachineError> {
        let known = self.inputs.find(input);
        if let Some(known) = known.and_then(|input| self.transitions.get_mut(&(from, input))) {
            if (known.target, Some(known.output.index())) == (to, self.outputs.find(output)) {
                known.is_open &= is_open;
                return Ok(());
            }
            return Err(MachineError::Nondeterministic { state: from, input: input.to_owned() });
        }
        let output = Output::new(self.outputs.number(output));
        let transition = Transition { target: to, output, is_open };
        self.transitions.insert((from, self.inputs.number(input)), transition);
        self.states = self.states.max(from.max(to).saturating_add(1));
        Ok(())
    }

    /// Builds the complete machine that starts in `initial`. Its states are 0 up to the largest one
    /// named.
    ///
    /// # Errors
    /// A state lacks an input that another state has.
    pub fn build(self, initial: u32) -> Result<Machine, MachineError> {
        let machine = self.build_partial(initial);
        let unknown = machine.table.iter().position(Option::is_none);
        unknown.map_or(Ok(()), |at| {
            let (state, input) = (at / machine.inputs.len(), at % machine.inputs.len());
            let input = machine.inputs[input].clone();
            Err(MachineError::Incomplete { state: number(state), input })
        })?;
        Ok(machine)
    }

    /// Builds the machine that starts in `initial`. If a state lacks an input that another state
    /// has, that transition is unknown.
    pub fn build_partial(self, initial: u32) -> Machine {
        let states = self.states.max(initial.saturating_add(1));
        let (inputs, outputs) = (self.inputs.names, self.outputs.names);
        let places =
            (0..states).flat_map(|state| (0..number(inputs.len())).map(move |i| (state, i)));
        let table = places.map(|place| self.transitions.get(&place).copied()).collect();
        let state_names = BTreeMap::new();
        let machine = Machine { inputs, outputs, initial, table, states, state_names };
        assert!(machine.check_invariants());
        machine
    }
}

/// Names, numbered in the order in which they are first requested.
#[derive(Clone, Debug, Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(known) = self.find(name) {
            return known;
        }
        let new = number(self.names.len());
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), new);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_transition_is_named() {
        let mut builder = Builder::default();
        builder.add(0, "a", 1, "x").expect("the first transition");
        builder.add(1, "a", 0, "x").expect("another state");
        builder.add(0, "b", 0, "y").expect("another input");
        let missing = MachineError::Incomplete { state: 1, input: "b".to_owned() };
        assert_eq!(builder.build(0), Err(missing));
    }

    #[test]
    fn a_state_that_is_only_a_target_or_only_initial_is_incomplete_too() {
        let mut builder = Builder::default();
        builder.add(0, "a", 2, "x").expect("the first transition");
        builder.add(1, "a", 1, "x").expect("another state");
        let missing = MachineError::Incomplete { state: 2, input: "a".to_owned() };
        assert_eq!(builder.clone().build(0), Err(missing));
        builder.add(2, "a", 2, "x").expect("the missing one");
        let missing = MachineError::Incomplete { state: 7, input: "a".to_owned() };
        builder.clone().build(0).expect("complete");
        for state in 3..7 {
            builder.add(state, "a", 0, "x").expect("a new state");
        }
        assert_eq!(builder.build(7), Err(missing));
    }

    #[test]
    fn two_different_transitions_are_refused_and_the_same_twice_is_not() {
        let mut builder = Builder::default();
        builder.add(0, "a", 0, "x").expect("the first transition");
        builder.add(0, "a", 0, "x").expect("the same again");
        let nondeterministic = MachineError::Nondeterministic { state: 0, input: "a".to_owned() };
        assert_eq!(builder.add(0, "a", 9, "x"), Err(nondeterministic.clone()));
        assert_eq!(builder.add(0, "a", 0, "y"), Err(nondeterministic));
        let machine = builder.build(0).expect("complete without the refused ones");
        assert_eq!(machine.states(), 1);
        assert_eq!(machine.outputs(), ["x"]);
    }

    #[test]
    fn what_is_confirmed_once_is_not_open() {
        let mut builder = Builder::default();
        builder.add_open(0, "a", 0, "x").expect("new");
        builder.add_open(0, "a", 0, "x").expect("the same again");
        assert!(builder.add_open(0, "a", 1, "x").is_err(), "another guess");
        assert_eq!(builder.clone().build(0).expect("complete").gaps().open, 1);
        builder.add(0, "a", 0, "x").expect("the same again");
        builder.add_open(0, "a", 0, "x").expect("the same again");
        assert_eq!(builder.build(0).expect("complete").gaps().open, 0);
    }
}
