//! Makes a machine from transitions, in whatever order they come.

use std::collections::HashMap;

use thiserror::Error;

use super::{Machine, number};

/// Collects transitions; inputs and outputs are numbered in the order in which they are first named.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    inputs: Names,
    outputs: Names,
    states: u32,
    /// (from, input) to (to, output).
    transitions: HashMap<(u32, u32), (u32, u32)>,
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
    /// Adds a transition. Saying the same transition again changes nothing.
    ///
    /// # Errors
    /// `from` has another transition for `input`; the builder stays as it was.
    pub fn add(
        &mut self,
        from: u32,
        input: &str,
        to: u32,
        output: &str,
    ) -> Result<(), MachineError> {
        let known = self.inputs.find(input).and_then(|input| self.transitions.get(&(from, input)));
        if let Some(&(known_to, known_output)) = known {
            if (known_to, Some(known_output)) == (to, self.outputs.find(output)) {
                return Ok(());
            }
            return Err(MachineError::Nondeterministic { state: from, input: input.to_owned() });
        }
        let transition = (to, self.outputs.number(output));
        self.transitions.insert((from, self.inputs.number(input)), transition);
        self.states = self.states.max(from.max(to).saturating_add(1));
        Ok(())
    }

    /// The machine that starts in `initial`; its states are 0 up to the largest one named.
    ///
    /// # Errors
    /// A state lacks an input that another state has.
    pub fn build(self, initial: u32) -> Result<Machine, MachineError> {
        let states = self.states.max(initial.saturating_add(1));
        let inputs = self.inputs.names;
        let mut delta = Vec::with_capacity(self.transitions.len());
        let mut lambda = Vec::with_capacity(self.transitions.len());
        for state in 0..states {
            for (index, input) in inputs.iter().enumerate() {
                let Some(&(to, output)) = self.transitions.get(&(state, number(index))) else {
                    return Err(MachineError::Incomplete { state, input: input.clone() });
                };
                delta.push(to);
                lambda.push(output);
            }
        }
        let outputs = self.outputs.names;
        let machine = Machine { inputs, outputs, initial, delta, lambda, states };
        debug_assert!(machine.check_invariants());
        Ok(machine)
    }
}

/// Names, numbered in the order in which they were first asked for.
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
}
