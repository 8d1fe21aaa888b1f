//! The runs of `mealybug-bench run`: a model, a learner, a kind of tests and a seed.

use mealybug_core::{Costs, Observations, Tests};

use crate::decompose::decompose;
use crate::learner::MeasuredLearner;
use crate::model::SuiteModel;
use crate::origin::{MeasuredModel, VERSION};
use crate::row::{RowKey, RunRow, tests_name};
use crate::run::{BenchRun, RunOutcome, learn};
use crate::task::{BenchTask, Caps};

/// A run that can be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'m> {
    /// The model to be learned.
    model: &'m SuiteModel,
    learner: MeasuredLearner,
    /// Where counterexamples come from: [`Tests::External`] for shortest ones, free.
    tests: Tests,
    /// The seed of random tests.
    seed: u64,
}

impl<'m> Job<'m> {
    /// All runs of these models, learners, tests and seeds, in the order of the models. Tests that draw
    /// nothing at random need one seed.
    pub(crate) fn all(
        models: &'m [SuiteModel],
        learners: &[MeasuredLearner],
        tests: &[Tests],
        seeds: u64,
    ) -> Vec<Self> {
        let mut jobs = Vec::new();
        for model in models {
            for &tests in tests {
                let seeds = if tests.is_random() { seeds } else { 1 };
                for seed in 0..seeds {
                    let of = |&learner| Job { model, learner, tests, seed };
                    jobs.extend(learners.iter().map(of));
                }
            }
        }
        jobs
    }

    fn row(&self, run: &BenchRun, caps: &Caps<'_>) -> RunRow {
        let RowKey { suite, model, algorithm, tests, seed } = self.key();
        let learner = self.learner.algorithm();
        let has_table = learner.observations() == Observations::Table;
        let of_table = |count: u32| has_table.then_some(u64::from(count));
        let of_components = |count: u32| (!learner.is_one_machine()).then_some(u64::from(count));
        let inconsistent = of_components(run.inconsistencies).filter(|_| has_table);
        let Costs { resets: learning_queries, symbols: learning_symbols } = run.progress.learning;
        RunRow {
            suite,
            model,
            algorithm,
            tests,
            seed,
            stages: run.progress.rounds,
            states: self.model.states,
            short_rows: of_table(run.progress.short_rows),
            inconsistent,
            zero_outputs: of_components(run.progress.defects.none),
            two_outputs: of_components(run.progress.defects.several),
            learning_queries,
            learning_symbols,
            testing_queries: run.testing.resets,
            testing_symbols: run.testing.symbols,
            last_learning_symbols: Some(run.last.learning),
            last_testing_symbols: Some(run.last.testing),
            seconds: run.time.as_secs_f64(),
            memory_bytes: Some(run.progress.learner_bytes as u64),
            outcome: run.outcome.to_string(),
            found_states: run.found_states,
            version: Some(VERSION.to_owned()),
            limits: Some(caps.written()),
        }
    }
}

impl BenchTask for Job<'_> {
    type RunRow = RunRow;

    fn key(&self) -> RowKey {
        RowKey {
            suite: self.model.suite().to_owned(),
            model: self.model.file().to_owned(),
            algorithm: self.learner.to_string(),
            tests: tests_name(self.tests),
            seed: self.seed,
        }
    }

    fn model(&self) -> MeasuredModel {
        self.model.measured()
    }

    fn name(&self) -> String {
        let key = self.key();
        format!("{}: {}, {}, seed {}", self.model.name, key.algorithm, key.tests, key.seed)
    }

    fn run(&self, caps: &Caps<'_>) -> Option<RunRow> {
        let Self { model, learner, tests, seed } = *self;
        let options = learner.options(tests, seed);
        let run = match learner {
            MeasuredLearner::Decompose => {
                decompose(model, options, caps.testing_symbols, &caps.limits)
            }
            MeasuredLearner::Session(..) => {
                learn(model, options, caps.testing_symbols, &caps.limits)
            }
        };
        let run = run.expect("a model has inputs, and the options make sense");
        (run.outcome != RunOutcome::Interrupted).then(|| self.row(&run, caps))
    }
}
