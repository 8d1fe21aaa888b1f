//! What an older model saves: pairs of an older model and a newer one, which is learned without help, with
//! the older model, and with itself.

use std::collections::{BTreeMap, HashSet};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use mealybug_core::Tests;
use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Model;
use super::cases::{Comparison, median};
use super::run::{Ending, Run, learn_like};
use super::work::{Caps, Learner, tests_name};
use crate::dot;
use crate::machine::{Builder, Machine};

/// An older model and the newer one, which is to be learned.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The older model's suite and file.
    pub older_name: String,
    /// The older model, minimal.
    pub older: Machine,
    /// The newer model.
    pub model: Model,
}

/// Why there are no pairs.
#[derive(Debug, Error, Diagnostic)]
pub enum PairsError {
    /// The list, or the rows, cannot be read or written.
    #[error("cannot use {}: {error}", path.display())]
    #[diagnostic(help(
        "a list of pairs is a CSV with the columns old and new, and perhaps inputs: same or renamed; \
         its files are named from the folder SUITE"
    ))]
    Csv {
        /// Which file.
        path: PathBuf,
        /// What went wrong.
        error: csv::Error,
    },
    /// A model of a pair cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    #[diagnostic(help("the files of a list of pairs are named from the folder SUITE"))]
    Io {
        /// Which file.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// A model of a pair is none.
    #[error("{} is no model that can be learned: {message}", path.display())]
    #[diagnostic(help("`mealybug show` says where; a model that is learned must be complete"))]
    Model {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

/// A line of a list of pairs.
#[derive(Debug, Deserialize)]
struct Line {
    old: String,
    new: String,
    inputs: Option<String>,
}

impl Pair {
    /// The pairs in the list at `list`; its models are in `folder`. Where the column `inputs` says `renamed`,
    /// the first input of the older model gets the name of the first one of the newer model, and so on.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read_all(list: &Path, folder: &Path) -> Result<Vec<Self>, PairsError> {
        let csv = |error| PairsError::Csv { path: list.to_owned(), error };
        let lines: Result<Vec<Line>, _> =
            csv::Reader::from_path(list).map_err(csv)?.into_deserialize().collect();
        let pair = |Line { old, new, inputs }| {
            let newer = read(&folder.join(&new))?;
            let mut older = read(&folder.join(&old))?;
            if inputs.as_deref() == Some("renamed") {
                older = renamed(&older, newer.inputs());
            }
            let (older, model) = (older.minimise(), Model::new(new, newer));
            Ok(Self { older_name: old, older, model })
        };
        lines.map_err(csv)?.into_iter().map(pair).collect()
    }
}

fn read(path: &Path) -> Result<Machine, PairsError> {
    let text =
        std::fs::read(path).map_err(|error| PairsError::Io { path: path.to_owned(), error })?;
    dot::read_complete(&path.display().to_string(), &String::from_utf8_lossy(&text))
        .map_err(|error| PairsError::Model { path: path.to_owned(), message: error.to_string() })
}

/// The machine with other names of its inputs, as far as there are some.
fn renamed(machine: &Machine, names: &[String]) -> Machine {
    let mut builder = Builder::default();
    for (from, input, known) in machine.transitions() {
        let at = input.index() as usize;
        let name = names.get(at).unwrap_or(&machine.inputs()[at]);
        let output = machine.output_name(known.output);
        builder.add(from, name, known.target, output).expect("each transition comes once");
    }
    let initial = mealybug_core::Mealy::initial(machine);
    builder.build(initial).expect("it is as complete as before")
}

/// What a run of a pair is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Nothing,
    Older,
    Itself,
}

/// A run of a pair.
#[derive(Clone, Copy, Debug)]
pub struct PairJob<'p> {
    pair: &'p Pair,
    given: Given,
    learner: Learner,
    tests: Tests,
    seed: u64,
}

impl<'p> PairJob<'p> {
    /// All runs that these choices make, each once; learners that are no session are left out.
    pub fn all(pairs: &'p [Pair], learners: &[Learner], tests: &[Tests], seeds: u64) -> Vec<Self> {
        let mut jobs = Vec::new();
        for pair in pairs {
            for &tests in tests {
                for seed in 0..if tests.is_random() { seeds } else { 1 } {
                    for &learner in learners {
                        if learner == Learner::Decompose {
                            continue;
                        }
                        let given = [Given::Nothing, Given::Older, Given::Itself];
                        let job = |given| Self { pair, given, learner, tests, seed };
                        jobs.extend(given.map(job));
                    }
                }
            }
        }
        let mut seen = HashSet::new();
        jobs.retain(|job| seen.insert(job.key()));
        jobs
    }

