//! Which transitions of a hypothesis rest on few answers.

use std::collections::HashMap;

use mealybug_core::{Hypothesis, Input, Knowledge, Mealy, Output};

use super::tree::{AnswerTree, NodeId};

/// What the answers say of each transition of each component.
#[derive(Debug, Default)]
pub(super) struct Support {
    /// By component, state and input: the votes for the transition, less those against it, and the
    /// first answer that went through it.
    transitions: HashMap<(u32, u32, Input), (u32, NodeId)>,
}

impl Support {
    /// The support of all transitions that the known words went through.
    ///
    /// # Cost
    /// A step of each component for each answer.
    pub(super) fn new(tree: &AnswerTree, hypothesis: Hypothesis<'_>) -> Self {
        let names = (0..hypothesis.outputs()).map(Output::new);
        let names: HashMap<_, _> = names.map(|name| (hypothesis.output_name(name), name)).collect();
        let initial: Vec<u32> = hypothesis.components().map(|c| c.initial()).collect();
        let mut support = Self::default();
        let mut open = vec![(NodeId::ROOT, initial)];
        while let Some((node, state)) = open.pop() {
            for (input, answer) in tree.answers(node) {
                let mut next = state.clone();
                let predicted = hypothesis.step(&mut next, input).ok();
                let is_known = hypothesis.knowledge(&state, input) != Knowledge::Unknown;
                if !is_known || predicted != names.get(tree.output(answer)).copied() {
                    continue;
                }
                for (component, &state) in (0..).zip(&state) {
                    let entry = support.transitions.entry((component, state, input));
                    let (votes, _) = entry.or_insert((0, answer));
                    *votes = votes.saturating_add(tree.lead(answer));
                }
                open.push((answer, next));
            }
        }
        support
    }

    /// The number of transitions that words went through.
    pub(super) fn transitions(&self) -> usize {
        self.transitions.len()
    }

    /// An answer for each transition that has fewer than `votes` votes, in the order in which they
    /// first occurred.
    pub(super) fn below(&self, votes: u32) -> Vec<NodeId> {
        let weak = self.transitions.values().filter(|(support, _)| *support < votes);
        let mut weak: Vec<_> = weak.map(|&(_, node)| node).collect();
        weak.sort_unstable();
        weak.dedup();
        weak
    }
}
