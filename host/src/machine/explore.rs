//! Tabulates any machine by walking it breadth first.

use std::collections::{BTreeMap, HashMap, hash_map::Entry};
use std::hash::Hash;

use mealybug_core::{Input, Mealy, Output};
use thiserror::Error;

use super::{Machine, Transition, number};

/// Why a machine could not be tabulated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExploreError {
    /// A transition has no output.
    #[error("there is no output at the end of a word of {} inputs", .word.len())]
    Defect {
        /// A shortest word whose last transition has no output.
        word: Vec<Input>,
    },
    /// The machine has more states than allowed.
    #[error("there are more than {max_states} states")]
    TooManyStates {
        /// The number of states allowed.
        max_states: u32,
    },
}

impl Machine {
    /// Tabulates the reachable part of `model`. States are numbered breadth first, with inputs in
    /// order.
    ///
    /// `outputs` names each output that `model` can give.
    ///
    /// # Errors
    /// `model` has a transition without an output, or more than `max_states` reachable states. The
    /// error is the first that the breadth-first walk meets.
    ///
    /// # Panics
    /// If an input or an output has no name.
    pub fn explore<M>(
        model: &M,
        inputs: &[String],
        outputs: &[String],
        max_states: u32,
    ) -> Result<Self, ExploreError>
    where
        M: Mealy,
        M::State: Eq + Hash,
    {
        assert_eq!(model.inputs() as usize, inputs.len(), "each input has a name");
        let step = |state: &mut M::State, input| {
            let output = model.step(state, input);
            output.map_or(WalkStep::Defect, |output| WalkStep::Known { output, is_open: false })
        };
        Self::explore_by(model.initial(), step, inputs, outputs, max_states)
    }

    /// As [`explore`](Self::explore), starting in the given state, with a function that makes a
    /// step.
    pub(super) fn explore_by<S: Clone + Eq + Hash>(
        initial: S,
        step: impl Fn(&mut S, Input) -> WalkStep,
        inputs: &[String],
        outputs: &[String],
        max_states: u32,
    ) -> Result<Self, ExploreError> {
        let mut numbers = HashMap::from([(initial.clone(), 0)]);
        let mut found = vec![ReachedState { state: initial.clone(), from: 0, by: Input::new(0) }];
        let mut table = Vec::new();
        let mut next = initial;
        for from in 0.. {
            let Some(ReachedState { state, .. }) = found.get(from as usize) else {
                break;
            };
            let state = state.clone();
            for input in (0..number(inputs.len())).map(Input::new) {
                next.clone_from(&state);
                let (output, is_open) = match step(&mut next, input) {
                    WalkStep::Known { output, is_open } => (output, is_open),
                    WalkStep::Unknown => {
                        table.push(None);
                        continue;
                    }
                    WalkStep::Defect => {
                        return Err(ExploreError::Defect { word: access(&found, from, input) });
                    }
                };
                assert!((output.index() as usize) < outputs.len(), "each output has a name");
                let target = match numbers.entry(next.clone()) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(_) if number(found.len()) >= max_states => {
                        return Err(ExploreError::TooManyStates { max_states });
                    }
                    Entry::Vacant(new) => {
                        let state = new.key().clone();
                        found.push(ReachedState { state, from, by: input });
                        *new.insert(number(found.len() - 1))
                    }
                };
                table.push(Some(Transition { target, output, is_open }));
            }
        }
        let machine = Self {
            inputs: inputs.to_vec(),
            outputs: outputs.to_vec(),
            initial: 0,
            table,
            states: number(found.len()),
            state_names: BTreeMap::new(),
        };
        assert!(machine.check_invariants());
        Ok(machine)
    }
}

/// A step of a machine that is being tabulated.
pub(super) enum WalkStep {
    Known { output: Output, is_open: bool },
    Unknown,
    Defect,
}

/// A state, and how the walk first reached it.
struct ReachedState<S> {
    state: S,
    from: u32,
    by: Input,
}

/// The word that leads to state number `state`, followed by `last`.
fn access<S>(found: &[ReachedState<S>], mut state: u32, last: Input) -> Vec<Input> {
    let mut word = vec![last];
    while state != 0 {
        let ReachedState { from, by, .. } = found[state as usize];
        word.push(by);
        state = from;
    }
    word.reverse();
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts with `up` and `down`. Has no output when the count would leave the range from 0 to
    /// `top`.
    struct BoundedCounter {
        top: u32,
        wraps: bool,
    }

    impl Mealy for BoundedCounter {
        type State = u32;

        fn inputs(&self) -> u32 {
            2
        }

        fn initial(&self) -> u32 {
            1
        }

        fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
            let up = input.index() == 0;
            match (up, *state) {
                (true, at) if at == self.top && !self.wraps => return None,
                (true, at) if at == self.top => *state = 0,
                (false, 0) => *state = self.top,
                (true, _) => *state += 1,
                (false, _) => *state -= 1,
            }
            Some(Output::new(u32::from(*state == 0)))
        }
    }

    fn explore(counter: &BoundedCounter, max_states: u32) -> Result<Machine, ExploreError> {
        let names = |names: [&str; 2]| names.map(str::to_owned);
        Machine::explore(counter, &names(["up", "down"]), &names(["", "zero"]), max_states)
    }

    #[test]
    fn the_bound_is_exact() {
        let counter = BoundedCounter { top: 4, wraps: true };
        assert_eq!(explore(&counter, 5).expect("five states").states(), 5);
        assert_eq!(explore(&counter, 4), Err(ExploreError::TooManyStates { max_states: 4 }));
    }

    #[test]
    fn a_defect_is_said_with_a_shortest_word() {
        let counter = BoundedCounter { top: 4, wraps: false };
        // Three times down wraps around to the top; three times up also arrives there.
        let word = [1, 1, 0].map(Input::new).to_vec();
        assert_eq!(explore(&counter, 5), Err(ExploreError::Defect { word }));
    }
}
