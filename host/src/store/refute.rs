//! Compares a hypothesis with known answers.

use std::collections::HashMap;

use mealybug_core::{Hypothesis, Input, Knowledge, Mealy, Output};

use super::tree::{AnswerTree, NodeId};

/// A shortest word whose believed answer differs from the hypothesis, and of these the first in the
/// order of inputs. An answer is considered only if it and all answers before it are `counted`.
///
/// # Cost
/// A step of the hypothesis for each answer.
pub fn refutation(
    tree: &AnswerTree,
    hypothesis: Hypothesis<'_>,
    counted: impl Fn(NodeId) -> bool,
) -> Option<Vec<Input>> {
    let names = (0..hypothesis.outputs()).map(Output::new);
    let names: HashMap<_, _> = names.map(|name| (hypothesis.output_name(name), name)).collect();
    let initial: Vec<u32> = hypothesis.components().map(|component| component.initial()).collect();
    let mut open = vec![(NodeId::ROOT, initial, 0)];
    let mut shortest = None;
    let mut shortest_len = usize::MAX;
    while let Some((node, state, len)) = open.pop() {
        if len + 1 >= shortest_len {
            continue;
        }
        let first = open.len();
        for (input, answer) in tree.answers(node).filter(|&(_, answer)| counted(answer)) {
            // An unknown output of a partial hypothesis cannot be wrong.
            if hypothesis.knowledge(&state, input) == Knowledge::Unknown {
                continue;
            }
            let mut next = state.clone();
            let predicted = hypothesis.step(&mut next, input).ok();
            if predicted.is_some() && predicted == names.get(tree.output(answer)).copied() {
                open.push((answer, next, len + 1));
            } else if len + 1 < shortest_len {
                shortest = Some(answer);
                shortest_len = len + 1;
            }
        }
        // The stack returns the last entry first.
        open[first..].reverse();
    }
    shortest.map(|answer| tree.word(answer))
}
