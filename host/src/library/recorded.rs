//! A device whose answers are recorded, and believed.

use std::time::Duration;

use mealybug_core::{Input, Sul};

use crate::store::{AnswerTree, NodeId};

/// Records what a device says that is not expected to be wrong.
///
/// [`Stored`](crate::store::Stored) records as well, and compares each answer of a test with the hypothesis, along the whole
/// word. The demo's lock, unoptimised, takes 2.2 s of processor time with it, and 0.2 s with this.
#[derive(Debug)]
pub(super) struct Recorded<S> {
    sul: S,
    answers: AnswerTree,
    at: NodeId,
}

impl<S> Recorded<S> {
    pub(super) fn new(sul: S) -> Self {
        Self { sul, answers: AnswerTree::default(), at: NodeId::ROOT }
    }

    pub(super) fn into_answers(self) -> AnswerTree {
        self.answers
    }
}

impl<S: Sul> Sul for Recorded<S> {
    type Error = S::Error;

    fn reset(&mut self) -> Result<(), S::Error> {
        self.at = NodeId::ROOT;
        self.sul.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], S::Error> {
        let output = self.sul.step(input)?;
        self.at = self.answers.observe(self.at, input, output, 0).node;
        Ok(output)
    }

    fn announce(&mut self, word: &[Input]) {
        self.sul.announce(word);
    }

    fn announce_open(&mut self, word: &[Input]) {
        self.sul.announce_open(word);
    }

    fn elapsed(&self) -> Option<Duration> {
        self.sul.elapsed()
    }

    fn reset_for(&mut self, word: &[Input]) -> Result<(), S::Error> {
        self.at = NodeId::ROOT;
        self.sul.reset_for(word)
    }
}
