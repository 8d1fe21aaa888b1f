//! The committed rows, and comparisons of their costs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mealybug_bench::{Case, CaseCosts, CostComparison, RunRow};

/// The suites of models of protocols that documents speak of.
pub(crate) const PROTOCOLS: [&str; 7] = [
    "automata_wiki",
    "ble-learning",
    "dtls-fuzzer",
    "dynamiclstarm",
    "fingerprinting",
    "scl-star",
    "tlsprint",
];

/// A cost of each model, by its suite and file.
pub(crate) type ModelCosts<'c> = BTreeMap<(&'c str, &'c str), u64>;

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows in `docs/benchmarks/FOLDER`.
pub(crate) fn rows(folder: &str) -> Vec<RunRow> {
    RunRow::read_all(&root().join("docs/benchmarks").join(folder)).expect("rows")
}

/// What rows say: each case stands for the runs that differ only in their seeds.
pub(crate) struct CommittedCases(Vec<Case>);

impl CommittedCases {
    /// The cases of the rows in `docs/benchmarks/FOLDER`.
    pub(crate) fn read(folder: &str) -> Self {
        Self(Case::all(&rows(folder)))
    }

    /// The cases of a learner with a kind of tests.
    pub(crate) fn of(&self, algorithm: &str, tests: &str) -> impl Iterator<Item = &Case> {
        self.0.iter().filter(move |case| case.algorithm == algorithm && case.tests == tests)
    }

    /// What it costs a learner to learn each model that it learned in all of its runs.
    pub(crate) fn costs(&self, algorithm: &str, tests: &str) -> ModelCosts<'_> {
        of_models(self.of(algorithm, tests).filter(|case| case.is_exact()), |it| it.symbols)
    }

    /// The symbols of that learner of LearnLib or AALpy which asks least for a model, with perfect counterexamples.
    pub(crate) fn best_peer(&self, is_wanted: impl Fn(&str) -> bool) -> ModelCosts<'_> {
        let mut best = ModelCosts::new();
        for peer in self.peers().into_iter().filter(|peer| is_wanted(peer)) {
            for (model, symbols) in self.costs(peer, "perfect") {
                let known = best.entry(model).or_insert(symbols);
                *known = symbols.min(*known);
            }
        }
        best
    }

    /// The learners of LearnLib and AALpy with perfect counterexamples, by their names.
    pub(crate) fn peers(&self) -> Vec<&str> {
        let of_peers =
            |case: &&Case| ["aalpy-", "learnlib-"].iter().any(|it| case.algorithm.starts_with(it));
        let perfect = self.0.iter().filter(|case| case.tests == "perfect").filter(of_peers);
        let mut names: Vec<_> = perfect.map(|case| &*case.algorithm).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// A cost of each of these cases.
pub(crate) fn of_models<'c>(
    cases: impl Iterator<Item = &'c Case>,
    cost: fn(&CaseCosts) -> u64,
) -> ModelCosts<'c> {
    cases.map(|case| ((&*case.suite, &*case.model), cost(&case.costs))).collect()
}

/// Compares costs on the models of these suites that have both.
pub(crate) fn beside(
    these: &ModelCosts<'_>,
    others: &ModelCosts<'_>,
    suites: &[&str],
) -> CostComparison {
    let mut comparison = CostComparison::default();
    for (model, &this) in these.iter().filter(|((suite, _), _)| suites.contains(suite)) {
        if let Some(&other) = others.get(model) {
            comparison.add(this, other);
        }
    }
    comparison
}

/// The mean ratio of a comparison.
pub(crate) fn mean(comparison: &CostComparison) -> f64 {
    comparison.mean().expect("models to compare")
}

/// The largest ratio of a comparison.
pub(crate) fn worst(comparison: &CostComparison) -> f64 {
    comparison.worst().expect("models to compare")
}

/// The number with two digits that count; from 1 on, with one behind the point.
pub(crate) fn in_short(number: f64) -> String {
    match number {
        0.1..0.995 => format!("{number:.2}"),
        ..0.1 => format!("{number:.3}"),
        _ => format!("{number:.1}"),
    }
}
