//! The answers to each word, as a check or a run has kept them.

use std::collections::BTreeMap;
use std::time::Duration;

use mealybug_core::Input;

use crate::escape::unescape;
use crate::learned_components::output_name;
use crate::store::AnswerTree;

/// For each word from a reset on, the answers to its last input.
pub(super) type AnswersByWord = BTreeMap<Vec<Input>, Vec<AskedWord>>;

/// The same answer to a word, several times.
#[derive(Clone, Debug)]
pub(super) struct AskedWord {
    pub(super) output: String,
    /// The reply that the output names.
    pub(super) reply: Vec<u8>,
    /// Whether nothing came.
    pub(super) is_silence: bool,
    /// How often the answer came.
    pub(super) count: u32,
    /// The word before the reset, the first time, if it is known.
    pub(super) after: Option<Vec<Input>>,
    /// How many words had been asked before it, the first time.
    pub(super) number: u32,
    /// How long after the reset the answer came.
    pub(super) at: Duration,
}

/// All answers of a run.
pub(super) fn of_tree(tree: &AnswerTree) -> AnswersByWord {
    let mut answers = AnswersByWord::new();
    // A node comes after its parent.
    let mut words = vec![(Vec::new(), Duration::ZERO)];
    for node in tree.nodes() {
        let (parent, input) = tree.origin(node);
        let (word, at) = &words[parent.index()];
        let at = *at + Duration::from_millis(tree.longest_ms(node).into());
        let word: Vec<_> = word.iter().copied().chain([input]).collect();
        let output = output_name(tree.output(node));
        let runs = answers.entry(word.clone()).or_default();
        match runs.iter_mut().find(|run| run.output == output) {
            Some(run) => {
                run.count = run.count.saturating_add(tree.votes(node));
                run.at = run.at.max(at);
            }
            None => {
                let (reply, count) = (bytes(&output), tree.votes(node));
                let is_silence = false;
                let (after, number) = (None, 0);
                runs.push(AskedWord { output, reply, is_silence, count, after, number, at });
            }
        }
        words.push((word, at));
    }
    answers
}

/// Joins the same answer one after the other.
pub(super) fn join(runs: &mut Vec<AskedWord>) {
    runs.dedup_by(|next, run| {
        let is_same = next.output == run.output;
        run.count += if is_same { next.count } else { 0 };
        is_same
    });
}

/// The bytes of the reply with this name.
pub(super) fn bytes(name: &str) -> Vec<u8> {
    unescape(name).unwrap_or_else(|| name.as_bytes().to_vec())
}
