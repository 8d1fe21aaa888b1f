//! Cases: each stands for the runs that differ only in their seeds.

use std::collections::BTreeMap;

use crate::row::RunRow;

/// A model, a learner and a kind of tests, with the median over the seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The folder of the model.
    pub suite: String,
    /// Its file.
    pub model: String,
    /// States of the minimal model.
    pub states: u32,
    /// The learner.
    pub algorithm: String,
    /// The kind of tests.
    pub tests: String,
    /// The number of runs.
    pub runs: usize,
    /// The number of runs that learned the model.
    pub exact: usize,
    /// The median of their costs.
    pub costs: CaseCosts,
}

/// The median of the costs of several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CaseCosts {
    /// Words asked to learn.
    pub learning_queries: u64,
    /// Words asked to test.
    pub testing_queries: u64,
    /// Words asked.
    pub queries: u64,
    /// Symbols asked to learn.
    pub learning_symbols: u64,
    /// Symbols asked to test.
    pub testing_symbols: u64,
    /// Symbols asked.
    pub symbols: u64,
    /// Hypotheses made: equivalence queries.
    pub stages: u64,
    /// Symbols of learning until the last counterexample.
    pub last_learning: u64,
    /// Symbols of testing until then. A run that did not learn its model counts all its symbols.
    pub last_testing: u64,
    /// The sum of both.
    pub last: u64,
    /// Wall time.
    pub seconds: f64,
    /// Memory of the learner.
    pub memory_bytes: u64,
}

impl Case {
    /// The cases of these rows, ordered by suite, states, model, kind of tests, and learner.
    pub fn all(rows: &[RunRow]) -> Vec<Self> {
        let mut groups = BTreeMap::<_, Vec<&RunRow>>::new();
        for row in rows {
            let key = (&row.suite, row.states, &row.model, &row.tests, &row.algorithm);
            groups.entry(key).or_default().push(row);
        }
        groups.into_values().map(|rows| Self::new(&rows)).collect()
    }

    fn new(rows: &[&RunRow]) -> Self {
        let middle = |of: fn(&RunRow) -> u64| median(rows.iter().map(|row| of(row)).collect());
        let mut seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let RunRow { suite, model, states, algorithm, tests, .. } = rows[0];
        Self {
            suite: suite.clone(),
            model: model.clone(),
            states: *states,
            algorithm: algorithm.clone(),
            tests: tests.clone(),
            runs: rows.len(),
            exact: rows.iter().filter(|row| row.is_exact()).count(),
            costs: CaseCosts {
                learning_queries: middle(|row| row.learning_queries),
                testing_queries: middle(|row| row.testing_queries),
                queries: middle(RunRow::queries),
                learning_symbols: middle(|row| row.learning_symbols),
                testing_symbols: middle(|row| row.testing_symbols),
                symbols: middle(RunRow::symbols),
                stages: middle(|row| row.stages),
                last_learning: middle(|row| last(row).0),
                last_testing: middle(|row| last(row).1),
                last: middle(|row| last(row).0 + last(row).1),
                seconds: seconds[seconds.len() / 2],
                memory_bytes: middle(|row| row.memory_bytes.unwrap_or(0)),
            },
        }
    }

    /// Whether every run learned the model.
    pub fn is_exact(&self) -> bool {
        self.exact == self.runs
    }
}

/// Symbols of learning and of testing up to the last counterexample.
fn last(row: &RunRow) -> (u64, u64) {
    let found = (row.last_learning_symbols, row.last_testing_symbols);
    match found {
        (Some(learning), Some(testing)) if row.is_exact() => (learning, testing),
        _ => (row.learning_symbols, row.testing_symbols),
    }
}

/// The median; of an even count, the larger of the two in the middle.
pub(crate) fn median(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable();
    numbers[numbers.len() / 2]
}

/// The costs of a learner, or kind of tests, beside those of another, case by case.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostComparison {
    /// The number of cases.
    pub cases: u32,
    /// The costs of this one, in total.
    pub sum: u64,
    /// The costs of the other one, in total.
    pub other_sum: u64,
    /// The number of cases in which this one costs less.
    pub less: u32,
    /// The number of cases in which it costs more.
    pub more: u32,
    logs: f64,
    worst: f64,
}

impl CostComparison {
    /// Adds a case: the cost of this one, and of the other one.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub fn add(&mut self, this: u64, other: u64) {
        self.cases += 1;
        self.sum += this;
        self.other_sum += other;
        self.less += u32::from(this < other);
        self.more += u32::from(this > other);
        // A model that needs no test at all costs nothing either way.
        let ratio = this.max(1) as f64 / other.max(1) as f64;
        self.logs += ratio.ln();
        self.worst = self.worst.max(ratio);
    }

    /// The largest ratio, if there are any.
    pub fn worst(&self) -> Option<f64> {
        (self.cases > 0).then_some(self.worst)
    }

    /// The geometric mean of the ratios, if there are any.
    pub fn mean(&self) -> Option<f64> {
        (self.cases > 0).then(|| (self.logs / f64::from(self.cases)).exp())
    }
}
