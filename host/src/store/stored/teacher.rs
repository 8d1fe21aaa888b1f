//! The stored device answers a learner.

use std::cell::RefCell;
use std::error::Error;

use mealybug_core::{Input, Purpose, Sul};

use super::{Context, IsOver, Stored};
use crate::learn::{HostSession, Scope, Tally, Teacher, announce};
use crate::store::foreseen::Foreseen;
use crate::store::prices::{Prices, Times};
use crate::store::tree::{AnswerTree, NodeId};
use crate::store::tried::Trial;
use crate::store::{NoAnswer, StoreError, refutation};

impl<S: Sul<Error: Error + 'static>> Teacher for Stored<S> {
    type Error = S::Error;

    fn begin(&mut self) {
        self.begin();
    }

    /// Answers that are known, or that a board gave ahead, need not be asked ahead; answers that need
    /// confirmation are asked when they are needed.
    fn announce(&mut self, session: &HostSession, lane: u32) {
        let word: Vec<_> = session.word(lane).collect();
        if !self.is_known(session, &word) && !self.store.ahead.knows(&word) {
            announce(&mut self.sul, session, &word);
        }
    }

    fn reset(&mut self, _: &HostSession, _: u32) -> Result<(), NoAnswer<S::Error>> {
        self.start();
        Ok(())
    }

    fn step(
        &mut self,
        session: &HostSession,
        lane: u32,
        input: Input,
        is_over: IsOver<'_>,
    ) -> Result<&[u8], NoAnswer<S::Error>> {
        let foreseen = RefCell::new(std::mem::take(&mut self.foreseen));
        let is_predicted = |word: &[Input], output: &[u8]| {
            let predicts = |hypothesis| foreseen.borrow_mut().predicts(hypothesis, word, output);
            session.hypothesis().is_some_and(predicts)
        };
        let is_test = session.purpose() == Purpose::Testing;
        let ahead: Vec<_> = session.ahead(lane).collect();
        let is_last = ahead.is_empty();
        let context = Context { ahead, is_test, is_anew: false, is_predicted: &is_predicted };
        if self.word.is_empty() {
            self.find_states(session);
        }
        self.answer(input, &context, is_over)?;
        if let Some(trial) = &mut self.trial {
            trial.update(&self.store.tree);
        }
        // A test ends at its first wrong output.
        let output = self.store.tree.output(self.node);
        let is_wrong = || is_test && !context.predicts(&self.word, output);
        if is_last || is_wrong() {
            self.store.sync().map_err(NoAnswer::Store)?;
        }
        self.foreseen = foreseen.into_inner();
        Ok(self.store.tree.output(self.node))
    }

    /// With several words in flight, only the device can measure the time of an answer.
    fn prices(&mut self, session: &HostSession) -> Result<Option<Prices>, StoreError> {
        let is_measured = session.options().lanes == 1 || self.sul.elapsed().is_some();
        let Some(hypothesis) = session.hypothesis().filter(|_| is_measured) else {
            return Ok(None);
        };
        let (inputs, resets) = (hypothesis.inputs() as usize, self.resets);
        let measured =
            |tree: &_, before: Option<&_>| Times::of(tree, resets, inputs).prices(before);
        self.store.decide_prices(session.progress().rounds, measured)
    }

    fn symbols_per_fault(&mut self, session: &HostSession) -> Result<Option<u32>, StoreError> {
        let (noise, lost) = (self.noise, (self.lost, self.costs().symbols));
        let measured = |tree: &_, before| noise.symbols_per_fault(tree, lost, before);
        self.store.decide_faults(session.progress().rounds, measured)
    }

    fn refute(&mut self, session: &HostSession, scope: Scope) -> Option<Vec<Input>> {
        let hypothesis = session.hypothesis()?;
        let tree: &AnswerTree = &self.store.tree;
        match scope {
            Scope::Session => {
                self.trial = Trial::new(hypothesis, tree);
                refutation(tree, hypothesis, |node| self.is_given(node))
            }
            Scope::All => {
                let refuted = refutation(tree, hypothesis, |node| tree.lead(node) > 0);
                refuted.or_else(|| self.find_weak(hypothesis))
            }
        }
    }

    fn answers(&self) -> Option<&AnswerTree> {
        Some(self.store.tree())
    }

    fn tally(&self) -> Tally {
        Tally {
            device: self.costs(),
            recalled: self.recalled,
            strays: self.store.tree.strays(),
            garbled: self.garbled,
            confirming: self.doubts.progress,
            is_replay: self.costs() == self.before,
            tried: self.trial.as_ref().map(Trial::tried),
        }
    }
}

impl<S: Sul> Stored<S> {
    /// Whether all that will be asked of a word is known. A test ends at its first wrong output.
    fn is_known(&self, session: &HostSession, word: &[Input]) -> bool {
        let is_test = session.purpose() == Purpose::Testing;
        let hypothesis = session.hypothesis().filter(|_| is_test);
        let mut foreseen = Foreseen::default();
        let mut at = NodeId::ROOT;
        for &input in word {
            let Some(answer) = self.store.tree.answer(at, input) else { return false };
            at = answer;
            if let Some(hypothesis) = hypothesis {
                foreseen.follow(hypothesis, input);
                if !foreseen.ends_with(hypothesis, self.store.tree.output(at)) {
                    return true;
                }
            }
        }
        true
    }
}
