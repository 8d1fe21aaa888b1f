//! What a run of a program knows beyond its device: words to try, older models, a golden model.

use std::error::Error;

use mealybug_core::{Hypothesis, Input, Purpose};

use super::comparison::GoldenComparison;
use super::learned::MAX_STATES;
use super::options::LearnOptions;
use crate::advice::{Advice, OlderModel};
use crate::confidence;
use crate::learn::{Failure, HostSession, ObserveRun, Tally, Verdict};
use crate::learned_components::LearnedComponents;
use crate::machine::Machine;
use crate::statistics::Round;
use crate::word::{self, UnknownInput};

/// Observes a run.
pub(super) struct RunWatch<'a> {
    inputs: &'a [String],
    confidence: f64,
    retries: u32,
    advice: Advice,
    /// Words that test each hypothesis, and how many of them this one has had.
    words: Vec<Vec<Input>>,
    tried: usize,
    comparison: Option<GoldenComparison<'a>>,
    /// The machine of this hypothesis.
    model: Option<Machine>,
    pub(super) rounds: Vec<Round>,
}

impl<'a> RunWatch<'a> {
    /// Observes the run of a device with these inputs.
    ///
    /// # Errors
    /// A word of the options names an input that does not exist.
    pub(super) fn new(
        inputs: &'a [String],
        options: &LearnOptions,
        comparison: Option<GoldenComparison<'a>>,
    ) -> Result<Self, UnknownInput> {
        let words = options.words.iter().map(|text| word::parse(text, inputs));
        let older = options.like.iter().map(|machine| OlderModel {
            name: "an older model".to_owned(),
            machine: machine.minimise(),
        });
        Ok(Self {
            inputs,
            confidence: options.confidence,
            retries: options.retries,
            advice: Advice::new(inputs, older),
            words: words.collect::<Result<_, _>>()?,
            tried: 0,
            comparison,
            model: None,
            rounds: Vec::new(),
        })
    }
}

impl<E: Error> ObserveRun<E> for RunWatch<'_> {
    fn heard(&mut self, position: usize, output: &[u8]) {
        self.advice.hear(position, output);
    }

    fn answered(&mut self, _: Purpose, word: &[Input]) {
        self.advice.answered(word);
    }

    fn hypothesis(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
        let progress = session.progress();
        if progress.rounds > self.rounds.len() as u64 {
            let projections = session.options().projections;
            let components = LearnedComponents::new(hypothesis, self.inputs, projections);
            self.model = components.product(MAX_STATES).ok();
            self.rounds.push(Round::new(self.model.as_ref().map(Machine::states), progress));
            self.tried = 0;
        }
        if let Some(word) = self.advice.word(progress.rounds, hypothesis) {
            return Verdict::Advice(word);
        }
        if let Some(word) = self.words.get(self.tried) {
            self.tried += 1;
            return Verdict::Counterexample(word.clone());
        }
        let question = self.comparison.as_mut().zip(self.model.as_ref());
        let question = question.and_then(|(comparison, model)| comparison.question(model));
        question.map_or(Verdict::Test, Verdict::Counterexample)
    }

    fn tests_in_a_row(&mut self, session: &HostSession) -> Option<u64> {
        confidence::tests_in_a_row(self.confidence, session)
    }

    fn begins_anew(&mut self, _: &Tally) {
        self.advice.begin_anew();
        self.rounds.clear();
    }

    fn retry(&mut self, _: &Failure<E>, attempts: u32) -> bool {
        attempts <= self.retries
    }
}
