//! Many runs, on several threads.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use mealybug_core::{Costs, Observations, Options, Projections, Tests};

use super::Model;
use super::decompose::decompose;
use super::row::{Key, Row};
use super::run::{Ending, Run, learn};
use crate::algorithm::Algorithm;
use crate::learn::Limits;

/// A learner that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learner {
    /// One session, which divides the device so.
    Session(Algorithm, Projections),
    /// An L* for each output, over shared answers.
    Decompose,
}

impl Learner {
    /// Its name in the rows, if it is no session.
    pub const DECOMPOSE: &str = "decompose";

    /// The names of OL# with projections that are not its own, and these.
    pub const DIVIDED: [(&str, Projections); 3] = [
        ("ol-sharp:per-output", Projections::PerOutput),
        ("ol-sharp:per-input", Projections::PerInput),
        ("ol-sharp:per-pair", Projections::PerPair),
    ];

    /// What learns the whole model, or each output.
    fn algorithm(self) -> Algorithm {
        match self {
            Self::Session(algorithm, _) => algorithm,
            Self::Decompose => Algorithm::LStar,
        }
    }

    /// The options of a run, which ends when the hypothesis is right.
    pub(super) fn options(self, tests: Tests, seed: u64) -> Options {
        let is_suite = matches!(tests, Tests::W { .. } | Tests::Wp { .. });
        let default = Options::default();
        let algorithm = self.algorithm();
        let projections = match self {
            Self::Session(_, projections) => projections,
            Self::Decompose => algorithm.projections(),
        };
        default
            .observations(algorithm.observations())
            .projections(projections)
            .tests(tests)
            .seed(seed)
            .passing_tests(u64::MAX)
            .product_states(if is_suite { SUITE_STATES } else { default.product_states })
    }
}

impl From<Algorithm> for Learner {
    fn from(algorithm: Algorithm) -> Self {
        Self::Session(algorithm, algorithm.projections())
    }
}

impl fmt::Display for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(algorithm, projections) if *projections != algorithm.projections() => {
                write!(f, "{algorithm}:{projections}")
            }
            Self::Session(algorithm, _) => f.write_str(algorithm.name()),
            Self::Decompose => f.write_str(Self::DECOMPOSE),
        }
    }
}

impl FromStr for Learner {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            Self::DECOMPOSE => Ok(Self::Decompose),
            name => match Self::DIVIDED.into_iter().find(|(divided, _)| *divided == name) {
                Some((_, projections)) => Ok(Self::Session(Algorithm::OlSharp, projections)),
                None => name.parse().map(Algorithm::into),
            },
        }
    }
}

/// A run to be made.
#[derive(Clone, Copy, Debug)]
pub struct Job<'m> {
    /// What is learned.
    pub model: &'m Model,
    /// By whom.
    pub learner: Learner,
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
        learners: &[Learner],
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

    /// What the row about it is known by.
    pub fn key(&self) -> Key {
        Key {
            suite: self.model.suite().to_owned(),
            model: self.model.file().to_owned(),
            algorithm: self.learner.to_string(),
            tests: tests_name(self.tests),
            seed: self.seed,
        }
    }

    /// Makes the run. `None` if it was stopped.
    pub fn run(&self, caps: &Caps<'_>) -> Option<Row> {
        let Self { model, learner, tests, seed } = *self;
        let options = learner.options(tests, seed);
        let run = match learner {
            Learner::Decompose => decompose(model, options, caps.testing_symbols, &caps.limits),
            Learner::Session(..) => learn(model, options, caps.testing_symbols, &caps.limits),
        };
        let run = run.expect("a model has inputs, and the options make sense");
        (run.ending != Ending::Interrupted).then(|| self.row(&run))
    }

    fn row(&self, run: &Run) -> Row {
        let Key { suite, model, algorithm, tests, seed } = self.key();
        let learner = self.learner.algorithm();
        let has_table = learner.observations() == Observations::Table;
        let of_table = |count: u32| has_table.then_some(u64::from(count));
        let of_components = |count: u32| (!learner.is_one_machine()).then_some(u64::from(count));
        let inconsistent = of_components(run.inconsistencies).filter(|_| has_table);
        let Costs { resets: learning_queries, symbols: learning_symbols } = run.progress.learning;
        Row {
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
            outcome: run.ending.to_string(),
            found_states: run.found_states,
        }
    }
}

/// How tests are called in rows.
pub(super) fn tests_name(tests: Tests) -> String {
    match tests {
        Tests::External => "perfect".to_owned(),
        tests => tests.to_string(),
    }
}

/// What workers say.
#[derive(Debug)]
pub enum Said<R> {
    /// This job was begun.
    Begun(usize),
    /// This job has ended, with this row if it was not stopped.
    Ended(usize, Option<Box<R>>),
}

/// Makes runs on so many threads, those first that come first; `hear` is told as they begin and end.
pub fn work<J: Sync, R: Send>(
    jobs: &[J],
    threads: usize,
    interrupted: &AtomicBool,
    run: impl Fn(&J) -> Option<R> + Sync,
    hear: impl FnMut(Said<R>),
) {
    let next = AtomicUsize::new(0);
    let worker = |said: Sender<Said<R>>| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return };
            if interrupted.load(Ordering::Relaxed) {
                return;
            }
            let send = |what| said.send(what).expect("it is heard until all workers are done");
            send(Said::Begun(at));
            send(Said::Ended(at, run(job).map(Box::new)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learner_has_the_projections_in_its_name() {
        let projections = |name: &str| {
            let learner: Learner = name.parse().expect(name);
            assert_eq!(learner.to_string(), name);
            learner.options(Tests::External, 0).projections
        };
        assert_eq!(projections("ol-sharp"), Projections::Chosen);
        assert_eq!(projections("ol-sharp:per-output"), Projections::PerOutput);
        assert_eq!(projections("ol-sharp:per-input"), Projections::PerInput);
        assert_eq!(projections("ol-star"), Projections::PerOutput);
        assert_eq!(projections("l-sharp"), Projections::Identity);
        assert!("ol-star:per-input".parse::<Learner>().is_err());
    }
}
