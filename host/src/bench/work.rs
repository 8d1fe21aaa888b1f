//! Many runs, on several threads.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use mealybug_core::{Costs, Options, Projections, Tests};

use super::Model;
use super::decompose::decompose;
use super::row::{Key, Row};
use super::run::{Ending, Run, learn};
use crate::learn::Limits;

/// A learner that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// A component for each output.
    OlStar,
    /// One machine.
    LStar,
    /// A learner for each output, over shared answers.
    Decompose,
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OlStar => "ol-star",
            Self::LStar => "l-star",
            Self::Decompose => "decompose",
        })
    }
}

/// A run to be made.
#[derive(Clone, Copy, Debug)]
pub struct Job<'m> {
    /// What is learned.
    pub model: &'m Model,
    /// By whom.
    pub algorithm: Algorithm,
    /// Where counterexamples come from: [`Tests::External`] for shortest ones, free.
    pub tests: Tests,
    /// The seed of random tests.
    pub seed: u64,
}

/// How far a run may go.
#[derive(Clone, Copy, Debug)]
pub struct Caps<'a> {
    /// Symbols of testing.
    pub testing_symbols: u64,
    /// Memory, time, and whether it is to stop now.
    pub limits: Limits<'a>,
}

/// Complete suites start in every state, up to so many.
const SUITE_STATES: u32 = 10_000;

impl<'m> Job<'m> {
    /// All runs that these choices make, the cheap ones first. Tests without chance need one seed.
    pub fn all(
        models: &'m [Model],
        algorithms: &[Algorithm],
        tests: &[Tests],
        seeds: u64,
    ) -> Vec<Self> {
        let mut jobs = Vec::new();
        for model in models {
            for &tests in tests {
                let seeds = if tests.is_random() { seeds } else { 1 };
                for seed in 0..seeds {
                    let of = |&algorithm| Job { model, algorithm, tests, seed };
                    jobs.extend(algorithms.iter().map(of));
                }
            }
        }
        jobs
    }

    /// What the row about it is known by.
    pub fn key(&self) -> Key {
        Key {
            suite: self.model.suite().to_owned(),
            model: self.model.file().to_owned(),
            algorithm: self.algorithm.to_string(),
            tests: self.tests_name(),
            seed: self.seed,
        }
    }

    fn tests_name(&self) -> String {
        match self.tests {
            Tests::External => "perfect".to_owned(),
            tests => tests.to_string(),
        }
    }

    /// Makes the run. `None` if it was stopped.
    pub fn run(&self, caps: &Caps<'_>) -> Option<Row> {
        let Self { model, algorithm, tests, seed } = *self;
        let is_suite = matches!(tests, Tests::W { .. } | Tests::Wp { .. });
        let default = Options::default();
        let options = default
            .projections(match algorithm {
                Algorithm::OlStar => Projections::PerOutput,
                Algorithm::LStar | Algorithm::Decompose => Projections::Identity,
            })
            .tests(tests)
            .seed(seed)
            .passing_tests(u64::MAX)
            .product_states(if is_suite { SUITE_STATES } else { default.product_states });
        let run = match algorithm {
            Algorithm::Decompose => decompose(model, options, caps.testing_symbols, &caps.limits),
            _ => learn(model, options, caps.testing_symbols, &caps.limits),
        };
        let run = run.expect("a model has inputs, and the options make sense");
        (run.ending != Ending::Interrupted).then(|| self.row(&run))
    }

    fn row(&self, run: &Run) -> Row {
        let Key { suite, model, algorithm, tests, seed } = self.key();
        let of_components =
            |count: u32| (self.algorithm == Algorithm::OlStar).then_some(u64::from(count));
        let Costs { resets: learning_queries, symbols: learning_symbols } = run.progress.learning;
        Row {
            suite,
            model,
            algorithm,
            tests,
            seed,
            stages: run.progress.rounds,
            states: self.model.states,
            short_rows: Some(run.progress.short_rows.into()),
            inconsistent: of_components(run.inconsistencies),
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
            outcome: run.ending.to_string(),
            found_states: run.found_states,
        }
    }
}

/// What workers say.
#[derive(Debug)]
pub enum Said {
    /// This job was begun.
    Begun(usize),
    /// This job has ended, with this row if it was not stopped.
    Ended(usize, Option<Box<Row>>),
}

/// Makes runs on so many threads, those first that come first; `hear` is told as they begin and end.
pub fn work(jobs: &[Job<'_>], threads: usize, caps: &Caps<'_>, hear: impl FnMut(Said)) {
    let next = AtomicUsize::new(0);
    let worker = |said: Sender<Said>| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return };
            if caps.limits.interrupted.load(Ordering::Relaxed) {
                return;
            }
            let send = |what| said.send(what).expect("it is heard until all workers are done");
            send(Said::Begun(at));
            send(Said::Ended(at, job.run(caps).map(Box::new)));
        }
    };
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..threads.min(jobs.len()) {
            let sender = sender.clone();
            scope.spawn(|| worker(sender));
        }
        drop(sender);
        receiver.into_iter().for_each(hear);
    });
}

/// The jobs that have no row yet.
pub fn missing<'m>(jobs: Vec<Job<'m>>, rows: &[Row]) -> Vec<Job<'m>> {
    let known: HashSet<Key> = rows.iter().map(Row::key).collect();
    jobs.into_iter().filter(|job| !known.contains(&job.key())).collect()
}
