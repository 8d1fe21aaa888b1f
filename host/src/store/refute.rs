//! Known answers against a hypothesis.

use std::collections::HashMap;

use mealybug_core::{Hypothesis, Input, Knowledge, Mealy, Output};

use super::tree::{NodeId, Tree};

/// A shortest word to which the believed answer is not that of `hypothesis`; the first of those in the
/// order of inputs. Only answers that are `counted` matter, and only when all before them are, too.
///
/// # Cost
/// A step of the hypothesis for each answer.
pub fn refutation(
    tree: &Tree,
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
            // What the hypothesis does not say cannot be wrong.
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
        // The last is taken first.
        open[first..].reverse();
    }
    shortest.map(|answer| tree.word(answer))
}
