//! Pins the words that learners ask: a text file keeps a digest of all words of a run, and its
//! cost.
//!
//! These files check a change of the learner that must not change any word. If words are meant to
//! change, [`RECORD`] rewrites the files, and their diff shows the new cost.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::fs;
use std::path::Path;

use mealybug::machine::Machine;
use mealybug::simulate::Simulated;
use mealybug_bench::{Simulation, SimulationEvent};
use mealybug_core::{
    AnyLearner, Budget, EndReason, Input, Mealy, Observations, Options, Progress, Projections,
    Purpose, Session, Sul, Tests,
};

/// The variable that makes tests rewrite the files of expectations instead of comparing with them.
pub const RECORD: &str = "MEALYBUG_RECORD";

/// A learner.
#[derive(Clone, Copy, Debug)]
pub struct PinnedLearner {
    /// Its name, in the files and for `mealybug-bench`.
    pub name: &'static str,
    observations: Observations,
    projections: Projections,
}

impl PinnedLearner {
    /// The learner of the paper.
    pub const OL_STAR: Self = Self::with_table("ol-star", Projections::PerOutput);

    /// The learners with an observation table.
    pub const TABLE: [Self; 2] = [Self::OL_STAR, Self::with_table("l-star", Projections::Identity)];

    /// The learners with an observation tree.
    pub const TREE: [Self; 2] = [
        Self::with_tree("ol-sharp", Projections::Chosen),
        Self::with_tree("l-sharp", Projections::Identity),
    ];

    /// The learners with an observation tree whose components are given.
    pub const TREE_DIVIDED: [Self; 3] = [
        Self::with_tree("ol-sharp:per-output", Projections::PerOutput),
        Self::with_tree("ol-sharp:per-input", Projections::PerInput),
        Self::with_tree("ol-sharp:per-pair", Projections::PerPair),
    ];

    const fn with_table(name: &'static str, projections: Projections) -> Self {
        Self { name, observations: Observations::Table, projections }
    }

    const fn with_tree(name: &'static str, projections: Projections) -> Self {
        Self { name, observations: Observations::Tree, projections }
    }
}

/// How many tests must pass in a row before a run ends.
const TESTS_IN_A_ROW: u64 = 500;

/// How to test hypotheses.
#[derive(Clone, Copy, Debug)]
pub struct Testing {
    /// Its name, in the files.
    pub name: &'static str,
    /// The test words; [`Tests::External`] gives shortest counterexamples.
    pub tests: Tests,
    /// Whether to shorten counterexamples.
    pub shorten: bool,
    /// The cost of a reset in inputs, if the session is told.
    pub reset_cost: Option<u32>,
}

impl Testing {
    /// These tests, with counterexamples shortened and without the cost of a reset.
    const fn new(name: &'static str, tests: Tests) -> Self {
        Self { name, tests, shorten: true, reset_cost: None }
    }

    /// The default tests and those of the paper.
    pub const MAIN: [Self; 2] =
        [Self::new("mixture", Tests::Mixture), Self::new("random-wp", Tests::RandomWp)];

    /// Other tests, and the main ones with other options.
    pub const OTHERS: [Self; 7] = [
        Self { reset_cost: Some(50), ..Self::new("mixture-dear-reset", Tests::Mixture) },
        Self { shorten: false, ..Self::new("random-wp-as-found", Tests::RandomWp) },
        Self::new("random-words", Tests::RandomWords),
        Self::new("w-1", Tests::W { extra_states: 1 }),
        Self::new("wp-1", Tests::Wp { extra_states: 1 }),
        Self::new("components-1", Tests::Components { extra_states: 1 }),
        Self::new("perfect", Tests::External),
    ];

    /// The options of a run. Its last word may exceed `max_symbols`.
    pub fn options(self, learner: PinnedLearner, seed: u64, max_symbols: u64) -> Options {
        Options::new()
            .observations(learner.observations)
            .projections(learner.projections)
            .tests(self.tests)
            .seed(seed)
            .passing_tests(TESTS_IN_A_ROW)
            .shorten(self.shorten)
            .budget(Budget::UNLIMITED.symbols(max_symbols))
    }
}

