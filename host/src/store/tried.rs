//! How much of a hypothesis the answers have tried.

use std::collections::HashMap;

use mealybug_core::{Hypothesis, Input, Knowledge, Mealy};
use serde::{Deserialize, Serialize};

use super::tree::{AnswerTree, NodeId};

/// Hypotheses with more pairs are not examined. A pair is a transition and one that can follow it.
const MAX_PAIRS: usize = 1 << 27;
/// Hypotheses whose components take more steps to walk through are not examined either.
const MAX_STEPS: usize = 1 << 26;

/// How much of a hypothesis was tried: transitions, and pairs of transitions one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tried {
    /// The number of transitions that some word went through.
    pub transitions: usize,
    /// The number of all transitions: states of the product times inputs, without those that a partial hypothesis
    /// does not know.
    pub of_transitions: usize,
    /// The number of pairs of transitions, one after the other, that some word went through.
    pub pairs: usize,
    /// The number of all such pairs.
    pub of_pairs: usize,
}

/// The product of a hypothesis, and the part of it that answers have tried. Each answer is counted
/// once, in the order of first occurrence.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    inputs: usize,
    /// The next state, by state and input. [`NOWHERE`] if the components contradict each other or
    /// one of them does not know its transition; the product then has no transition.
    next: Vec<u32>,
    transitions: Vec<bool>,
    pairs: Vec<bool>,
    /// For each answer, the state after it and the transition to that state.
    after: Vec<(u32, u32)>,
    tried: Tried,
}

const NOWHERE: u32 = u32::MAX;

impl Trial {
    /// What these answers have tried of the hypothesis; `None` if it is too large.
    pub(super) fn new(hypothesis: Hypothesis<'_>, tree: &AnswerTree) -> Option<Self> {
        let inputs = hypothesis.inputs();
        let count = inputs as usize;
        let max_states = (MAX_PAIRS / count / count)
            .min(MAX_STEPS / count / hypothesis.components().count().max(1));
        let initial: Vec<u32> = hypothesis.components().map(|c| c.initial()).collect();
        let mut states = vec![initial.clone()];
        let mut numbers = HashMap::from([(initial, 0)]);
        let mut next = Vec::new();
        while next.len() < states.len() * count {
            let from = next.len() / count;
            for input in (0..inputs).map(Input::new) {
                let mut state = states[from].clone();
                let is_known = hypothesis.knowledge(&state, input) != Knowledge::Unknown;
                next.push(match hypothesis.step(&mut state, input) {
                    Ok(_) if is_known => {
                        let new = u32::try_from(states.len()).ok()?;
                        *numbers.entry(state).or_insert_with_key(|state| {
                            states.push(state.clone());
                            new
                        })
                    }
                    _ => NOWHERE,
                });
            }
            if states.len() > max_states {
                return None;
            }
        }
        let known = |from: u32| {
            let from = from as usize * count;
            next[from..from + count].iter().filter(|&&state| state != NOWHERE)
        };
        let of_transitions = next.iter().filter(|&&state| state != NOWHERE).count();
        let of_pairs =
            next.iter().filter(|&&state| state != NOWHERE).map(|&state| known(state).count()).sum();
        let mut trial = Self {
            inputs: count,
            transitions: vec![false; next.len()],
            pairs: vec![false; next.len() * count],
            next,
            after: vec![(0, NOWHERE)],
            tried: Tried { of_transitions, of_pairs, ..Tried::default() },
        };
        trial.update(tree);
        Some(trial)
    }

    /// Counts the answers that were added since the last call.
    pub(super) fn update(&mut self, tree: &AnswerTree) {
        for node in tree.nodes_from(self.after.len()) {
            let answer = self.answer(tree, node);
            self.after.push(answer);
        }
    }

    fn answer(&mut self, tree: &AnswerTree, node: NodeId) -> (u32, u32) {
        let (parent, input) = tree.origin(node);
        let (state, before) = self.after[parent.index()];
        if state == NOWHERE {
            return (NOWHERE, NOWHERE);
        }
        let transition = state as usize * self.inputs + input.index() as usize;
        if self.next[transition] == NOWHERE {
            return (NOWHERE, NOWHERE);
        }
        let first = !std::mem::replace(&mut self.transitions[transition], true);
        self.tried.transitions += usize::from(first);
        if before != NOWHERE {
            let pair = before as usize * self.inputs + input.index() as usize;
            let first = !std::mem::replace(&mut self.pairs[pair], true);
            self.tried.pairs += usize::from(first);
        }
        // There are fewer transitions than pairs, whose number is limited.
        let transition = u32::try_from(transition).unwrap_or(NOWHERE);
        (self.next[transition as usize], transition)
    }

    pub(super) fn tried(&self) -> Tried {
        self.tried
    }
}
