//! What older models save.

use std::collections::BTreeMap;
use std::fs;

use mealybug::statistics::number;
use mealybug_bench::{CostComparison, EXACT};

use crate::rows::{mean, root, worst};
use crate::section::{DocsSection, table_rows};

const DOCUMENT: &str = "docs/benchmarks.md";
/// Learners, as documents and rows name them.
const LEARNERS: [(&str, &str); 3] = [("OL#", "ol-sharp"), ("L#", "l-sharp"), ("OL\\*", "ol-star")];

/// A line of a CSV file by the names of its columns.
type CsvLine = BTreeMap<String, String>;

fn lines(file: &str) -> Vec<CsvLine> {
    let mut reader = csv::Reader::from_path(root().join(file)).expect("a CSV file");
    reader.deserialize().collect::<Result<_, _>>().expect("a CSV file")
}

/// The pairs in a list, older model first.
fn pairs(list: &str) -> Vec<[String; 2]> {
    let lines = lines(&format!("tests/peers/{list}.csv"));
    lines.into_iter().map(|line| ["old", "new"].map(|column| line[column].clone())).collect()
}

/// The row of a learner in a summary, by the names of its columns.
fn summary_row(list: &str, tests: &str, learner: &str, like: &str) -> Vec<String> {
    let file = format!("docs/benchmarks/versions/mealybug/{list}.txt");
    let text = fs::read_to_string(root().join(&file)).expect("a summary");
    let cells = |line: &str| {
        line.split("  ")
            .map(|cell| cell.trim().to_owned())
            .filter(|cell| !cell.is_empty())
            .collect()
    };
    let mut rows = text.lines().map(cells).filter(|cells: &Vec<_>| cells.len() == 11);
    rows.find(|cells| cells[..3] == [tests, learner, like])
        .unwrap_or_else(|| panic!("{file} has no {tests}, {learner}, {like}"))
}

/// The column with the ratio of symbols.
const SYMBOLS: usize = 4;
/// The column with the symbols that the learner asks with an older model.
const IN_SYMBOLS: usize = 9;

/// The median over the seeds of what a model costs. `None` if a run did not learn it.
fn symbols(rows: &[CsvLine], is_of: impl Fn(&CsvLine) -> bool) -> Option<u64> {
    let rows: Vec<_> = rows.iter().filter(|row| is_of(row)).collect();
    let cost = |row: &CsvLine, column| row[column].parse::<u64>().expect("a number");
    let of_run = |row: &CsvLine| cost(row, "Learning symbols") + cost(row, "Testing symbols");
    let mut symbols: Vec<_> = rows.iter().map(|row| of_run(row)).collect();
    symbols.sort_unstable();
    let is_learned = rows.iter().all(|row| row["Outcome"] == EXACT);
    symbols.get(symbols.len() / 2).copied().filter(|_| is_learned)
}

/// What Mealybug's learner asks for a model, perhaps with the advice of another one.
fn own_symbols(
    rows: &[CsvLine],
    learner: &str,
    tests: &str,
    model: &str,
    like: &str,
) -> Option<u64> {
    symbols(rows, |row| {
        row["Algorithm"] == learner
            && row["Tests"] == tests
            && row["Model"] == model
            && row["Like"] == like
    })
}

#[test]
fn each_kind_of_advice() {
    let table = LEARNERS.map(|(name, learner)| {
        let kinds =
            [("versions", "itself"), ("versions", "older model"), ("unrelated", "older model")];
        let ratios =
            kinds.map(|(list, like)| summary_row(list, "mixture", learner, like)[SYMBOLS].clone());
        [name.to_owned()].into_iter().chain(ratios).collect()
    });
    DocsSection::of(DOCUMENT, "## Older models").says(&table_rows(&table));
}

#[test]
fn pairs_on_which_advice_costs() {
    let rows = lines("docs/benchmarks/versions/mealybug/mealybug.csv");
    let ratios = |learner: &str| -> Vec<_> {
        let pairs = pairs("versions").into_iter().filter_map(|[old, new]| {
            let alone = own_symbols(&rows, learner, "mixture", &new, "")?;
            let given = own_symbols(&rows, learner, "mixture", &new, &old)?;
            Some((new, given, alone))
        });
        let mut ratios: Vec<_> = pairs
            .map(|(new, given, alone)| (given as f64 / alone as f64, new, given, alone))
            .collect();
        ratios.sort_by(|one, other| other.0.total_cmp(&one.0));
        ratios
    };
    let ol_sharp = ratios("ol-sharp");
    let less = ol_sharp.iter().filter(|(ratio, ..)| *ratio < 1.0).count();
    let more = ol_sharp.iter().filter(|(ratio, ..)| *ratio > 1.0).count();
    let section = DocsSection::of(DOCUMENT, "## Older models");
    section.says(&format!(
        "An older version saved OL# symbols on {less} of {} pairs, and cost it more on {more}:",
        ol_sharp.len()
    ));
    let names = [
        (
            "mbedtls-2.26.0_server_all_cert_req",
            "Mbed TLS 2.26.0, server, all, certificate required | Mbed TLS",
        ),
        ("piondtls-2.0.9_client_psk", "Pion DTLS 2.0.9, client, PSK | Pion DTLS (usenix)"),
        (
            "scandium-2.6.2_server_ecdhe_cert_req",
            "Scandium 2.6.2, server, ECDHE, certificate required | Scandium 2.0.0-M16",
        ),
    ];
    // Numbers of four digits stand without a blank here.
    let written =
        |symbols: u64| if symbols < 10_000 { symbols.to_string() } else { number(symbols) };
    let table: String = ol_sharp
        .iter()
        .zip(names)
        .map(|((ratio, model, given, alone), (part, name))| {
            assert!(model.contains(part), "{DOCUMENT} names {part}, the rows {model}");
            format!(
                "| {name} | {ratio:.2} ({} instead of {}) |\n",
                written(*given),
                written(*alone)
            )
        })
        .collect();
    section.says(&table);
    let (ratio, model, ..) = &ratios("l-sharp")[0];
    assert!(model.contains(names[1].0), "{model}");
    section.says(&format!("L# loses on the second of them too ({ratio:.2})"));
}

