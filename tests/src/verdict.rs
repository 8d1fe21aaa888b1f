//! Compares the mixture of tests with random Wp, from the rows of `mealybug-bench run`: each figure
//! with the bound that it must keep.
//!
//! A run that reaches the cap on testing symbols counts as the cap. The cost of a run that ran out
//! of time is unknown: all comparisons leave its model out, and the text names it.

use std::collections::BTreeMap;
use std::fmt::Write;

use mealybug::statistics::number;
use mealybug_bench::RunRow;

use crate::averages::{geometric_mean, median};
use crate::models::{Half, PROTOCOLS};

/// Larger models are ignored.
const MAX_STATES: u32 = 1000;

/// A run with this many testing symbols is at the cap.
const CAP: u64 = 2_000_000;

/// Models that the baseline learns with fewer testing symbols have nothing to gain.
const WORTH_IT: u64 = 2000;

/// How many seeds each model must have been learned with.
const SEEDS: usize = 5;

/// The baseline and the tests compared with it.
const KINDS: [&str; 2] = ["random-wp", "mixture"];

/// Interleavings, which need few tests.
const OTHERS: [&str; 2] = ["artificial", "labbaf-bcs"];

/// The figures, and what is wrong with them.
#[derive(Clone, Debug, Default)]
pub struct FiguresVerdict {
    /// A line for each figure.
    pub text: String,
    /// The broken bounds and the missing runs; empty if all is well.
    pub broken: Vec<String>,
}

/// The costs of the runs with one kind of tests, one for each seed.
type SeedCosts = Vec<LearningCost>;

/// The cost of a run until its last counterexample.
#[derive(Clone, Copy, Debug)]
struct LearningCost {
    testing: u64,
    all: u64,
    is_capped: bool,
}

/// A model with the runs of the baseline and of the mixture.
struct ModelRuns<'r> {
    suite: &'r str,
    model: &'r str,
    runs: [SeedCosts; 2],
}

impl FiguresVerdict {
    /// Judges the runs of OL* with the two kinds of tests; ignores all other rows.
    pub fn new(rows: &[RunRow]) -> Self {
        let mut verdict = Self::default();
        let cases = verdict.cases(rows);
        let of =
            |suites: &[&str]| cases.iter().filter(|case| suites.contains(&case.suite)).collect();
        let protocols: Vec<&ModelRuns<'_>> = of(&PROTOCOLS);
        verdict.say(format!("models of protocols: {}", protocols.len()));
        verdict.factors("all", &protocols);
        for half in [Half::Even, Half::Odd] {
            let half_of = protocols.iter().copied().filter(|case| Half::of(case.model) == half);
            verdict.factors(&half.to_string(), &half_of.collect::<Vec<_>>());
        }
        verdict.capped(&protocols);
        for suite in PROTOCOLS {
            verdict.sum(suite, "testing", &of(&[suite]), |cost| cost.testing, 1.0);
        }
        let is_learned =
            |case: &&&ModelRuns<'_>| case.runs.iter().flatten().all(|cost| !cost.is_capped);
        let learned: Vec<_> = protocols.iter().filter(is_learned).copied().collect();
        let what = "learning and testing";
        verdict.sum("protocols, learned in each run", what, &learned, |cost| cost.all, 1.0);
        // A run that does not find the last states has not learned them either.
        let [wp, mixture] = sums(&protocols, |cost| cost.all).map(number);
        verdict.say(format!("all protocols: {what} in sum {mixture} symbols instead of {wp}"));
        for suite in OTHERS {
            verdict.sum(suite, "learning and testing", &of(&[suite]), |cost| cost.all, 1.1);
        }
        verdict
    }