    /// What the row about it is known by.
    pub fn key(&self) -> PairKey {
        let like = match self.given {
            Given::Nothing => None,
            Given::Older => Some(self.pair.older_name.clone()),
            Given::Itself => Some(self.pair.model.name.clone()),
        };
        let (algorithm, tests) = (self.learner.to_string(), tests_name(self.tests));
        PairKey { model: self.pair.model.name.clone(), like, algorithm, tests, seed: self.seed }
    }

    /// A few words.
    pub fn name(&self) -> String {
        let PairKey { model, like, algorithm, tests, seed } = self.key();
        let like = like.map_or_else(String::new, |like| format!(" like {like}"));
        format!("{model}{like}: {algorithm}, {tests}, seed {seed}")
    }

    /// Makes the run. `None` if it was stopped.
    pub fn run(&self, caps: &Caps<'_>) -> Option<PairRow> {
        let Self { pair, given, learner, tests, seed } = *self;
        let older = match given {
            Given::Nothing => None,
            Given::Older => Some(&pair.older),
            Given::Itself => Some(&pair.model.machine),
        };
        let options = learner.options(tests, seed);
        let run = learn_like(&pair.model, older, options, caps.testing_symbols, &caps.limits);
        let run = run.expect("a model has inputs, and the options make sense");
        (run.ending != Ending::Interrupted).then(|| self.row(&run))
    }

    fn row(&self, run: &Run) -> PairRow {
        let PairKey { model, like, algorithm, tests, seed } = self.key();
        PairRow {
            model,
            like,
            algorithm,
            tests,
            seed,
            states: self.pair.model.states,
            rounds: run.progress.rounds,
            learning_queries: run.progress.learning.resets,
            learning_symbols: run.progress.learning.symbols,
            testing_queries: run.testing.resets,
            testing_symbols: run.testing.symbols,
            advice_queries: run.advice.asked.resets,
            advice_symbols: run.advice.asked.symbols,
            helped: run.advice.helped,
            seconds: run.time.as_secs_f64(),
            outcome: run.ending.to_string(),
        }
    }
}

/// Which run of a pair a row is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PairKey {
    model: String,
    like: Option<String>,
    algorithm: String,
    tests: String,
    seed: u64,
}

/// What stands in the CSV about a run of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairRow {
    /// The model that was learned: suite and file.
    #[serde(rename = "Model")]
    model: String,
    /// The model that it was told to be like.
    #[serde(rename = "Like")]
    like: Option<String>,
    /// The learner.
    #[serde(rename = "Algorithm")]
    algorithm: String,
    /// The kind of tests.
    #[serde(rename = "Tests")]
    tests: String,
    /// Their seed.
    #[serde(rename = "Seed")]
    seed: u64,
    /// States of the minimal model.
    #[serde(rename = "States")]
    states: u32,
    /// Hypotheses made.
    #[serde(rename = "Stages")]
    rounds: u64,
    /// Words asked to learn, those on advice included.
    #[serde(rename = "Learning queries")]
    learning_queries: u64,
    /// Their symbols.
    #[serde(rename = "Learning symbols")]
    learning_symbols: u64,
    /// Words asked to test.
    #[serde(rename = "Testing queries")]
    testing_queries: u64,
    /// Their symbols.
    #[serde(rename = "Testing symbols")]
    testing_symbols: u64,
    /// Words asked on advice.
    #[serde(rename = "Advice queries")]
    advice_queries: u64,
    /// Their symbols.
    #[serde(rename = "Advice symbols")]
    advice_symbols: u64,
    /// How many of them were counterexamples.
    #[serde(rename = "Helped")]
    helped: u64,
    /// Wall time.
    #[serde(rename = "Seconds")]
    seconds: f64,
    /// As of other rows: `exact`, or why it ended before that.
    #[serde(rename = "Outcome")]
    outcome: String,
}

impl PairRow {
    /// Which run it is about.
    pub fn key(&self) -> PairKey {
        let Self { model, like, algorithm, tests, seed, .. } = self.clone();
        PairKey { model, like, algorithm, tests, seed }
    }