#[test]
fn runs_that_learned_no_model() {
    let rows = lines("docs/benchmarks/versions/mealybug/mealybug.csv");
    let of = |learner: &str| -> [usize; 3] {
        let runs: Vec<_> = rows.iter().filter(|row| row["Algorithm"] == learner).collect();
        let count = |is: fn(&str) -> bool| runs.iter().filter(|row| is(&row["Outcome"])).count();
        [count(|outcome| outcome != EXACT), count(|outcome| outcome == "time-out"), runs.len()]
    };
    assert_eq!(of("ol-star")[0], 0, "{DOCUMENT} says that OL* learned all");
    let ([ol, out_of_time, _], [l, _, all]) = (of("ol-sharp"), of("l-sharp"));
    DocsSection::of(DOCUMENT, "## Older models").says(&format!(
        "OL# did not in {ol} runs, {out_of_time} of which were out of time, and L# in {l} of {all},"
    ));
}

#[test]
fn beside_adaptive_l_sharp() {
    let own = lines("docs/benchmarks/versions/mealybug/mealybug.csv");
    let peers = lines("docs/benchmarks/versions/aalpy.csv");
    let pairs = pairs("versions");
    let of_peer = |learner: &str, [old, new]: &[String; 2]| {
        let symbols = symbols(&peers, |row| {
            let model = format!("{}/{}", row["Suite"], row["Model"]);
            row["Algorithm"] == learner
                && row["Tests"] == "perfect"
                && model == *new
                && row["Reference"] == *old
        });
        symbols.expect("it was learned")
    };
    let of_learner = |learner: &str, [old, new]: &[String; 2]| {
        own_symbols(&own, learner, "perfect", new, old).expect("it was learned")
    };
    let compare = |of: &dyn Fn(&[String; 2]) -> u64, peer: Option<&str>| {
        let mut compared = CostComparison::default();
        for pair in &pairs {
            compared.add(of(pair), peer.map_or(1, |peer| of_peer(peer, pair)));
        }
        compared
    };
    let (adaptive, with_rules) = ("aalpy-adaptive-lsharp", "aalpy-adaptive-lsharp-ads");
    let section = DocsSection::of(DOCUMENT, "## Older models");
    let mut table = String::new();
    for (name, learner) in LEARNERS {
        let compared = compare(&|pair| of_learner(learner, pair), Some(adaptive));
        let symbols = &summary_row("versions", "perfect", learner, "older model")[IN_SYMBOLS];
        table += &match learner {
            "ol-star" => format!("| {name} | {symbols} | {:.1} | |\n", mean(&compared)),
            _ => format!(
                "| {name} | {symbols} | {:.2} | {} of {} |\n",
                mean(&compared),
                compared.more,
                pairs.len()
            ),
        };
    }
    let symbols = |peer| mean(&compare(&|pair| of_peer(peer, pair), None));
    let ratio = mean(&compare(&|pair| of_peer(with_rules, pair), Some(adaptive)));
    table += &format!(
        "| AALpy's adaptive L# ([its rows](benchmarks/versions/aalpy.csv)) | {:.0} | 1 | |\n\
         | the same with the rules of AALpy's L# | {:.0} | {ratio:.2} | |\n",
        symbols(adaptive),
        symbols(with_rules)
    );
    section.says(&table);

    let [ol, l] = ["ol-sharp", "l-sharp"]
        .map(|learner| compare(&|pair| of_learner(learner, pair), Some(with_rules)));
    section
        .says(&format!("and {:.2} times as much as the variant with the rules of L#", mean(&ol)));
    section.says(&format!(
        "(on {} of {} pairs more; L# asks {:.2} times as much)",
        ol.more,
        pairs.len(),
        mean(&l)
    ));
    let of_adaptive = compare(&|pair| of_learner("ol-sharp", pair), Some(adaptive));
    let ratio =
        |pair: &[String; 2]| of_learner("ol-sharp", pair) as f64 / of_peer(adaptive, pair) as f64;
    let worst_pair = pairs.iter().max_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    let model = &worst_pair.expect("there are pairs")[1];
    assert!(model.contains("OpenSSL_1.0.1l_server"), "{model}");
    section.says(&format!(
        "The worst pair beside adaptive L# is OpenSSL 1.0.1l, server ({:.2})",
        worst(&of_adaptive)
    ));
}
