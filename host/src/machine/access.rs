//! A shortest word to each reachable state.
//!
//! Only the last step to each state is kept. The words of a deep machine would take memory that is quadratic in its
//! states: those of a chain of 60 000 states take 7 GB.

use std::collections::VecDeque;

use mealybug_core::{Input, Mealy};

use super::{Machine, Transition};

/// The reachable states of a machine, breadth first, each with a shortest word to it. States that only guesses reach
/// come last: open transitions are taken only to them.
#[derive(Clone, Debug)]
pub struct AccessWords {
    states: Vec<u32>,
    /// The last step to each state: from which state, by which input.
    steps: Vec<Option<(u32, Input)>>,
}

impl Machine {
    /// Each reachable state with a shortest word to it.
    pub fn access_words(&self) -> AccessWords {
        AccessWords::new(self)
    }
}

impl AccessWords {
    fn new(machine: &Machine) -> Self {
        let count = machine.states() as usize;
        let (mut states, mut steps) = (Vec::new(), vec![None; count]);
        let mut seen = vec![false; count];
        let mut waiting = VecDeque::from([(machine.initial(), None)]);
        // States that only a guess reaches so far.
        let mut guessed = VecDeque::new();
        while let Some((state, step)) = waiting.pop_front().or_else(|| guessed.pop_front()) {
            if std::mem::replace(&mut seen[state as usize], true) {
                continue;
            }
            for input in (0..Mealy::inputs(machine)).map(Input::new) {
                let Some(Transition { target, is_open, .. }) = machine.transition(state, input)
                else {
                    continue;
                };
                if !seen[target as usize] {
                    let queue = if is_open { &mut guessed } else { &mut waiting };
                    queue.push_back((target, Some((state, input))));
                }
            }
            steps[state as usize] = step;
            states.push(state);
        }
        Self { states, steps }
    }

    /// The states.
    pub fn states(&self) -> &[u32] {
        &self.states
    }

    /// The word to a state that is reachable.
    pub fn word(&self, mut state: u32) -> Vec<Input> {
        let mut word = Vec::new();
        while let Some((from, input)) = self.steps[state as usize] {
            word.push(input);
            state = from;
        }
        word.reverse();
        word
    }

    /// The states with their words, which are made one after the other.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Vec<Input>)> {
        self.states.iter().map(|&state| (state, self.word(state)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Builder;
    use super::*;

    /// A state that a guess reaches by a shorter word still gets the word that is known to lead
    /// there.
    #[test]
    fn access_words_trust_a_guess_last() {
        let mut builder = Builder::default();
        builder.add(0, "a", 1, "x").expect("new");
        builder.add_open(0, "b", 2, "x").expect("new");
        builder.add_open(0, "c", 3, "x").expect("new");
        builder.add(1, "a", 2, "x").expect("new");
        builder.add(3, "a", 4, "x").expect("new");
        let machine = builder.build_partial(0);
        let words: Vec<_> = machine.access_words().iter().collect();
        let word = |inputs: &[u32]| inputs.iter().copied().map(Input::new).collect::<Vec<_>>();
        let expected: [(u32, &[u32]); 5] =
            [(0, &[]), (1, &[0]), (2, &[0, 0]), (3, &[2]), (4, &[2, 0])];
        assert_eq!(words, expected.map(|(state, inputs)| (state, word(inputs))));
    }

    /// All words of this chain together would take 80 GB.
    #[test]
    fn a_deep_machine_has_room() {
        const STATES: u32 = 200_000;
        let mut builder = Builder::default();
        for state in 0..STATES {
            builder.add(state, "go", (state + 1).min(STATES - 1), "x").expect("new");
        }
        let machine = builder.build(0).expect("complete");
        assert_eq!(machine.require_complete(), Ok(()));
        let words = machine.access_words();
        assert_eq!(words.states().len(), STATES as usize);
        assert_eq!(words.word(STATES - 1).len(), STATES as usize - 1);
    }
}
