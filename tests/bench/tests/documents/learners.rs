//! Learners beside each other.

use std::collections::BTreeMap;

use crate::rows::{CommittedCases, PROTOCOLS, beside, in_short, mean, rows, worst};
use crate::section::{DocsSection, table_rows};

const DOCUMENT: &str = "docs/benchmarks.md";

/// From the least to the largest mean of these learners beside L\*, suite by suite of protocols.
fn range(cases: &CommittedCases, learners: &[&str], tests: &str) -> String {
    let l_star = cases.costs("l-star", tests);
    let means: Vec<_> = learners
        .iter()
        .flat_map(|learner| {
            let own = cases.costs(learner, tests);
            PROTOCOLS.map(|suite| mean(&beside(&own, &l_star, &[suite])))
        })
        .collect();
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = means.iter().copied().fold(0.0, f64::max);
    format!("{} to {}", in_short(least), in_short(largest))
}

#[test]
fn the_papers_experiments() {
    let cases = CommittedCases::read("");
    let [ol_star, l_star] = ["ol-star", "l-star"].map(|learner| cases.costs(learner, "random-wp"));
    // The published results are not in this repository.
    let published = [
        ("artificial", "artificial", "0.035", "46, 0"),
        ("Labbaf", "labbaf-bcs", "1.14", "18, 27"),
    ];
    let rows = published.map(|(name, suite, ratio, less_more)| {
        let compared = beside(&ol_star, &l_star, &[suite]);
        let own = mean(&compared);
        let own = if own < 1.0 { format!("{own:.3}") } else { format!("{own:.2}") };
        let less_more_here = format!("{}, {}", compared.less, compared.more);
        let cells = [name, &compared.cases.to_string(), &own, ratio, &less_more_here, less_more];
        cells.map(str::to_owned).to_vec()
    });
    DocsSection::of(DOCUMENT, "## The paper's experiments").says(&table_rows(&rows));
}

#[test]
fn all_learners_side_by_side() {
    let cases = CommittedCases::read("");
    let section = DocsSection::of(DOCUMENT, "## All learners side by side");
    let beside_l_star = |learner: &str, tests, suite| {
        mean(&beside(&cases.costs(learner, tests), &cases.costs("l-star", tests), &[suite]))
    };
    let fingerprinting = beside_l_star("ol-star", "random-wp", "fingerprinting");
    section.says(&format!(
        "(with random Wp it asks {fingerprinting:.2} times as much on `fingerprinting`)"
    ));
    let [perfect, random_wp] =
        ["perfect", "random-wp"].map(|tests| beside_l_star("decompose", tests, "artificial"));
    section.says(&format!(
        "asks as little with perfect counterexamples ({perfect:.2}), and somewhat more with random Wp ({random_wp:.2})"
    ));
    let perfect = |learners: &[&str]| range(&cases, learners, "perfect");
    section.says(&format!(
        "with perfect counterexamples it asks {} times as much, suite by suite",
        perfect(&["ol-star"])
    ));
    section.says(&format!("no such way out, asks {} times as much", perfect(&["decompose"])));
    let trees =
        ["learnlib-kv", "aalpy-kv", "learnlib-ttt", "learnlib-adt", "aalpy-lsharp", "l-sharp"];
    section.says(&format!(
        "**With perfect counterexamples KV, TTT, ADT and L# ask {} times what L\\* asks**",
        perfect(&trees)
    ));
    let random_wp = |learner: &str| range(&cases, &[learner], "random-wp");
    section.says(&format!(
        "ADT asks {} times as much as our L\\*, AALpy's L# {}, TTT {}, LearnLib's KV {}, suite by suite.",
        random_wp("learnlib-adt"),
        random_wp("aalpy-lsharp"),
        random_wp("learnlib-ttt"),
        random_wp("learnlib-kv")
    ));
    let [own, other] = ["l-star", "learnlib-lstar"].map(|it| cases.costs(it, "perfect"));
    let mut suites: Vec<_> = own.keys().map(|(suite, _)| *suite).collect();
    suites.dedup();
    section.says(&format!(
        "cost the same with perfect counterexamples ({:.2}). With random Wp LearnLib's costs {:.1} times as much on the artificial",
        mean(&beside(&other, &own, &suites)),
        beside_l_star("learnlib-lstar", "random-wp", "artificial")
    ));
}

#[test]
fn tree_learners_beside_the_best_peer() {
    let cases = CommittedCases::read("");
    let [ol_sharp, l_sharp] =
        ["ol-sharp", "l-sharp"].map(|learner| cases.costs(learner, "perfect"));
    let best = cases.best_peer(|_| true);
    let mut suites = PROTOCOLS.to_vec();
    suites.extend(["artificial", "labbaf-bcs"]);
    let mut rows = Vec::new();
    let (mut means, mut worst_of_all) = (Vec::new(), 0.0_f64);
    for &suite in &suites {
        let [ol, l] = [&ol_sharp, &l_sharp].map(|own| beside(own, &best, &[suite]));
        let models = match (ol.cases, l.cases) {
            (ol, l) if ol == l => ol.to_string(),
            (ol, l) => format!("{ol} (L#: {l})"),
        };
        let ratios = [mean(&ol), worst(&ol), mean(&l), worst(&l)].map(|it| format!("{it:.2}"));
        rows.push([suite.to_owned(), models].into_iter().chain(ratios).collect());
        if PROTOCOLS.contains(&suite) {
            means.push(mean(&ol));
            worst_of_all = worst_of_all.max(worst(&ol));
        }
    }
    let section = DocsSection::of(DOCUMENT, "## Tree learners");
    section.says(&table_rows(&rows));

    let labbaf = ["labbaf-bcs"];
    let tree = cases.best_peer(|peer| peer != "learnlib-lstar");
    let mut others = best.clone();
    others.retain(|model, _| !tree.contains_key(model));
    let [of_l_star, of_others] = [&others, &tree].map(|peers| beside(&ol_sharp, peers, &labbaf));
    section.says(&format!(
        "Of the {} models of `labbaf-bcs` {} were finished by no peer but LearnLib's L\\*, beside which OL# asks {:.4} times as \
         much; on the {} others, beside the best tree, OL# asks {:.3} times as much and L# {:.2} times.",
        beside(&ol_sharp, &ol_sharp, &labbaf).cases,
        of_l_star.cases,
        mean(&of_l_star),
        of_others.cases,
        mean(&of_others),
        mean(&beside(&l_sharp, &tree, &labbaf))
    ));

    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = means.iter().copied().fold(0.0, f64::max);
    assert_eq!(cases.peers().len(), 8, "README.md says eight learners");
    DocsSection::of("README.md", "## What it is for, and what not").says(&format!(
        "suite by suite it sends {least:.2} to {largest:.2} times as many inputs as that one of their eight learners that is best for \
         each model, and {worst_of_all:.1} times as many on the worst model."
    ));
}

