//! The rows of `mealybug-bench verdicts`: each hypothesis of a run, what was known of it, and how many tests it passed.

use std::collections::BTreeMap;

use mealybug::algorithm::Algorithm;
use mealybug::confidence::TestEvidence;
use mealybug::statistics::number;
use mealybug_core::Tests;
use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::judged::{JudgedHypothesis, JudgedRun};
use crate::model::SuiteModel;
use crate::origin::{MeasuredModel, RowOrigin, VERSION};
use crate::row::{EXACT, tests_name};
use crate::row_file::CsvRecord;
use crate::task::{BenchTask, Caps};

/// A run ends after this many tests.
pub(crate) const CAP: u64 = 20_000;

/// A run that can be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VerdictJob<'m> {
    pub(crate) model: &'m SuiteModel,
    pub(crate) algorithm: Algorithm,
    pub(crate) tests: Tests,
    pub(crate) seed: u64,
}

impl BenchTask for VerdictJob<'_> {
    type RunRow = VerdictRow;

    fn key(&self) -> VerdictKey {
        let [suite, model] = [self.model.suite(), self.model.file()].map(str::to_owned);
        let (algorithm, tests) = (self.algorithm.to_string(), tests_name(self.tests));
        VerdictKey { suite, model, algorithm, tests, seed: self.seed }
    }

    fn model(&self) -> MeasuredModel {
        self.model.measured()
    }

    fn name(&self) -> String {
        let VerdictKey { suite, model, algorithm, tests, seed } = self.key();
        format!("{suite}/{model}: {algorithm}, {tests}, seed {seed}")
    }

    fn run(&self, _: &Caps<'_>) -> Option<VerdictRow> {
        let Self { model, algorithm, tests, seed } = *self;
        let run = JudgedRun::new(&model.machine, algorithm, tests, seed, CAP);
        let VerdictKey { suite, model: file, algorithm, tests, seed } = self.key();
        let hypotheses: Vec<_> = run.hypotheses.iter().map(written).collect();
        Some(VerdictRow {
            suite,
            model: file,
            algorithm,
            tests,
            seed,
            states: model.states,
            inputs: model.inputs(),
            is_right: run.tests.is_some(),
            hypotheses: hypotheses.join(" "),
            version: Some(VERSION.to_owned()),
        })
    }
}

/// Which run a row is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VerdictKey {
    suite: String,
    model: String,
    algorithm: String,
    tests: String,
    seed: u64,
}

/// The row about a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictRow {
    /// The folder of the model.
    #[serde(rename = "Suite")]
    pub(crate) suite: String,
    /// Its file.
    #[serde(rename = "Model")]
    model: String,
    /// The learner.
    #[serde(rename = "Algorithm")]
    pub(crate) algorithm: String,
    /// The kind of tests.
    #[serde(rename = "Tests")]
    pub(crate) tests: String,
    /// Their seed.
    #[serde(rename = "Seed")]
    seed: u64,
    /// States of the minimal model.
    #[serde(rename = "States")]
    pub(crate) states: u32,
    /// Its inputs.
    #[serde(rename = "Inputs")]
    inputs: u32,
    /// Whether the last hypothesis is right.
    #[serde(rename = "Right")]
    is_right: bool,
    /// Its hypotheses in their order, with blanks between. Each is
    /// `states:inputs told apart:dead ends:longest streak:tests passed`.
    #[serde(rename = "Hypotheses")]
    hypotheses: String,
    /// The version of the program.
    #[serde(rename = "Version")]
    version: Option<String>,
}

impl CsvRecord for VerdictRow {
    type Key = VerdictKey;

    const NEW_COLUMNS: usize = 1;

    fn key(&self) -> VerdictKey {
        let Self { suite, model, algorithm, tests, seed, .. } = self.clone();
        VerdictKey { suite, model, algorithm, tests, seed }
    }

    fn origin(&self) -> RowOrigin<'_> {
        let Self { algorithm, tests, version, .. } = self;
        // The limits of these runs are the same always.
        RowOrigin { algorithm, tests, version: version.as_deref(), outcome: EXACT, limits: None }
    }

    fn model(&self) -> MeasuredModel {
        MeasuredModel { name: format!("{}/{}", self.suite, self.model), states: self.states }
    }
}

fn written(hypothesis: &JudgedHypothesis) -> String {
    let JudgedHypothesis { passed, evidence, states, .. } = hypothesis;
    let TestEvidence { distinct_inputs, dead_ends, longest_streak, .. } = evidence;
    let dead_ends = (dead_ends * 1000.0).round() / 1000.0;
    format!("{states}:{distinct_inputs}:{dead_ends}:{longest_streak}:{passed}")
}

