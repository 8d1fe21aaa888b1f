//! What is to be asked again: answers on which a learner or a model relies, and places where answers
//! disagree.

use super::tree::{AnswerTree, NodeId};

/// The answers given to the learner that may have to be confirmed.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    /// The number of answers given to the learner that no hypothesis had predicted.
    pub(super) relied: usize,
    /// For each word of the learner, the last of these.
    pub(super) words: Vec<NodeId>,
    /// How many of these words are confirmed, by this lead.
    pub(super) confirmed: usize,
    pub(super) lead: u32,
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

    /// Answers need this lead. If they need more than before, all words are to be confirmed.
    pub(super) fn begin(&mut self, lead: u32) {
        if lead > self.lead {
            self.confirmed = 0;
        }
        self.lead = lead;
    }
}

/// The places where the device deviated from what is believed while one symbol was asked for, with an
/// answer to each, and how often it did.
#[derive(Default)]
pub(super) struct Attempts(Vec<(NodeId, u32)>);

impl Attempts {
    /// Counts an answer that is not believed. Returns how often its place had one.
    pub(super) fn add(&mut self, tree: &AnswerTree, node: NodeId) -> u32 {
        let place = tree.origin(node);
        let known = self.0.iter_mut().find(|(known, _)| tree.origin(*known) == place);
        match known {
            Some((_, times)) => {
                *times += 1;
                *times
            }
            None => {
                self.0.push((node, 1));
                1
            }
        }
    }

    pub(super) fn places(&self) -> impl Iterator<Item = NodeId> {
        self.0.iter().map(|(node, _)| *node)
    }
}
