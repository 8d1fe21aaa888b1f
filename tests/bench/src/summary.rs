//! Tables of text about rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mealybug::statistics::number;

use crate::cases::{Case, CostComparison};
use crate::row::RunRow;

/// The learner that others are compared with.
pub(crate) const BASELINE: &str = "l-star";

/// How the names of learners of other programs begin: tests/peers measures them.
const PEERS: [&str; 2] = ["aalpy-", "learnlib-"];

/// The kind of tests that others are compared with.
const BASELINE_TESTS: &str = "random-wp";

/// The name of free counterexamples.
const PERFECT: &str = "perfect";

/// The name of all suites together.
const ALL_SUITES: &str = "all suites";

/// The tables: learners beside L*, for each suite and kind of tests; and kinds of tests beside random
/// Wp, for each suite and learner.
pub(crate) fn summary(rows: &[RunRow]) -> String {
    let cases = Case::all(rows);
    let mut suites: Vec<_> = different(&cases, |case| case.suite.as_str());
    if suites.len() > 1 {
        suites.push(ALL_SUITES);
    }
    let mut text = LEGEND.to_owned();
    for &suite in &suites {
        let cases: Vec<_> = of_suite(&cases, suite).collect();
        for tests in different(cases.iter().copied(), |case| case.tests.as_str()) {
            let of = cases.iter().copied().filter(|case| case.tests == tests);
            text += &format!("\n{suite}, tests: {tests}\n{}", learners(of.collect()));
        }
    }
    for &suite in &suites {
        let cases: Vec<_> = of_suite(&cases, suite).collect();
        for algorithm in different(cases.iter().copied(), |case| case.algorithm.as_str()) {
            // Perfect counterexamples are free: there is nothing to compare.
            let is_tested = |case: &&Case| case.tests != PERFECT;
            let of = cases.iter().copied().filter(|case| case.algorithm == algorithm);
            let of: Vec<_> = of.filter(is_tested).collect();
            if of.is_empty() {
                continue;
            }
            text += &format!("\n{suite}, learner: {algorithm}\n{}", tests(of));
        }
    }
    text
}

const LEGEND: &str = "\
Each model is represented by its median over the seeds. Learners are compared with l-star on the models that both
learned in all of their runs: symbols of learning and testing in total, the geometric mean of the ratios, and the
numbers of models on which the learner asked less and more; and with the one of the peers, the learners of LearnLib and
AALpy, that asked least for a model: the mean, and the worst model. Kinds of tests are compared with random-wp by the symbols up
to the last counterexample: of testing, and of learning and testing. There, a run that did not learn its model counts all
its symbols.
";

/// The different values of cases.
fn different<'c>(
    cases: impl IntoIterator<Item = &'c Case>,
    value: impl Fn(&'c Case) -> &'c str,
) -> Vec<&'c str> {
    cases.into_iter().map(value).collect::<BTreeSet<_>>().into_iter().collect()
}

fn of_suite<'c>(cases: &'c [Case], suite: &'c str) -> impl Iterator<Item = &'c Case> {
    cases.iter().filter(move |case| suite == ALL_SUITES || case.suite == suite)
}

/// Learners beside the baseline.
fn learners(cases: Vec<&Case>) -> SummaryTable {
    let mut table = SummaryTable::new(&[
        "learner",
        "models",
        "runs",
        "not exact",
        "compared",
        "symbols",
        "l-star",
        "mean",
        "less",
        "more",
        "best peer",
        "worst",
    ]);
    let peers = fewest_of_peers(&cases);
    for (algorithm, own) in grouped(&cases, |case| case.algorithm.as_str()) {
        let (mut compared, mut beside_peers) =
            (CostComparison::default(), CostComparison::default());
        let baseline = by_model(&cases, |case| case.algorithm == BASELINE);
        for case in &own {
            if let Some(other) = baseline.get(&(&*case.suite, &*case.model))
                && case.is_exact()
                && other.is_exact()
            {
                compared.add(case.costs.symbols, other.costs.symbols);
            }
            if let Some(&fewest) = peers.get(&(&*case.suite, &*case.model))
                && case.is_exact()
            {
                beside_peers.add(case.costs.symbols, fewest);
            }
        }
        let mut row = vec![algorithm.to_owned(), number(own.len() as u64)];
        row.extend(outcomes(&own));
        row.extend([u64::from(compared.cases), compared.sum, compared.other_sum].map(number));
        row.push(ratio(compared.mean()));
        row.extend([compared.less, compared.more].map(number));
        row.extend([beside_peers.mean(), beside_peers.worst()].map(ratio));
        table.row(row);
    }
    table
}

/// For each model the fewest symbols with which a learner of another program learned it in all of its runs.
fn fewest_of_peers<'c>(cases: &[&'c Case]) -> BTreeMap<(&'c str, &'c str), u64> {
    let mut fewest = BTreeMap::new();
    let is_peer = |case: &Case| PEERS.iter().any(|name| case.algorithm.starts_with(name));
    for case in cases.iter().filter(|case| is_peer(case) && case.is_exact()) {
        let symbols = case.costs.symbols;
        let known = fewest.entry((&*case.suite, &*case.model)).or_insert(symbols);
        *known = symbols.min(*known);
    }
    fewest
}