/// What a run asked, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The digest of every word with its purpose, and of the places of hypotheses, in order.
    pub digest: Digest,
    /// The digest of resets and inputs alone: see [`one_by_one`].
    pub inputs: Digest,
    progress: Progress,
    end: &'static str,
}

/// Learns a machine.
///
/// # Panics
/// The options are invalid.
pub fn run(machine: &Machine, options: Options, reset_cost: Option<u32>) -> Asked {
    let mut simulation = Simulation::new(machine, options, usize::MAX).expect("good options");
    if let Some(cost) = reset_cost {
        simulation.set_costs(cost, |_| 1).expect("there is room");
    }
    let (mut digest, mut inputs) = (Digest::EMPTY, Digest::EMPTY);
    let end = loop {
        match simulation.advance() {
            SimulationEvent::Word { purpose, .. } => {
                digest.add(match purpose {
                    Purpose::Learning => 1,
                    Purpose::Testing => 2,
                });
                inputs.reset();
                for &input in simulation.word() {
                    digest.input(input);
                    inputs.input(input);
                }
            }
            SimulationEvent::Hypothesis { is_right } => digest.add(if is_right { 4 } else { 3 }),
            SimulationEvent::Done(reason) => break end(reason),
            SimulationEvent::Memory(error) => panic!("it may have all memory: {error}"),
        }
    };
    Asked { digest, inputs, progress: simulation.session().progress(), end }
}

/// Why a run ended, as the files name it.
fn end(reason: EndReason) -> &'static str {
    match reason {
        EndReason::TestsPassed => "tests-passed",
        EndReason::SuitePassed => "suite-passed",
        EndReason::SuiteCut => "suite-cut",
        EndReason::Untested => "untested",
        EndReason::Symbols => "max-symbols",
        other => unreachable!("nobody stops it, and it has no other limits: {other:?}"),
    }
}

/// The memory of a run with [`one_by_one`].
const MEMORY_BYTES: usize = 16 << 20;

/// Learns a machine as a microcontroller does: in memory that does not grow, one input at a time.
/// Returns the digest of [`Asked::inputs`].
///
/// # Panics
/// The options are invalid, or the memory is full.
pub fn one_by_one(machine: &Machine, options: Options) -> Digest {
    let memory = vec![0; MEMORY_BYTES / size_of::<u32>()];
    let learner = AnyLearner::new(Mealy::inputs(machine), &options);
    let mut session = Session::with_learner(memory, learner, options).expect("good options");
    let mut device = Listening { device: Simulated::new(machine), inputs: Digest::EMPTY };
    mealybug_core::learn(&mut session, &mut device)
        .expect("a machine cannot fail, and there is room");
    device.inputs
}

/// A device that computes a digest of its inputs and resets.
struct Listening<'m> {
    device: Simulated<'m>,
    inputs: Digest,
}

impl Sul for Listening<'_> {
    type Error = Infallible;

    fn reset(&mut self) -> Result<(), Infallible> {
        self.inputs.reset();
        self.device.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
        self.inputs.input(input);
        self.device.step(input)
    }
}

/// An FNV-1a digest of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn reset(&mut self) {
        self.add(0);
    }

    /// The first byte marks an input, so different runs give different bytes.
    fn input(&mut self, input: Input) {
        self.add(u8::MAX);
        input.index().to_le_bytes().into_iter().for_each(|byte| self.add(byte));
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The columns of a file of expectations; the first [`KEY`] identify the run.
const COLUMNS: [&str; 11] = [
    "model",
    "learner",
    "tests",
    "seed",
    "digest",
    "learning resets",
    "learning symbols",
    "testing resets",
    "testing symbols",
    "rounds",
    "end",
];
const KEY: usize = 4;

/// Runs in the format of a file: one a line, with commas between the columns.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    lines: Vec<String>,
}

impl Runs {
    /// Learns a machine with these learners and adds the runs.
    pub fn add(
        &mut self,
        (model, machine): (&str, &Machine),
        learners: &[PinnedLearner],
        testing: Testing,
        seeds: u64,
        max_symbols: u64,
    ) {
        for &learner in learners {
            for seed in 0..seeds {
                let options = testing.options(learner, seed, max_symbols);
                let Asked { digest, progress, end, .. } = run(machine, options, testing.reset_cost);
                let Progress { learning, testing: tested, rounds, .. } = progress;
                let line = format!(
                    "{model},{},{},{seed},{digest},{},{},{},{},{rounds},{end}",
                    learner.name,
                    testing.name,
                    learning.resets,
                    learning.symbols,
                    tested.resets,
                    tested.symbols
                );
                assert_eq!(line.split(',').count(), COLUMNS.len(), "{line}");
                self.lines.push(line);
            }
        }
    }

