//! What is to be asked again: answers on which a learner or a model relies, and places where answers
//! disagree.

use std::sync::{Arc, Mutex, PoisonError};

use mealybug_core::Input;

use super::tree::{AnswerTree, NodeId};

/// All words are looked at again when the number of answers that are expected to be wrong has
/// grown by this factor.
const MORE: f64 = 1.25;

/// Words whose answers somebody else doubts, such as a board that was still talking when its word
/// was over. Clones share the words.
#[derive(Clone, Debug, Default)]
pub struct DoubtfulWords(Arc<Mutex<Vec<Vec<Input>>>>);

impl DoubtfulWords {
    /// The answers to this word are in doubt.
    pub fn add(&self, word: Vec<Input>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(word);
    }

    /// Takes all words.
    pub(super) fn take(&self) -> Vec<Vec<Input>> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The answers given to the learner that may have to be confirmed.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    /// The number of answers given to the learner that no hypothesis had predicted.
    pub(super) relied: usize,
    /// For each word of the learner, the last of these.
    pub(super) words: Vec<NodeId>,
    /// How many of these words are confirmed, when so many answers were expected to be wrong.
    pub(super) confirmed: usize,
    expected: f64,
    /// The number of access words of the learner.
    pub(super) states: u32,
    /// Words after the newest ones, and how many of them are confirmed.
    pub(super) proofs: Vec<NodeId>,
    pub(super) proved: usize,
    /// Answers to be asked for once more, because few others say the same; the first of them were.
    pub(super) weak: Vec<NodeId>,
    pub(super) asked: usize,
    /// While words are confirmed: how many were, and how many are to be.
    pub(super) progress: Option<(usize, usize)>,
}

impl Doubts {
    /// The learner was given an answer, after another one.
    pub(super) fn rely(&mut self, parent: NodeId, node: NodeId) {
        self.relied += 1;
        let is_open = self.confirmed < self.words.len();
        match self.words.last_mut() {
            Some(last) if *last == parent && is_open => *last = node,
            _ => self.words.push(node),
        }
    }

    /// This share of the answers is wrong. If clearly more than before are expected to be, all words
    /// are to be confirmed.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(super) fn begin(&mut self, rate: f64) {
        let expected = self.relied as f64 * rate;
        if expected > self.expected * MORE {
            self.confirmed = 0;
            self.expected = expected;
        }
        self.expected = self.expected.min(expected);
    }
}

/// The places where the device deviated from what is believed while one symbol was asked for, with an
/// answer to each, and how often it did.
#[derive(Default)]
pub(super) struct Attempts {
    places: Vec<(NodeId, u32)>,
    /// How often the device deviated in the last of these places since it did so elsewhere.
    in_a_row: u32,
    last: Option<usize>,
}

impl Attempts {
    /// Counts an answer that is not believed; `is_first` if the word had no other before. Returns how
    /// often its place had one.
    pub(super) fn add(&mut self, tree: &AnswerTree, node: NodeId, is_first: bool) -> u32 {
        let place = tree.origin(node);
        let known = self.places.iter().position(|(known, _)| tree.origin(*known) == place);
        let at = known.unwrap_or_else(|| {
            self.places.push((node, 0));
            self.places.len() - 1
        });
        if is_first {
            self.in_a_row = if self.last == Some(at) { self.in_a_row + 1 } else { 1 };
            self.last = Some(at);
        }
        self.places[at].1 += 1;
        self.places[at].1
    }

    /// How often the last deviations in a row were in the same place.
    pub(super) fn in_a_row(&self) -> u32 {
        self.in_a_row
    }

    pub(super) fn places(&self) -> impl Iterator<Item = NodeId> {
        self.places.iter().map(|(node, _)| *node)
    }
}