/// Kinds of tests beside the baseline.
fn tests(cases: Vec<&Case>) -> SummaryTable {
    let mut table = SummaryTable::new(&[
        "tests",
        "models",
        "runs",
        "not exact",
        "learning",
        "testing",
        "compared",
        "mean testing",
        "mean all",
    ]);
    for (tests, own) in grouped(&cases, |case| case.tests.as_str()) {
        let (mut testing, mut all) = (CostComparison::default(), CostComparison::default());
        let baseline = by_model(&cases, |case| case.tests == BASELINE_TESTS);
        for case in &own {
            if let Some(other) = baseline.get(&(&*case.suite, &*case.model)) {
                testing.add(case.costs.last_testing, other.costs.last_testing);
                all.add(case.costs.last, other.costs.last);
            }
        }
        let mut row = vec![tests.to_owned(), number(own.len() as u64)];
        row.extend(outcomes(&own));
        row.push(number(own.iter().map(|case| case.costs.last_learning).sum::<u64>()));
        row.push(number(own.iter().map(|case| case.costs.last_testing).sum::<u64>()));
        row.push(number(testing.cases));
        row.extend([testing.mean(), all.mean()].map(ratio));
        table.row(row);
    }
    table
}

fn grouped<'c>(
    cases: &[&'c Case],
    value: impl Fn(&'c Case) -> &'c str,
) -> BTreeMap<&'c str, Vec<&'c Case>> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    for &case in cases {
        groups.entry(value(case)).or_default().push(case);
    }
    groups
}

/// The cases of a kind by suite and model.
fn by_model<'c>(
    cases: &[&'c Case],
    is_wanted: impl Fn(&Case) -> bool,
) -> BTreeMap<(&'c str, &'c str), &'c Case> {
    let wanted = cases.iter().filter(|case| is_wanted(case));
    wanted.map(|&case| ((&*case.suite, &*case.model), case)).collect()
}

/// The number of runs, and of those that did not learn their model.
fn outcomes(cases: &[&Case]) -> [String; 2] {
    let runs: usize = cases.iter().map(|case| case.runs).sum();
    let exact: usize = cases.iter().map(|case| case.exact).sum();
    [number(runs as u64), number((runs - exact) as u64)]
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

/// A table of text: the first column to the left, the others to the right.
struct SummaryTable(Vec<Vec<String>>);

impl SummaryTable {
    fn new(heads: &[&str]) -> Self {
        Self(vec![heads.iter().map(ToString::to_string).collect()])
    }

    fn row(&mut self, cells: Vec<String>) {
        self.0.push(cells);
    }
}

impl fmt::Display for SummaryTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width =
            |column: usize| self.0.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        for row in &self.0 {
            for (column, cell) in row.iter().enumerate() {
                let width = width(column);
                match column {
                    0 => write!(f, "  {cell:<width$}")?,
                    _ => write!(f, "  {cell:>width$}")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::testing::row;

    fn lines(text: &str, title: &str) -> Vec<Vec<String>> {
        let table = text.split("\n\n").find(|part| part.starts_with(title)).expect("a table");
        let cells = |line: &str| {
            line.split("  ")
                .filter(|cell| !cell.is_empty())
                .map(|cell| cell.trim().to_owned())
                .collect()
        };
        table.lines().skip(2).map(cells).collect()
    }

    #[test]
    fn medians_sums_means_wins_and_losses() {
        let mut rows = Vec::new();
        for (seed, more) in (0..).zip([0, 1, 900]) {
            rows.push(row(["s", "one", "ol-star", "random-wp"], seed, 100 + more, 0));
            rows.push(row(["s", "one", "l-star", "random-wp"], seed, 399 + more, 5));
            rows.push(row(["s", "two", "ol-star", "random-wp"], seed, 90, 110));
            rows.push(row(["s", "two", "l-star", "random-wp"], seed, 50, 50));
            rows.push(row(["s", "two", "ol-star", "mixture"], seed, 90, 11));
        }
        // A model that L* did not always learn is not compared; the runs count.
        for algorithm in ["ol-star", "l-star"] {
            rows.push(row(["s", "three", algorithm, "random-wp"], 0, 7, 7));
        }
        rows.last_mut().expect("a row").outcome = "time-out".to_owned();
        rows.push(row(["s", "one", "aalpy-kv", "random-wp"], 0, 400, 0));
        rows.push(row(["s", "one", "learnlib-ttt", "random-wp"], 0, 300, 0));
        rows.push(row(["s", "two", "learnlib-ttt", "random-wp"], 0, 60, 40));
        rows.push(row(["s", "one", "aalpy-lsharp", "random-wp"], 0, 1, 0));
        rows.last_mut().expect("a row").outcome = "time-out".to_owned();
        let text = summary(&rows);
        // 101 of 405 and 200 of 100: √(0.2494 · 2) = 0.71.
        let learners = lines(&text, "s, tests: random-wp");
        let l_star = ["l-star", "3", "7", "1", "2", "505", "505", "1.00", "0", "0", "1.16", "1.35"];
        assert_eq!(learners[2], l_star);
        // Of the peers that learned `one` in all of their runs the best asks 300; `two` costs it 100.
        let ol_star =
            ["ol-star", "3", "7", "0", "2", "301", "505", "0.71", "1", "1", "0.82", "2.00"];
        assert_eq!(learners[4], ol_star);
        // Until the last counterexample: of learning half; of testing 11 of 110; 45 + 11 of 45 + 110.
        let tests = lines(&text, "s, learner: ol-star");
        assert_eq!(tests[0], ["mixture", "1", "3", "0", "45", "11", "1", "0.10", "0.36"]);
        assert_eq!(tests[1][..6], ["random-wp", "3", "7", "0", "98", "117"]);
        // The run that did not end exact counts with all of its learning.
        assert_eq!(lines(&text, "s, learner: l-star")[0][4..6], ["232", "62"]);
        assert!(!text.contains(ALL_SUITES), "there is one");
    }
}
