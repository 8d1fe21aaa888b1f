//! What an older model saves: a newer model is learned without help, with the older model as advice,
//! and with itself as advice.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use mealybug::machine::{Builder, Machine};
use mealybug_core::{Mealy, Tests};
use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::cases::{CostComparison, median};
use crate::learner::MeasuredLearner;
use crate::model::{ModelError, SuiteModel, read_machine};
use crate::origin::{MeasuredModel, RowOrigin, VERSION};
use crate::row::{EXACT, tests_name};
use crate::row_file::CsvRecord;
use crate::run::{BenchRun, RunOutcome, learn_like};
use crate::task::{BenchTask, Caps};

/// An older model and the newer one, which is to be learned.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The older model's suite and file.
    pub(crate) older_name: String,
    /// The older model, minimal.
    pub(crate) older: Machine,
    /// The newer model.
    pub(crate) model: SuiteModel,
}

/// Why there are no pairs.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum PairsError {
    /// The list cannot be read.
    #[error("cannot use {}: {error}", path.display())]
    #[diagnostic(help(
        "a list of pairs is a CSV file with the columns old and new, and perhaps inputs (same or renamed); \
         it names DOT files in the folder --models"
    ))]
    List {
        /// Which file.
        path: PathBuf,
        /// What went wrong.
        error: csv::Error,
    },
    /// A model of a pair cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    SuiteModel(#[from] ModelError),
}

/// A line of a list of pairs.
#[derive(Debug, Deserialize)]
pub(crate) struct PairLine {
    /// The older model's suite and file.
    old: String,
    /// The newer model's.
    new: String,
    inputs: Option<String>,
}

impl PairLine {
    /// The lines of the list at `list`.
    ///
    /// # Errors
    /// It cannot be read, or is no such list.
    pub(crate) fn read_all(list: &Path) -> Result<Vec<Self>, PairsError> {
        let csv = |error| PairsError::List { path: list.to_owned(), error };
        csv::Reader::from_path(list)
            .map_err(csv)?
            .into_deserialize()
            .collect::<Result<_, _>>()
            .map_err(csv)
    }
}

impl Pair {
    /// The pairs of a list; its models are in `folder`. Where the column `inputs` says
    /// `renamed`, the first input of the older model gets the name of the first one of the newer model,
    /// and so on.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn read_all(lines: &[PairLine], folder: &Path) -> Result<Vec<Self>, PairsError> {
        let pair = |PairLine { old, new, inputs }: &PairLine| {
            let newer = read_machine(&folder.join(new))?;
            let mut older = read_machine(&folder.join(old))?;
            if inputs.as_deref() == Some("renamed") {
                older = renamed(&older, newer.inputs());
            }
            let (older, model) = (older.minimise(), SuiteModel::new(new.clone(), newer));
            Ok(Self { older_name: old.clone(), older, model })
        };
        lines.iter().map(pair).collect()
    }
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
    let initial = Mealy::initial(machine);
    builder.build(initial).expect("it is as complete as before")
}

/// The advice that a run of a pair gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AdviceOf {
    Nothing,
    Older,
    Itself,
}

/// A run of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairJob<'p> {
    pair: &'p Pair,
    given: AdviceOf,
    learner: MeasuredLearner,
    tests: Tests,
    seed: u64,
}

