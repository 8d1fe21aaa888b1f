//! All answers of a device, as a tree.
//!
//! A node is an answer: after the answers on the path to it, this input had this output, with a
//! count. If one input had several outputs in one place, each output is a node with its own
//! subtree, and nothing is ever deleted. The most frequent output is *believed*; in a tie, the
//! first one. A branch that loses the majority takes its whole subtree with it. That is right:
//! those answers came from a device in another state.
//!
//! Representation: nodes in the order in which they first occurred; node 0 is the reset. The
//! answers to one input after one node form a ring. The believed one is in `believed`, indexed by
//! node and input.

use std::collections::{BTreeMap, HashMap};

use mealybug_core::Input;

/// An answer in its place in the tree. [`NodeId::ROOT`] is the reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The device after a reset.
    pub const ROOT: Self = Self(0);

    /// Its number. Answers are numbered from 1 in the order in which they first occurred.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A prefix tree of answers.
///
/// A node is an answer: after the answers on the path to it, this input had this output, with a
/// count. Of several answers in one place, the most frequent one is believed, with its subtree.
#[derive(Clone, Debug)]
pub struct AnswerTree {
    nodes: Vec<AnswerNode>,
    believed: BTreeMap<(NodeId, Input), NodeId>,
    /// The answers after which the connection has ended.
    ends: HashMap<NodeId, EndOfAnswers>,
    outputs: Vec<Vec<u8>>,
    ids: HashMap<Vec<u8>, u32>,
    counts: Vec<OutputCounts>,
    kinds: OutputKinds,
    /// The number of answers.
    heard: u64,
    /// The number of answers that are not believed.
    strays: u64,
}

#[derive(Clone, Copy, Debug)]
struct AnswerNode {
    parent: NodeId,
    input: Input,
    output: u32,
    votes: u32,
    /// The next answer to the same input, in a ring.
    other: NodeId,
    longest_ms: u32,
    /// See [`AnswerTree::has_come_back`].
    has_come_back: bool,
}

/// The end of a connection.
#[derive(Clone, Copy, Debug)]
struct EndOfAnswers {
    /// The output of each further input that opens no new connection.
    output: u32,
    /// The device has shown it here. Otherwise it follows from an end before.
    was_seen: bool,
}

/// How often an output came, wherever in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OutputCounts {
    /// The number of answers with this output.
    pub(super) heard: u64,
    /// The number of those that are not believed.
    pub(super) strays: u64,
    /// Whether it came twice in one place.
    pub(super) is_repeated: bool,
}

impl OutputCounts {
    /// Whether it came at most once in each place, and is not believed in one of them.
    fn is_doubtful(self) -> bool {
        !self.is_repeated && self.strays > 0
    }
}

/// How many outputs there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OutputKinds {
    /// Outputs that came twice in one place.
    pub(super) repeated: u32,
    /// Others that are not believed in one of their places.
    pub(super) doubtful: u32,
}

/// The effect of an answer on the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The answer.
    pub node: NodeId,
    /// The previously believed answer, if another one has replaced it.
    pub overturned: Option<NodeId>,
}

impl Default for AnswerTree {
    fn default() -> Self {
        let root = AnswerNode {
            parent: NodeId::ROOT,
            input: Input::new(0),
            output: 0,
            votes: 0,
            other: NodeId::ROOT,
            longest_ms: 0,
            has_come_back: false,
        };
        Self {
            nodes: vec![root],
            believed: BTreeMap::new(),
            ends: HashMap::new(),
            outputs: Vec::new(),
            ids: HashMap::new(),
            counts: Vec::new(),
            kinds: OutputKinds::default(),
            heard: 0,
            strays: 0,
        }
    }
}

impl AnswerTree {
    /// Adds an answer to `input` after `parent`.
    ///
    /// # Panics
    /// If there are 2^32 answers.
    pub fn observe(&mut self, parent: NodeId, input: Input, output: &[u8], ms: u32) -> Observed {
        let output = self.intern(output);
        self.heard += 1;
        self.count(output, |counts| counts.heard += 1);
        let Some(&leader) = self.believed.get(&(parent, input)) else {
            let node = self.add(parent, input, output, ms);
            self.believed.insert((parent, input), node);
            return Observed { node, overturned: None };
        };
        let known = self.ring(leader).find(|&node| self.nodes[node.index()].output == output);
        let node = match known {
            Some(node) => {
                let is_latest = self.ring(node).all(|other| other <= node);
                let known = &mut self.nodes[node.index()];
                known.votes = known.votes.saturating_add(1);
                known.longest_ms = known.longest_ms.max(ms);
                known.has_come_back |= !is_latest;
                self.count(output, |counts| counts.is_repeated = true);
                node
            }
            None => {
                let node = self.add(parent, input, output, ms);
                self.nodes[node.index()].other = self.nodes[leader.index()].other;
                self.nodes[leader.index()].other = node;
                node
            }
        };
        let overturns = self.votes(node) > self.votes(leader);
        if overturns {
            self.believed.insert((parent, input), node);
            // The other answer has as many votes as this one had before, and these were strays.
            let before = u64::from(self.votes(leader));
            let other = self.nodes[leader.index()].output;
            self.count(other, |counts| counts.strays += before);
            self.count(output, |counts| counts.strays = counts.strays.saturating_sub(before));
        } else if node != leader {
            self.strays += 1;
            self.count(output, |counts| counts.strays += 1);
        }
        Observed { node, overturned: overturns.then_some(leader) }
    }