impl VerdictRow {
    /// The run. `None` if its hypotheses cannot be read.
    pub(crate) fn judged(&self) -> Option<JudgedRun> {
        let mut run = JudgedRun::default();
        let mut before = 0;
        let mut hypotheses = self.hypotheses.split_whitespace().peekable();
        while let Some(text) = hypotheses.next() {
            let [states, distinct_inputs, dead_ends, longest_streak, passed] =
                text.split(':').collect::<Vec<_>>()[..]
            else {
                return None;
            };
            let passed = passed.parse().ok()?;
            let is_right = self.is_right && hypotheses.peek().is_none();
            let evidence = TestEvidence {
                inputs: self.inputs,
                distinct_inputs: distinct_inputs.parse().ok()?,
                dead_ends: dead_ends.parse().ok()?,
                longest_streak: longest_streak.parse().ok()?,
            };
            let states = states.parse().ok()?;
            run.hypotheses.push(JudgedHypothesis { is_right, passed, evidence, states });
            if is_right {
                run.tests = Some(before);
            }
            before += passed + 1;
        }
        Some(run)
    }
}

/// How often predictions come true and how runs end, by learner and suite, with the default tests.
pub(crate) fn verdicts(rows: &[VerdictRow]) -> BTreeMap<(String, String), Calibration> {
    let mut calibrations = BTreeMap::<_, Calibration>::new();
    for row in rows.iter().filter(|row| row.tests == tests_name(Tests::Mixture)) {
        let Some(run) = row.judged() else { continue };
        calibrations.entry((row.algorithm.clone(), row.suite.clone())).or_default().add(&run);
    }
    calibrations
}

/// The summary: a line for each learner and suite.
pub(crate) fn verdicts_summary(rows: &[VerdictRow]) -> String {
    let mut text = LEGEND.to_owned();
    for ((algorithm, suite), calibration) in verdicts(rows) {
        text += &format!("{algorithm:<9} {}\n", calibration.line(&suite));
    }
    let mut others = BTreeMap::<&str, u64>::new();
    for row in rows.iter().filter(|row| row.tests != tests_name(Tests::Mixture)) {
        *others.entry(&row.tests).or_default() += 1;
    }
    if !others.is_empty() {
        let others: Vec<_> =
            others.iter().map(|(tests, runs)| format!("{tests} {}", number(*runs))).collect();
        text += &format!(
            "\nNot counted, since their tests are not mixture: runs with {}.\n",
            others.join(", ")
        );
    }
    text
}

const LEGEND: &str = "\
The predicted chance that a model is wrong. In each range: predicted chance %, wrong %, cases; ! above the 95 % interval.
A hypothesis counts once in a range. Of 40 ranges whose chances are right, one is marked.
Wrong: runs that converge by default with a wrong model. Undecided: runs that were ended before they converged or found the
right model, after 20 000 tests or a million symbols of tests. Soon: right models of which the run is sure within 10 000 tests.

";

#[cfg(test)]
mod tests {
    use mealybug::learn::Limits;

    use super::*;
    use crate::generate::{BehaviourFamily, hidden, random_base};

    #[test]
    fn a_row_says_what_the_run_was() {
        for seed in 0..4 {
            let machine =
                hidden(&random_base(seed), BehaviourFamily::Counter, seed).expect("it hides one");
            let model = SuiteModel::new(format!("counter/{seed}.dot"), machine.machine);
            let algorithm = Algorithm::OlSharp;
            let job = VerdictJob { model: &model, algorithm, tests: Tests::Mixture, seed };
            let caps = Caps { testing_symbols: u64::MAX, limits: Limits::UNLIMITED };
            let row = job.run(&caps).expect("it is not interrupted");
            assert_eq!(row.key(), job.key());
            let run = JudgedRun::new(&model.machine, Algorithm::OlSharp, Tests::Mixture, seed, CAP);
            let mut read = row.judged().expect("it was written");
            assert_eq!(read.tests, run.tests);
            assert_eq!(read.hypotheses.len(), run.hypotheses.len());
            for (read, made) in read.hypotheses.iter_mut().zip(&run.hypotheses) {
                assert!((read.evidence.dead_ends - made.evidence.dead_ends).abs() < 0.001);
                read.evidence.dead_ends = made.evidence.dead_ends;
                assert_eq!(read, made);
            }
            let bad = VerdictRow { hypotheses: "3:2:0:5".to_owned(), ..row };
            assert_eq!(bad.judged(), None);
        }
    }
}