    fn queries(&self) -> u64 {
        self.learning_queries + self.testing_queries
    }

    fn symbols(&self) -> u64 {
        self.learning_symbols + self.testing_symbols
    }
}

/// A CSV about runs of pairs, which grows by a row when a run has ended.
#[derive(Debug)]
pub struct PairFile {
    writer: csv::Writer<File>,
    path: PathBuf,
}

impl PairFile {
    /// Opens the file at `path`, or makes it, and reads the rows that are in it.
    ///
    /// # Errors
    /// It cannot be read or written, or something else is in it.
    pub fn open(path: &Path) -> Result<(Self, Vec<PairRow>), PairsError> {
        let failed = |error| PairsError::Csv { path: path.to_owned(), error };
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(path);
        let file = file.map_err(|error| failed(error.into()))?;
        let rows: Result<Vec<PairRow>, _> = csv::Reader::from_reader(&file).deserialize().collect();
        let rows = rows.map_err(failed)?;
        let builder = &mut csv::WriterBuilder::new();
        let writer = builder.has_headers(rows.is_empty()).from_writer(file);
        Ok((Self { writer, path: path.to_owned() }, rows))
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The disk is full, or gone.
    pub fn add(&mut self, row: &PairRow) -> Result<(), PairsError> {
        let written = self.writer.serialize(row).and_then(|()| Ok(self.writer.flush()?));
        written.map_err(|error| PairsError::Csv { path: self.path.clone(), error })
    }
}

/// What older models save on these pairs: for each learner and kind of tests the geometric mean over the pairs
/// of what the run with the older model costs beside the run without; a pair counts with the median over
/// the seeds.
pub fn pairs_summary(pairs: &[Pair], rows: &[PairRow]) -> String {
    let mut groups = BTreeMap::<_, Vec<&PairRow>>::new();
    for row in rows {
        let key = (&row.algorithm, &row.tests, &row.model, row.like.as_ref());
        groups.entry(key).or_default().push(row);
    }
    let kinds: BTreeMap<_, ()> =
        rows.iter().map(|row| ((&row.tests, &row.algorithm), ())).collect();
    let mut text = LEGEND.to_owned();
    for &(tests, algorithm) in kinds.keys() {
        for (what, itself) in [("older model", false), ("itself", true)] {
            let mut sums = [Comparison::default(); 3];
            let mut total = Comparison::default();
            let mut ended = (0, 0);
            for pair in pairs {
                let name = &pair.model.name;
                let like = Some(if itself { name } else { &pair.older_name });
                let runs = [None, like].map(|like| groups.get(&(algorithm, tests, name, like)));
                let [Some(alone), Some(given)] = runs else { continue };
                let costs: [fn(&PairRow) -> u64; 3] =
                    [PairRow::symbols, PairRow::queries, |row| row.learning_symbols];
                for (sum, of) in sums.iter_mut().zip(costs) {
                    let [given, alone] =
                        [given, alone].map(|rows| median(rows.iter().map(|row| of(row)).collect()));
                    sum.add(given, alone);
                }
                total.add(median(given.iter().map(|row| row.symbols()).collect()), 1);
                let all = alone.iter().chain(given.iter());
                ended.0 += all.clone().filter(|row| row.outcome == super::EXACT).count();
                ended.1 += all.count();
            }
            let [symbols, queries, learning] = sums.map(|sum| sum.mean().unwrap_or(1.0));
            let cases = sums[0].cases;
            let (less, more) = (sums[0].less, sums[0].more);
            let (exact, runs) = ended;
            let total = total.mean().unwrap_or(0.0);
            text += &format!(
                "{tests:<12} {algorithm:<10} {what:<12} {cases:>5} {symbols:>8.3} {queries:>8.3} \
                 {learning:>9.3} {less:>5} {more:>5} {total:>11.0}   {exact} of {runs}\n"
            );
        }
    }
    text
}

const LEGEND: &str = "\
Costs of learning with --like beside those without, until the model is right: geometric means over the pairs, a pair
with the median over its seeds. Symbols and queries are those of learning and testing; `in symbols` is what learning
with --like and testing costs.

tests        learner    like         pairs  symbols  queries  learning  less  more  in symbols   exact runs
";
