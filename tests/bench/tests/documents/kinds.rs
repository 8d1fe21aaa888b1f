//! Kinds of tests beside each other.

use std::fs;

use mealybug_bench::{Case, CaseCosts, RunRow};

use crate::rows::{CommittedCases, ModelCosts, PROTOCOLS, beside, mean, of_models, root, rows};
use crate::section::{DocsSection, table_rows};

/// A large number of symbols, in millions.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn millions(symbols: u64) -> String {
    let millions = symbols as f64 / 1e6;
    if millions < 99.95 { format!("{millions:.1} M") } else { format!("{millions:.0} M") }
}

fn of_protocols(case: &&Case) -> bool {
    PROTOCOLS.contains(&&*case.suite)
}

/// The number of rows of a kind of tests that ended so, on models of protocols.
fn ended(rows: &[RunRow], tests: &str, outcome: &str) -> usize {
    let of_kind = rows.iter().filter(|row| row.tests == tests && PROTOCOLS.contains(&&*row.suite));
    of_kind.filter(|row| row.outcome == outcome).count()
}

#[test]
fn where_real_models_cost() {
    let rows = rows("tests");
    let cases = CommittedCases::read("tests");
    let costs = |tests, cost: fn(&CaseCosts) -> u64| {
        of_models(cases.of("ol-star", tests).filter(of_protocols), cost)
    };
    let ratio =
        |tests, cost| mean(&beside(&costs(tests, cost), &costs("random-wp", cost), &PROTOCOLS));
    let kinds = [
        ("mixture", " (the default)"),
        ("coverage", ""),
        ("splice", ""),
        ("random-wp", ", as in the paper"),
        ("systematic", ""),
        ("random-words", ""),
        ("components:1", ""),
        ("components:2", ""),
        ("wp:1", ""),
        ("w:1", ""),
    ];
    let table = kinds.map(|(tests, note)| {
        let of_kind = cases.of("ol-star", tests).filter(of_protocols);
        let runs: usize = of_kind.map(|case| case.runs).sum();
        let [at_cap, out_of_time, wrong] =
            ["max-symbols", "time-out", "wrong"].map(|outcome| ended(&rows, tests, outcome));
        let means = [ratio(tests, |it| it.last_testing), ratio(tests, |it| it.last)];
        let means = means.map(|it| if tests == "random-wp" { "1".to_owned() } else { format!("{it:.2}") });
        let [learning, testing] = [costs(tests, |it| it.last_learning), costs(tests, |it| it.last_testing)]
            .map(|costs| millions(costs.values().sum()));
        // Kinds that draw at random do not end by themselves.
        let wrong = if tests.contains(':') { format!(" {wrong}") } else { String::new() };
        let [testing_mean, all_mean] = means;
        format!(
            "| {tests}{note} | {runs} | {at_cap} | {out_of_time} |{wrong} | {learning} | {testing} | {testing_mean} | {all_mean} |\n"
        )
    });
    let section = DocsSection::of("docs/benchmarks.md", "## Where real models cost");
    section.says(&table.concat());

    let in_time = |tests: &'static str| {
        let mut all = costs(tests, |it| it.last_testing);
        for row in rows.iter().filter(|row| row.tests == tests && row.outcome == "time-out") {
            all.remove(&(&*row.suite, &*row.model));
        }
        mean(&beside(&all, &costs("random-wp", |it| it.last_testing), &PROTOCOLS))
    };
    section.says(&format!(
        "Without the models of such runs the means of testing are {:.2} for coverage, {:.2} for components:1 and {:.2} for wp:1.",
        in_time("coverage"),
        in_time("components:1"),
        in_time("wp:1")
    ));
    let random_wp =
        rows.iter().filter(|row| row.tests == "random-wp" && PROTOCOLS.contains(&&*row.suite));
    let (all, missed) =
        random_wp.fold((0, 0), |(all, missed), row| (all + 1, missed + u32::from(!row.is_exact())));
    section.says(&format!(
        "{:.0} % of the runs of random Wp do not find them",
        100.0 * f64::from(missed) / f64::from(all)
    ));
    section.says(&format!(
        "on {} of {} models `wp:1` passed a model that is wrong",
        ended(&rows, "wp:1", "wrong"),
        costs("wp:1", |it| it.last).len()
    ));

    let totals = |suites: &[&str], is_exact: bool| {
        let [mixture, random_wp] = ["mixture", "random-wp"].map(|tests| {
            let of_kind = cases.of("ol-star", tests).filter(|case| suites.contains(&&*case.suite));
            of_models(of_kind.filter(|case| !is_exact || case.is_exact()), |it| it.last)
        });
        let compared = beside(&mixture, &random_wp, suites);
        (compared.cases, compared.sum as f64 / compared.other_sum as f64)
    };
    let [(artificial, of_artificial), (labbaf, of_labbaf)] =
        ["artificial", "labbaf-bcs"].map(|suite| totals(&[suite], true));
    section.says(&format!(
        "{of_artificial:.2} times as many in total on the {artificial} artificial models, {of_labbaf:.2} times on Labbaf's {labbaf},"
    ));
    let ((both, of_both), (_, of_all)) = (totals(&PROTOCOLS, true), totals(&PROTOCOLS, false));
    section.says(&format!(
        "on the {both} models that both learn in each run the mixture asks {of_both:.2} times as much in total, learning included, but on \
         all together {of_all:.1} times as much."
    ));
}