    /// The connection has ended after this answer: each input that opens no new one has this output.
    pub(super) fn end(&mut self, node: NodeId, output: u32) {
        self.ends.insert(node, EndOfAnswers { output, was_seen: true });
    }

    /// Whether the device has shown that the connection has ended after this answer.
    pub(super) fn has_end(&self, node: NodeId) -> bool {
        self.ends.get(&node).is_some_and(|end| end.was_seen)
    }

    /// Whether the device said this answer. Otherwise it follows from the end of the connection.
    pub fn was_said(&self, node: NodeId) -> bool {
        self.ends.get(&node).is_none_or(|end| end.was_seen)
    }

    /// Adds the answer to an input that opens no new connection, if the connection has ended before. No device is asked.
    pub(super) fn conclude(&mut self, parent: NodeId, input: Input) {
        let Some(&EndOfAnswers { output, .. }) = self.ends.get(&parent) else { return };
        let node = self.add(parent, input, output, 0);
        self.believed.insert((parent, input), node);
        self.ends.insert(node, EndOfAnswers { output, was_seen: false });
    }

    /// The believed answer to `input` after `parent`.
    pub fn answer(&self, parent: NodeId, input: Input) -> Option<NodeId> {
        self.believed.get(&(parent, input)).copied()
    }

    /// The last answer that is known of those to a word; `None` if there is none.
    pub(super) fn known(&self, word: &[Input]) -> Option<NodeId> {
        let mut at = NodeId::ROOT;
        for &input in word {
            let Some(next) = self.answer(at, input) else { break };
            at = next;
        }
        (at != NodeId::ROOT).then_some(at)
    }

    /// Whether the answer is the believed one in its place.
    pub fn is_believed(&self, node: NodeId) -> bool {
        let AnswerNode { parent, input, .. } = self.nodes[node.index()];
        node == NodeId::ROOT || self.answer(parent, input) == Some(node)
    }

    /// The answer after which a word goes on if it had this one. Where another is ahead of it, this one
    /// was noise.
    pub fn next_of(&self, node: NodeId) -> NodeId {
        let AnswerNode { parent, input, .. } = self.nodes[node.index()];
        let leader = self.answer(parent, input).unwrap_or(node);
        if self.lead(leader) > 0 { leader } else { node }
    }

