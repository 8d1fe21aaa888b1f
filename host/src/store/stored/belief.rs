//! Which answer of a place is believed, and how many votes that takes.

use mealybug_core::{Input, Sul};

use super::{Context, Stored};
use crate::store::Unsettled;
use crate::store::tree::NodeId;

impl<S: Sul> Stored<S> {
    /// The answer to the last input of the word, if it has enough votes. Among answers with the same
    /// number of votes, the one that the learner was given before stays, else a prediction decides.
    pub(super) fn believed(&self, input: Input, context: &Context<'_>) -> Option<NodeId> {
        let tree = &self.store.tree;
        let leader = tree.answer(self.node, input)?;
        let is_predicted = |node: &NodeId| context.predicts(&self.word, tree.output(*node));
        if let Some(given) = tree.leaders(leader).find(|&node| self.is_given(node)) {
            return (tree.lead(given) > 0 || is_predicted(&given)).then_some(given);
        }
        let predicted = tree.leaders(leader).find(is_predicted);
        predicted.or_else(|| (tree.lead(leader) >= self.bar(leader, context)).then_some(leader))
    }

    /// The lead that the answers in the place of this one need, unless they were predicted.
    fn bar(&self, node: NodeId, context: &Context<'_>) -> u32 {
        let tree = &self.store.tree;
        if context.is_anew {
            return self.noise.difference(tree, node);
        }
        let is_contested = tree.alternatives(node).nth(1).is_some();
        if context.is_test || is_contested { self.surprise(node) } else { 1 }
    }

    /// The lead that an answer needs on which the learner relies.
    pub(super) fn need(&self, node: NodeId) -> u32 {
        self.noise.need(&self.store.tree, node, self.doubts.relied)
    }

    /// The lead that an answer needs that is a surprise.
    pub(super) fn surprise(&self, node: NodeId) -> u32 {
        self.noise.surprise().max(self.need(node))
    }

    /// Whether the believed answer in this node's place has enough votes.
    pub(super) fn is_settled(&self, node: NodeId, context: &Context<'_>) -> bool {
        let tree = &self.store.tree;
        let (parent, input) = tree.origin(node);
        let bar = if context.is_test { 1 } else { self.bar(node, context) };
        tree.answer(parent, input).is_some_and(|leader| tree.lead(leader) >= bar)
    }

    /// Whether to give up on the place of this answer, which was contradicted so often for one
    /// symbol. Where nearly all answers agree, the others are noise, however many they are.
    pub(super) fn is_unsettled(&self, node: NodeId, times: u32, in_a_row: u32) -> bool {
        let tree = &self.store.tree;
        let leader = tree.leaders(node).next().unwrap_or(node);
        let is_doubtful = tree.lead(leader) < self.surprise(leader);
        (times > self.retries && is_doubtful) || self.noise.is_hopeless(tree, node, in_a_row)
    }

    pub(super) fn unsettled(&self, node: NodeId) -> Unsettled {
        let tree = &self.store.tree;
        let (parent, input) = tree.origin(node);
        let leader = tree.answer(parent, input).unwrap_or(node);
        let answers = tree.alternatives(leader);
        let answers = answers.map(|(output, votes)| (output.to_vec(), votes)).collect();
        Unsettled { word: tree.word(node), answers }
    }
}