impl<'p> PairJob<'p> {
    /// All runs of these pairs, learners, tests and seeds, each once. [`MeasuredLearner::Decompose`] is left
    /// out: it takes no advice.
    pub(crate) fn all(
        pairs: &'p [Pair],
        learners: &[MeasuredLearner],
        tests: &[Tests],
        seeds: u64,
    ) -> Vec<Self> {
        let mut jobs = Vec::new();
        for pair in pairs {
            for &tests in tests {
                for seed in 0..if tests.is_random() { seeds } else { 1 } {
                    for &learner in learners {
                        if learner == MeasuredLearner::Decompose {
                            continue;
                        }
                        let given = [AdviceOf::Nothing, AdviceOf::Older, AdviceOf::Itself];
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

    fn row(&self, run: &BenchRun, caps: &Caps<'_>) -> PairRow {
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
            outcome: run.outcome.to_string(),
            version: Some(VERSION.to_owned()),
            limits: Some(caps.written()),
        }
    }
}

impl BenchTask for PairJob<'_> {
    type RunRow = PairRow;

    fn key(&self) -> PairKey {
        let like = match self.given {
            AdviceOf::Nothing => None,
            AdviceOf::Older => Some(self.pair.older_name.clone()),
            AdviceOf::Itself => Some(self.pair.model.name.clone()),
        };
        let (algorithm, tests) = (self.learner.to_string(), tests_name(self.tests));
        PairKey { model: self.pair.model.name.clone(), like, algorithm, tests, seed: self.seed }
    }

    fn model(&self) -> MeasuredModel {
        self.pair.model.measured()
    }

    fn name(&self) -> String {
        let PairKey { model, like, algorithm, tests, seed } = self.key();
        let like = like.map_or_else(String::new, |like| format!(" like {like}"));
        format!("{model}{like}: {algorithm}, {tests}, seed {seed}")
    }

    fn run(&self, caps: &Caps<'_>) -> Option<PairRow> {
        let Self { pair, given, learner, tests, seed } = *self;
        let older = match given {
            AdviceOf::Nothing => None,
            AdviceOf::Older => Some(&pair.older),
            AdviceOf::Itself => Some(&pair.model.machine),
        };
        let options = learner.options(tests, seed);
        let run = learn_like(&pair.model, older, options, caps.testing_symbols, &caps.limits);
        let run = run.expect("a model has inputs, and the options make sense");
        (run.outcome != RunOutcome::Interrupted).then(|| self.row(&run, caps))
    }
}

/// Which run of a pair a row is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PairKey {
    model: String,
    like: Option<String>,
    algorithm: String,
    tests: String,
    seed: u64,
}

/// The row about a run of a pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PairRow {
    /// The model that was learned: suite and file.
    #[serde(rename = "Model")]
    model: String,
    /// The model that gave advice.
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
    /// Words on advice that were counterexamples.
    #[serde(rename = "Helped")]
    helped: u64,
    /// Wall time.
    #[serde(rename = "Seconds")]
    seconds: f64,
    /// How the run ended, as in other rows.
    #[serde(rename = "Outcome")]
    outcome: String,
    /// The version of the program.
    #[serde(rename = "Version")]
    version: Option<String>,
    /// The limits of the run, as on the command line.
    #[serde(rename = "Limits")]
    limits: Option<String>,
}

impl CsvRecord for PairRow {
    type Key = PairKey;

    const NEW_COLUMNS: usize = 2;

    fn key(&self) -> PairKey {
        let Self { model, like, algorithm, tests, seed, .. } = self.clone();
        PairKey { model, like, algorithm, tests, seed }
    }

    fn origin(&self) -> RowOrigin<'_> {
        RowOrigin {
            algorithm: &self.algorithm,
            tests: &self.tests,
            version: self.version.as_deref(),
            outcome: &self.outcome,
            limits: self.limits.as_deref(),
        }
    }

    fn model(&self) -> MeasuredModel {
        MeasuredModel { name: self.model.clone(), states: self.states }
    }
}

impl PairRow {
    fn queries(&self) -> u64 {
        self.learning_queries + self.testing_queries
    }

    fn symbols(&self) -> u64 {
        self.learning_symbols + self.testing_symbols
    }
}

/// What older models save: for each learner and kind of tests, the ratio of the costs with the older
/// model to those without, as a geometric mean over the pairs. Each pair is represented by its median
/// over the seeds.
pub(crate) fn pairs_summary(pairs: &[PairLine], rows: &[PairRow]) -> String {
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
            let mut sums = [CostComparison::default(); 3];
            let mut total = CostComparison::default();
            let mut ended = (0, 0);
            for pair in pairs {
                let name = &pair.new;
                let like = Some(if itself { name } else { &pair.old });
                let runs = [None, like].map(|like| groups.get(&(algorithm, tests, name, like)));
                let [Some(alone), Some(given)] = runs else { continue };
                let all = alone.iter().chain(given.iter());
                let exact = all.clone().filter(|row| row.outcome == EXACT).count();
                ended.0 += exact;
                ended.1 += all.clone().count();
                // What a run had cost when it was ended is no cost of learning.
                if exact < all.count() {
                    continue;
                }
                let costs: [fn(&PairRow) -> u64; 3] =
                    [PairRow::symbols, PairRow::queries, |row| row.learning_symbols];
                for (sum, of) in sums.iter_mut().zip(costs) {
                    let [given, alone] =
                        [given, alone].map(|rows| median(rows.iter().map(|row| of(row)).collect()));
                    sum.add(given, alone);
                }
                total.add(median(given.iter().map(|row| row.symbols()).collect()), 1);
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
Costs until the model is right, with an older model as advice, divided by those without it: geometric means over the
pairs on which each run learned its model. Each pair is represented by its median over the seeds. Symbols and queries
are those of learning and testing; `in symbols` is the number of symbols with the older model.

tests        learner    like         pairs  symbols  queries  learning  less  more  in symbols   exact runs
";
