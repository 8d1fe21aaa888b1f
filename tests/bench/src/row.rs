//! The row about a run of `mealybug-bench run`: the columns of the published results, and some more.
//!
//! The harnesses of other learners write the same columns, so that all can be compared.

use std::path::Path;

use mealybug_core::Tests;
use serde::{Deserialize, Serialize};

use crate::origin::{MeasuredModel, RowOrigin};
use crate::row_file::{self, CsvRecord, RowError};

/// The outcome of a run that learned its model.
pub const EXACT: &str = "exact";

/// The row about a run: a model, a learner, a kind of tests and a seed. Numbers that a learner does not
/// have are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRow {
    /// The folder of the model.
    #[serde(rename = "Suite")]
    pub suite: String,
    /// Its file.
    #[serde(rename = "Model")]
    pub model: String,
    /// The learner.
    #[serde(rename = "Algorithm")]
    pub algorithm: String,
    /// The kind of tests.
    #[serde(rename = "Tests")]
    pub tests: String,
    /// Their seed.
    #[serde(rename = "Seed")]
    pub seed: u64,
    /// Hypotheses made.
    #[serde(rename = "Stages")]
    pub stages: u64,
    /// States of the minimal model.
    #[serde(rename = "States")]
    pub states: u32,
    /// Short rows of the table.
    #[serde(rename = "Short rows")]
    pub short_rows: Option<u64>,
    /// Inconsistencies of the table that were repaired.
    #[serde(rename = "Inconsistent count")]
    pub inconsistent: Option<u64>,
    /// Words for which no component had an output.
    #[serde(rename = "Zero outputs count")]
    pub zero_outputs: Option<u64>,
    /// Words for which several components had an output.
    #[serde(rename = "Two outputs count")]
    pub two_outputs: Option<u64>,
    /// Words asked to learn.
    #[serde(rename = "Learning queries")]
    pub learning_queries: u64,
    /// Their symbols.
    #[serde(rename = "Learning symbols")]
    pub learning_symbols: u64,
    /// Words asked to test.
    #[serde(rename = "Testing queries")]
    pub testing_queries: u64,
    /// Their symbols.
    #[serde(rename = "Testing symbols")]
    pub testing_symbols: u64,
    /// Symbols of learning when the last counterexample was found.
    #[serde(rename = "Last learning symbols")]
    pub last_learning_symbols: Option<u64>,
    /// Symbols of testing when the last counterexample was found.
    #[serde(rename = "Last testing symbols")]
    pub last_testing_symbols: Option<u64>,
    /// Wall time.
    #[serde(rename = "Seconds")]
    pub seconds: f64,
    /// Memory of the learner.
    #[serde(rename = "Memory bytes")]
    pub memory_bytes: Option<u64>,
    /// How the run ended: `exact`, or a limit.
    #[serde(rename = "Outcome")]
    pub outcome: String,
    /// States of the last hypothesis, minimal.
    #[serde(rename = "Found states")]
    pub found_states: Option<u32>,
    /// The version of the program.
    #[serde(rename = "Version")]
    pub version: Option<String>,
    /// The limits of the run, as on the command line.
    #[serde(rename = "Limits")]
    pub limits: Option<String>,
}

/// Which run a row is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RowKey {
    /// The folder of the model.
    pub(crate) suite: String,
    /// Its file.
    pub(crate) model: String,
    /// The learner.
    pub(crate) algorithm: String,
    /// The kind of tests.
    pub(crate) tests: String,
    /// Their seed.
    pub(crate) seed: u64,
}

impl RunRow {
    /// The rows in all CSV files of a folder, file by file.
    ///
    /// # Errors
    /// A file cannot be read, or something else is in it; or the rows of a learner and kind of tests are of different
    /// versions, or of runs that different limits ended. A last line that is being written is left out.
    pub fn read_all(folder: &Path) -> Result<Vec<Self>, RowError> {
        row_file::read_all(folder)
    }

    /// Whether the model was learned.
    pub fn is_exact(&self) -> bool {
        self.outcome == EXACT
    }

    /// Words asked in all.
    pub fn queries(&self) -> u64 {
        self.learning_queries + self.testing_queries
    }

    /// Symbols asked in all.
    pub fn symbols(&self) -> u64 {
        self.learning_symbols + self.testing_symbols
    }
}

impl CsvRecord for RunRow {
    type Key = RowKey;

    const NEW_COLUMNS: usize = 2;

    fn key(&self) -> RowKey {
        let Self { suite, model, algorithm, tests, seed, .. } = self;
        let [suite, model, algorithm, tests] = [suite, model, algorithm, tests].map(String::clone);
        RowKey { suite, model, algorithm, tests, seed: *seed }
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
        MeasuredModel { name: format!("{}/{}", self.suite, self.model), states: self.states }
    }
}

/// The name of a kind of tests in rows.
pub(crate) fn tests_name(tests: Tests) -> String {
    match tests {
        Tests::External => "perfect".to_owned(),
        tests => tests.to_string(),
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::{EXACT, RunRow};
    use crate::origin::VERSION;

    /// A run with these costs: symbols of learning, and of testing until the last counterexample.
    pub(crate) fn row(of: [&str; 4], seed: u64, learning: u64, testing: u64) -> RunRow {
        let [suite, model, algorithm, tests] = of.map(str::to_owned);
        RunRow {
            suite,
            model,
            algorithm,
            tests,
            seed,
            stages: 2,
            states: 6,
            short_rows: Some(6),
            learning_queries: learning / 4,
            learning_symbols: learning,
            testing_queries: testing / 10,
            testing_symbols: testing,
            last_learning_symbols: Some(learning / 2),
            last_testing_symbols: Some(testing),
            seconds: 0.5,
            memory_bytes: Some(1000),
            outcome: EXACT.to_owned(),
            found_states: Some(6),
            version: Some(VERSION.to_owned()),
            ..RunRow::default()
        }
    }
}