/// How many rows there are of a learner with a kind of tests, how many did not learn their model, and how many of these ended
/// at the cap of testing.
fn not_learned(folder: &str, learner: &str, tests: &str) -> [usize; 3] {
    let mut rows = rows(folder);
    rows.retain(|row| row.algorithm == learner && row.tests == tests);
    let inexact = rows.iter().filter(|row| !row.is_exact());
    let at_cap = rows.iter().filter(|row| row.outcome == "max-symbols");
    [rows.len(), inexact.count(), at_cap.count()]
}

#[test]
fn runs_that_did_not_learn_their_model() {
    let [ol, ol_inexact, ol_at_cap] = not_learned("tree", "ol-sharp", "mixture");
    let [l, l_inexact, l_at_cap] = not_learned("tree", "l-sharp", "mixture");
    let section = DocsSection::of(DOCUMENT, "### With the default tests");
    section.says(&format!(
        "Runs that did not learn their model: OL# {ol_inexact} of {ol}, L# {l_inexact} of {l}. At the cap of testing: OL# in \
         {ol_at_cap} runs"
    ));
    let mut at_cap: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows("tree") {
        if row.algorithm == "ol-sharp" && row.tests == "mixture" && row.outcome == "max-symbols" {
            *at_cap.entry(row.model).or_default() += 1;
        }
    }
    let named = ["jsse-12.0.2_client", "SSH_OpenSSH", "140", "166"];
    let others = at_cap.iter().filter(|(model, _)| !named.iter().any(|name| model.contains(name)));
    let runs: Vec<_> = others.map(|(_, runs)| *runs).collect();
    assert_eq!(runs, [1, 1], "{DOCUMENT} says two others, once each: {at_cap:?}");
    section.says(&format!("one each of two others), L# in {l_at_cap}."));

    let [_, ol_star, _] = not_learned("", "ol-star", "perfect");
    let [_, decompose, _] = not_learned("", "decompose", "perfect");
    DocsSection::of(DOCUMENT, "## What was not run").says(&format!(
        "{ol_star} of OL\\*'s runs were out of time (`ASMLRERS2019_m24`, `_m190`), and {decompose} of `decompose`'s"
    ));
}

#[test]
fn one_model_with_many_seeds() {
    // The published symbols of OL*.
    let published = 66_503.0;
    let mut rows = rows("artificial");
    rows.retain(|row| row.model == "random-2-40-5.dot");
    rows.sort_by_key(|row| row.seed);
    let mut costs: Vec<_> = rows
        .iter()
        .map(|row| row.learning_symbols + row.last_testing_symbols.expect("it is known"))
        .collect();
    let quantile = |seeds: usize, at: usize| {
        let mut first = costs[..seeds].to_vec();
        first.sort_unstable();
        first[at] as f64 / published
    };
    let [few, some, all] = [3, 15, 45].map(|seeds| quantile(seeds, seeds / 2));
    let quartiles = [quantile(45, 11), quantile(45, 33)];
    DocsSection::of(DOCUMENT, "### With the default tests").says(&format!(
        "`random-2-40-5` alone costs about as much as published: {some:.2} with 15 seeds, {all:.2} with 45, {few:.2} with the first three"
    ));
    // The median of three is above if two of them are.
    costs.retain(|&cost| cost as f64 > published);
    let choose = |all: usize, of: usize| {
        (0..of).map(|it| all - it).product::<usize>() / (1..=of).product::<usize>()
    };
    let (above, below) = (costs.len(), rows.len() - costs.len());
    let chance =
        (choose(above, 2) * below + choose(above, 3)) as f64 / choose(rows.len(), 3) as f64;
    let mut learning: Vec<_> =
        rows.iter().map(|row| row.last_learning_symbols.expect("it is known")).collect();
    learning.sort_unstable();
    let stages = rows.iter().map(|row| row.stages);
    let section = DocsSection::of("docs/measurements/tree.md", "## One model, many seeds");
    section.says(&format!(
        "it costs {all:.2} of them in the median, with quartiles of {:.2} and {:.2}. Few seeds say little: seeds 0 to 2 give {few:.2}, \
         seeds 0 to 14 give {some:.2}, and {:.0} % of all medians of three of these seeds are above 1.",
        quartiles[0],
        quartiles[1],
        chance * 100.0
    ));
    section.says(&format!(
        "there are {} to {} hypotheses",
        stages.clone().min().unwrap_or(0),
        stages.max().unwrap_or(0)
    ));
    section.says(&format!(
        "learning takes {} symbols in the median",
        mealybug::statistics::number(learning[22])
    ));
}