    /// The models that can be compared; notes those that cannot.
    fn cases<'r>(&mut self, rows: &'r [RunRow]) -> Vec<ModelRuns<'r>> {
        let mut runs = BTreeMap::<_, [Vec<&RunRow>; 2]>::new();
        for row in rows.iter().filter(|row| row.algorithm == "ol-star" && row.states <= MAX_STATES)
        {
            let suite = row.suite.as_str();
            let kind = KINDS.iter().position(|&kind| kind == row.tests);
            let Some(kind) = kind.filter(|_| PROTOCOLS.contains(&suite) || OTHERS.contains(&suite))
            else {
                continue;
            };
            runs.entry((suite, row.model.as_str())).or_default()[kind].push(row);
        }
        let mut cases = Vec::new();
        for ((suite, model), runs) in runs {
            if let Some(kind) = (0..2).find(|&kind| runs[kind].len() < SEEDS) {
                let (have, kind) = (runs[kind].len(), KINDS[kind]);
                self.broken.push(format!("{suite}/{model}: {have} runs of {SEEDS} with {kind}"));
                continue;
            }
            let ended = |row: &&RunRow| row.is_exact() || row.outcome == "max-symbols";
            let out_of_time =
                [0, 1].map(|kind| runs[kind].iter().filter(|row| !ended(row)).count());
            if out_of_time == [0, 0] {
                let runs = runs.map(|rows| rows.into_iter().map(cost).collect());
                cases.push(ModelRuns { suite, model, runs });
            } else {
                let [wp, mixture] = out_of_time;
                self.say(format!(
                    "left out: {suite}/{model}, out of time in {wp} runs with random Wp, {mixture} with the mixture"
                ));
            }
        }
        cases
    }

    fn say(&mut self, line: String) {
        writeln!(self.text, "{line}").expect("a string takes everything");
    }

    /// Adds a figure and the bound that it must keep.
    fn check(&mut self, line: String, bound: &str, is_kept: bool) {
        let line = format!("{line} ({bound})");
        if is_kept {
            self.say(line);
        } else {
            self.say(format!("{line} BROKEN"));
            self.broken.push(line);
        }
    }

    /// How many times fewer symbols the mixture asks, on models with something to gain: the
    /// geometric mean over the models of the medians over the seeds.
    fn factors(&mut self, what: &str, cases: &[&ModelRuns<'_>]) {
        let testing = |runs: &SeedCosts| median(runs.iter().map(|cost| cost.testing));
        let all = |runs: &SeedCosts| median(runs.iter().map(|cost| cost.all));
        let hard: Vec<_> = cases.iter().filter(|case| testing(&case.runs[0]) > WORTH_IT).collect();
        let mean = |of: &dyn Fn(&SeedCosts) -> u64| {
            let pairs: Vec<_> = hard.iter().map(|case| case.runs.each_ref().map(of)).collect();
            geometric_mean(&pairs)
        };
        let (on_testing, on_all) = (mean(&testing), mean(&all));
        let models = hard.len();
        self.check(
            format!("{what}: {models} models need more than {WORTH_IT} symbols of testing; the mixture 1/{on_testing:.2} of these"),
            "at most 1/6",
            models > 0 && on_testing >= 6.0,
        );
        self.check(
            format!("{what}: learning and testing together 1/{on_all:.2}"),
            "less than 1",
            models > 0 && on_all > 1.0,
        );
    }

    fn capped(&mut self, cases: &[&ModelRuns<'_>]) {
        let runs = |kind: usize| cases.iter().flat_map(move |case| &case.runs[kind]);
        let [wp, mixture] = [0, 1].map(|kind| runs(kind).filter(|cost| cost.is_capped).count());
        let all = runs(0).count();
        self.check(
            format!("of {all} runs at the cap: {mixture} instead of {wp}"),
            "at most half",
            2 * mixture <= wp,
        );
    }

    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    fn sum(
        &mut self,
        suite: &str,
        what: &str,
        cases: &[&ModelRuns<'_>],
        of: fn(&LearningCost) -> u64,
        most: f64,
    ) {
        let [wp, mixture] = sums(cases, of);
        let ratio = mixture as f64 / wp.max(1) as f64;
        let (wp, mixture) = (number(wp), number(mixture));
        let models = cases.len();
        self.check(
            format!("{suite}, {models} models: {what} in sum {mixture} symbols instead of {wp}, {ratio:.3}"),
            &format!("at most {most}"),
            models > 0 && ratio <= most,
        );
    }
}

/// The total costs of the baseline and of the mixture.
fn sums(cases: &[&ModelRuns<'_>], of: fn(&LearningCost) -> u64) -> [u64; 2] {
    [0, 1].map(|kind| cases.iter().flat_map(|case| &case.runs[kind]).map(of).sum())
}

fn cost(row: &RunRow) -> LearningCost {
    let is_capped = !row.is_exact();
    let last = row.last_learning_symbols.zip(row.last_testing_symbols);
    let (learning, testing) = match last {
        Some(last) if !is_capped => last,
        _ => (row.learning_symbols, row.testing_symbols.min(CAP)),
    };
    LearningCost { testing, all: learning + testing, is_capped }
}

#[cfg(test)]
mod tests {
    use mealybug_bench::EXACT;

    use super::*;

    /// A run that asked `testing` symbols until its last counterexample, and ten to learn.
    fn row([suite, model, tests]: [&str; 3], seed: u64, testing: u64) -> RunRow {
        let is_capped = testing >= CAP;
        RunRow {
            suite: suite.to_owned(),
            model: model.to_owned(),
            algorithm: "ol-star".to_owned(),
            tests: tests.to_owned(),
            seed,
            learning_symbols: 10,
            testing_symbols: testing,
            last_learning_symbols: Some(if is_capped { 0 } else { 10 }),
            last_testing_symbols: Some(if is_capped { 0 } else { testing }),
            outcome: if is_capped { "max-symbols" } else { EXACT }.to_owned(),
            ..RunRow::default()
        }
    }

    /// Five seeds of a model of each suite and half with each kind of tests.
    fn rows(cost: impl Fn(&str, &str) -> u64) -> Vec<RunRow> {
        let suites = PROTOCOLS.into_iter().chain(OTHERS);
        let mut rows = Vec::new();
        for (suite, model) in suites.flat_map(|suite| [(suite, "a.dot"), (suite, "b.dot")]) {
            for tests in KINDS {
                rows.extend(
                    (0..5).map(|seed| row([suite, model, tests], seed, cost(suite, tests))),
                );
            }
        }
        assert!(Half::of("a.dot") != Half::of("b.dot"), "one of each half");
        rows
    }

    fn cheap(_: &str, tests: &str) -> u64 {
        if tests == "mixture" { 500 } else { 4000 }
    }

    #[test]
    fn figures_are_said_and_kept() {
        let verdict = FiguresVerdict::new(&rows(cheap));
        assert_eq!(verdict.broken, Vec::<String>::new());
        for line in [
            "odd half: 7 models need more than 2000 symbols of testing; the mixture 1/8.00 of these (at most 1/6)",
            "odd half: learning and testing together 1/7.86 (less than 1)",
            "of 70 runs at the cap: 0 instead of 0 (at most half)",
            "tlsprint, 2 models: testing in sum 5 000 symbols instead of 40 000, 0.125 (at most 1)",
            "protocols, learned in each run, 14 models: learning and testing in sum 35 700 symbols instead of 280 700, 0.127 (at most 1)",
            "labbaf-bcs, 2 models: learning and testing in sum 5 100 symbols instead of 40 100, 0.127 (at most 1.1)",
        ] {
            assert!(verdict.text.contains(line), "{line}\n{}", verdict.text);
        }
    }

    #[test]
    fn each_bound_can_be_broken() {
        let broken = |rows: &[RunRow]| FiguresVerdict::new(rows).broken.join("\n");
        let dear = rows(|_, tests| if tests == "mixture" { 700 } else { 4000 });
        assert!(broken(&dear).contains("even half: 7 models"), "less than a sixth");
        let capped = rows(|_, tests| if tests == "mixture" { CAP } else { 4000 });
        assert!(broken(&capped).contains("at the cap: 70 instead of 0"));
        let suite = rows(|suite, tests| if suite == "scl-star" { 30 } else { cheap(suite, tests) });
        assert_eq!(broken(&suite), "", "as much is not more");
        let suite = rows(|suite, tests| match (suite, tests) {
            ("scl-star", "mixture") => 1999,
            ("scl-star", _) => 1998,
            _ => cheap(suite, tests),
        });
        assert!(
            broken(&suite).starts_with("scl-star, 2 models: testing in sum"),
            "{}",
            broken(&suite)
        );
        let other = |mixture| {
            broken(&rows(|suite, tests| match (suite, tests) {
                ("labbaf-bcs", "mixture") => mixture,
                ("labbaf-bcs", _) => 1000,
                _ => cheap(suite, tests),
            }))
        };
        assert_eq!(other(1101), "", "1111 of 1010");
        assert!(other(1102).starts_with("labbaf-bcs, 2 models: learning and testing in sum"));
        assert!(broken(&[]).contains("even half: 0 models"), "nothing proves nothing");
    }

    #[test]
    fn what_is_missing_or_out_of_time_is_named() {
        let mut all = rows(cheap);
        let lost = all.pop().expect("a row");
        let missing = format!("{}/{}: 4 runs of 5 with mixture", lost.suite, lost.model);
        assert_eq!(FiguresVerdict::new(&all).broken, [missing]);
        all.push(RunRow { outcome: "time-out".to_owned(), ..lost });
        let verdict = FiguresVerdict::new(&all);
        assert_eq!(verdict.broken, Vec::<String>::new());
        let left_out =
            "left out: labbaf-bcs/b.dot, out of time in 0 runs with random Wp, 1 with the mixture";
        assert!(verdict.text.starts_with(left_out), "{}", verdict.text);
        let large = all.iter().cloned().map(|row| RunRow { states: 1001, ..row });
        assert!(FiguresVerdict::new(&large.collect::<Vec<_>>()).text.contains("protocols: 0"));
    }
}