    /// The believed answers after `parent`, in the order of their inputs.
    pub fn answers(&self, parent: NodeId) -> impl Iterator<Item = (Input, NodeId)> + '_ {
        let all = (parent, Input::new(0))..=(parent, Input::new(u32::MAX));
        self.believed.range(all).map(|(&(_, input), &node)| (input, node))
    }

    /// The votes of an answer minus the votes of its strongest rival in the same place.
    pub fn lead(&self, node: NodeId) -> u32 {
        let others = self.ring(node).skip(1).map(|other| self.votes(other)).max();
        self.votes(node).saturating_sub(others.unwrap_or(0))
    }

    /// Whether this answer or one before it has a smaller lead than it needs.
    pub(super) fn is_weak(&self, node: NodeId, need: impl Fn(NodeId) -> u32) -> bool {
        self.path(node).iter().any(|&node| self.lead(node) < need(node))
    }

    /// How often the output of this answer came.
    pub(super) fn counts(&self, node: NodeId) -> OutputCounts {
        self.counts[self.nodes[node.index()].output as usize]
    }

    /// How many outputs there are of each kind.
    pub(super) fn kinds(&self) -> OutputKinds {
        self.kinds
    }

    /// The answers with the most votes in the place of this one.
    pub fn leaders(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let most = self.ring(node).map(|node| self.votes(node)).max();
        self.ring(node).filter(move |&node| Some(self.votes(node)) == most)
    }

    /// All outputs in the place of this answer with their counts, this answer first.
    pub fn alternatives(&self, node: NodeId) -> impl Iterator<Item = (&[u8], u32)> {
        self.ring(node).map(|node| (self.output(node), self.votes(node)))
    }

    /// The number of answers, each time counted.
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// The number of answers that are not believed, that is, how often the device contradicted
    /// itself.
    pub fn strays(&self) -> u64 {
        self.strays
    }

    /// All answers in the order in which they first occurred, believed or not.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        self.nodes_from(1)
    }

    /// Those of them whose number is at least `first`.
    pub(super) fn nodes_from(&self, first: usize) -> impl Iterator<Item = NodeId> + use<> {
        let number = |index| u32::try_from(index).unwrap_or(u32::MAX);
        (number(first)..number(self.nodes.len())).map(NodeId)
    }

    /// The bytes of an answer.
    pub fn output(&self, node: NodeId) -> &[u8] {
        &self.outputs[self.nodes[node.index()].output as usize]
    }

    /// How often an answer occurred.
    pub fn votes(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].votes
    }

    /// The longest time that this answer took.
    pub fn longest_ms(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].longest_ms
    }

    /// Whether this answer came again after a newer answer to the same word.
    pub(super) fn has_come_back(&self, node: NodeId) -> bool {
        self.nodes[node.index()].has_come_back
    }

    /// The place of an answer: the answer before it, and its input.
    pub fn origin(&self, node: NodeId) -> (NodeId, Input) {
        let AnswerNode { parent, input, .. } = self.nodes[node.index()];
        (parent, input)
    }

    /// All answers from the first after the reset to this one.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path: Vec<_> =
            std::iter::successors(Some(node), |&node| Some(self.nodes[node.index()].parent))
                .take_while(|&node| node != NodeId::ROOT)
                .collect();
        path.reverse();
        path
    }

    /// The word that this answer ends.
    pub fn word(&self, node: NodeId) -> Vec<Input> {
        self.path(node).iter().map(|node| self.nodes[node.index()].input).collect()
    }

    /// The number of an output, in the order of first occurrence. Adds the output if it is new.
    pub(super) fn intern(&mut self, output: &[u8]) -> u32 {
        if let Some(&known) = self.ids.get(output) {
            return known;
        }
        let new = u32::try_from(self.outputs.len()).expect("memory ends before 2^32 outputs");
        self.outputs.push(output.to_vec());
        self.counts.push(OutputCounts::default());
        self.ids.insert(output.to_vec(), new);
        new
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The output with this number.
    pub(super) fn named(&self, output: u32) -> Option<&[u8]> {
        self.outputs.get(output as usize).map(Vec::as_slice)
    }

    fn count(&mut self, output: u32, change: impl FnOnce(&mut OutputCounts)) {
        let counts = &mut self.counts[output as usize];
        let before = *counts;
        change(counts);
        let after = *counts;
        let is = |is: fn(OutputCounts) -> bool| (u32::from(is(after)), u32::from(is(before)));
        let ((repeated, was_repeated), (doubtful, was_doubtful)) =
            (is(|counts| counts.is_repeated), is(OutputCounts::is_doubtful));
        self.kinds.repeated = self.kinds.repeated + repeated - was_repeated;
        self.kinds.doubtful = self.kinds.doubtful + doubtful - was_doubtful;
    }

    fn add(&mut self, parent: NodeId, input: Input, output: u32, longest_ms: u32) -> NodeId {
        let node = NodeId(u32::try_from(self.nodes.len()).expect("memory ends before 2^32 nodes"));
        self.nodes.push(AnswerNode {
            parent,
            input,
            output,
            votes: 1,
            other: node,
            longest_ms,
            has_come_back: false,
        });
        node
    }

    /// The answers in the place of this one, this one first.
    pub(super) fn ring(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let next =
            move |&at: &NodeId| Some(self.nodes[at.index()].other).filter(|&other| other != node);
        std::iter::successors(Some(node), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Input = Input::new(0);
    const B: Input = Input::new(1);

    #[test]
    fn the_answer_that_came_most_often_is_believed_with_what_hangs_on_it() {
        let mut tree = AnswerTree::default();
        let wrong = tree.observe(NodeId::ROOT, A, b"x", 3).node;
        let below = tree.observe(wrong, B, b"y", 0).node;
        assert_eq!(tree.lead(wrong), 1);
        let right = tree.observe(NodeId::ROOT, A, b"z", 0);
        assert_eq!(right.overturned, None, "as often, and later");
        assert_eq!(tree.answer(NodeId::ROOT, A), Some(wrong));
        assert_eq!((tree.lead(wrong), tree.strays()), (0, 1));
        assert_eq!(tree.observe(NodeId::ROOT, A, b"z", 0).overturned, Some(wrong));
        let right = right.node;
        assert_eq!(tree.answer(NodeId::ROOT, A), Some(right));
        assert_eq!((tree.lead(right), tree.lead(wrong), tree.strays()), (1, 0, 1));
        assert_eq!(tree.answer(right, B), None, "what hung on the other answer");
        assert!(tree.is_believed(below) && !tree.is_believed(wrong));
        assert!(tree.alternatives(right).eq([(&b"z"[..], 2), (b"x", 1)]));
        assert_eq!(tree.word(below), [A, B]);
        assert_eq!(tree.longest_ms(wrong), 3);
    }
}