#[test]
fn the_mixture_beside_random_wp() {
    let [wp_rows, mixture_rows] = ["random-wp", "tree"].map(rows);
    let [wp_cases, mixture_cases] = ["random-wp", "tree"].map(CommittedCases::read);
    let testing = |it: &CaseCosts| it.last_testing;
    let random_wp = of_models(wp_cases.of("ol-sharp", "random-wp"), testing);
    let mut mixture = of_models(mixture_cases.of("ol-sharp", "mixture"), testing);
    mixture.retain(|model, _| random_wp.contains_key(model));
    let dear: ModelCosts<'_> = random_wp
        .iter()
        .filter(|(_, symbols)| **symbols > 2000)
        .map(|(&model, &symbols)| (model, symbols))
        .collect();
    let at_cap = |rows: &[RunRow], tests: &str, suite: &str| {
        let of_suite = rows.iter().filter(|row| {
            row.algorithm == "ol-sharp"
                && row.tests == tests
                && row.suite == suite
                && random_wp.contains_key(&(&*row.suite, &*row.model))
        });
        of_suite.filter(|row| row.outcome == "max-symbols").count()
    };
    let of_suite = |costs: &ModelCosts<'_>, wanted: &str| {
        let of_suite = costs.iter().filter(|((suite, _), _)| *suite == wanted);
        of_suite.map(|(_, symbols)| symbols).sum::<u64>() as f64
    };
    let (mut factors, mut caps) = (Vec::new(), [0, 0]);
    let table = PROTOCOLS
        .map(|suite| {
            let compared = beside(&dear, &mixture, &[suite]);
            if compared.cases >= 5 {
                factors.push(mean(&compared));
            }
            let here =
                [at_cap(&wp_rows, "random-wp", suite), at_cap(&mixture_rows, "mixture", suite)];
            caps = [caps[0] + here[0], caps[1] + here[1]];
            vec![
                suite.to_owned(),
                compared.cases.to_string(),
                compared.mean().map_or("–".to_owned(), |it| format!("{it:.1}")),
                format!("{:.2}", of_suite(&mixture, suite) / of_suite(&random_wp, suite)),
                format!("{}, {}", here[0], here[1]),
            ]
        })
        .to_vec();
    let logs: f64 = factors.iter().map(|factor| factor.ln()).sum();
    let factor = format!("{:.1}", (logs / factors.len() as f64).exp());
    let of_all = format!(
        "| all with five such models, geometric mean | | {factor} | | {}, {} |\n",
        caps[0], caps[1]
    );
    let section = DocsSection::of(
        "docs/measurements/mixture.md",
        "## Beside random Wp since tests begin short",
    );
    section.says(&(table_rows(&table) + &of_all));
    section.says(&format!(
        "the {} models of protocols with at most 1500 transitions",
        random_wp.len()
    ));
    let ble =
        wp_rows.iter().filter(|row| row.suite == "ble-learning").map(|row| row.testing_symbols);
    let (runs, symbols) = ble.fold((0, 0), |(runs, symbols), it| (runs + 1, symbols + it));
    section.says(&format!("random Wp finds all there for some {} symbols a run", symbols / runs));

    let mixture_md = "mixture.md#beside-random-wp-since-tests-begin-short";
    DocsSection::of("docs/testing.md", "### What the default tests find").says(&format!(
        "the mixture with OL# needs 1/{factor} of random Wp's testing symbols ([by suite](measurements/{mixture_md}))"
    ));
    DocsSection::of("docs/benchmarks.md", "## Where real models cost")
        .says(&format!("with five and OL# it is [1/{factor}](measurements/{mixture_md})"));
}

#[test]
fn the_verdict_of_tests_run_testing() {
    let text = fs::read_to_string(root().join("docs/measurements/testing.txt")).expect("a text");
    let figure = |line: &str, before: &str| -> f64 {
        let mut found =
            text.lines().filter(|it| it.starts_with(line)).filter_map(|it| it.split_once(before));
        let (_, after) =
            found.next().unwrap_or_else(|| panic!("testing.txt says no `{line}…{before}`"));
        after.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    DocsSection::of("docs/benchmarks.md", "## Where real models cost").says(&format!(
        "the mixture needs 1/{:.0} of them (1/{:.1} on the half by which its kinds were chosen, 1/{:.1} on the other), and 1/{:.1} with \
         learning; {} runs at the cap instead of {}.",
        figure("all: ", "the mixture 1/"),
        figure("even half: ", "the mixture 1/"),
        figure("odd half: ", "the mixture 1/"),
        figure("all: ", "together 1/"),
        figure("of 855 runs", "at the cap: "),
        figure("of 855 runs", "instead of ")
    ));
}