    /// The number of runs.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Compares the runs with a file of expectations in `tests/tests/asked_words/`, or rewrites the
    /// file if [`RECORD`] is set.
    ///
    /// # Panics
    /// Runs differ (the message lists all), or the file cannot be read.
    pub fn check(&self, file: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/asked_words").join(file);
        if std::env::var_os(RECORD).is_some() {
            self.write(&path);
            return;
        }
        let expected =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let differences = self.differences(&expected);
        assert!(
            differences.is_empty(),
            "{} of {} runs differ from {file} ({RECORD}=1 rewrites it):\n{}",
            differences.len(),
            self.count(),
            differences.join("\n")
        );
    }

    fn write(&self, path: &Path) {
        let text = format!("{}\n{}\n", COLUMNS.join(","), self.lines.join("\n"));
        fs::write(path, text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        println!("{} runs written to {path:?}", self.count());
    }

    /// The runs that differ from the text of a file, one a line.
    fn differences(&self, expected: &str) -> Vec<String> {
        let mut expected: BTreeMap<Vec<&str>, Vec<&str>> =
            expected.lines().skip(1).map(parts).collect();
        let mut differences = Vec::new();
        for line in &self.lines {
            let (key, found) = parts(line);
            let Some(expected) = expected.remove(&key) else {
                differences.push(format!("  {}: is not in the file", key.join(", ")));
                continue;
            };
            let columns = COLUMNS.iter().skip(KEY).zip(expected.iter().zip(&found));
            let changed: Vec<String> = columns
                .filter(|(_, (expected, found))| expected != found)
                .map(|(column, (expected, found))| format!("{column} {expected} -> {found}"))
                .collect();
            if changed.len() == 1 {
                differences.push(format!("  {}: same costs, {}", key.join(", "), changed[0]));
            } else if !changed.is_empty() {
                differences.push(format!("  {}: {}", key.join(", "), changed.join(", ")));
            }
        }
        differences.extend(expected.keys().map(|key| format!("  {}: was not run", key.join(", "))));
        differences
    }
}

/// Splits a line into the key of the run and its results.
fn parts(line: &str) -> (Vec<&str>, Vec<&str>) {
    let mut key: Vec<&str> = line.split(',').collect();
    let rest = key.split_off(KEY.min(key.len()));
    (key, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_is_named() {
        let line = |seed, end: &str| format!("toy,l-star,mixture,{seed},{end}");
        let runs = Runs {
            lines: vec![
                line(0, "aa,1,2,3,4,5,untested"),
                line(1, "aa,1,2,3,4,5,untested"),
                line(2, "aa,1,2,3,4,5,untested"),
                line(3, "aa,1,2,3,4,5,untested"),
            ],
        };
        let expected = [
            COLUMNS.join(","),
            line(0, "aa,1,2,3,4,5,untested"),
            line(1, "bb,1,2,3,4,5,untested"),
            line(2, "bb,1,2,3,9,5,max-symbols"),
            line(4, "aa,1,2,3,4,5,untested"),
        ];
        assert_eq!(
            runs.differences(&expected.join("\n")),
            [
                "  toy, l-star, mixture, 1: same costs, digest bb -> aa",
                "  toy, l-star, mixture, 2: digest bb -> aa, testing symbols 9 -> 4, end max-symbols -> untested",
                "  toy, l-star, mixture, 3: is not in the file",
                "  toy, l-star, mixture, 4: was not run",
            ]
        );
    }

    /// Test vectors of the authors of FNV.
    #[test]
    fn the_digest_is_fnv_1a() {
        let mut digest = Digest::EMPTY;
        assert_eq!(digest.to_string(), "cbf29ce484222325");
        "foobar".bytes().for_each(|byte| digest.add(byte));
        assert_eq!(digest.to_string(), "85944171f73967e8");
    }
}
