//! How sure verdicts are: what docs/measurements/confidence.txt says, and the formula.

use std::fs;

use mealybug::confidence::{self, TestEvidence};
use mealybug::statistics::number;

use crate::rows::root;
use crate::section::{DocsSection, table_rows};

/// The families of planted behaviours, as confidence.txt names them.
const PLANTED: [&str; 7] = [
    "hidden counter",
    "hidden mode",
    "hidden payload",
    "hidden time-out",
    "hidden unlock",
    "hidden wrap",
    "hidden wrong",
];

/// How the runs of a suite or family end.
#[derive(Clone, Copy, Default)]
struct RunEnds {
    runs: u32,
    wrong: u32,
    undecided: u32,
    soon: u32,
    right: u32,
}

impl RunEnds {
    /// Reads `1 wrong and 2 undecided of 3, 4 of 5 soon`, which ends a line.
    fn read(line: &str) -> Self {
        let words: Vec<_> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let Some(
            [wrong, "wrong", "and", undecided, "undecided", "of", runs, soon, "of", right, "soon"],
        ) = words.last_chunk()
        else {
            panic!("confidence.txt: {line}");
        };
        let [runs, wrong, undecided, soon, right] =
            [runs, wrong, undecided, soon, right].map(|number| number.parse().expect("a number"));
        Self { runs, wrong, undecided, soon, right }
    }

    fn add(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            wrong: self.wrong + other.wrong,
            undecided: self.undecided + other.undecided,
            soon: self.soon + other.soon,
            right: self.right + other.right,
        }
    }

    fn cells(self) -> [String; 3] {
        let Self { wrong, undecided, soon, right, .. } = self;
        [wrong.to_string(), undecided.to_string(), format!("{soon} of {right}")]
    }
}

fn confidence_txt() -> String {
    fs::read_to_string(root().join("docs/measurements/confidence.txt")).expect("a text")
}

/// What confidence.txt says of a learner: each suite or family, and how runs end.
fn ends(learner: &str) -> Vec<(String, RunEnds)> {
    let text = confidence_txt();
    let title = format!("figures: the predicted chance that a model is wrong, {learner}");
    let lines = text.lines().skip_while(|line| *line != title).skip(2);
    let of_learner = lines.take_while(|line| line.starts_with("  "));
    let name = |line: &str| line.trim().split("  ").next().unwrap_or_default().to_owned();
    of_learner.map(|line| (name(line), RunEnds::read(line))).collect()
}

#[test]
fn runs_by_suite_and_family() {
    let [ol_sharp, ol_star] = ["ol-sharp", "ol-star"].map(ends);
    assert_eq!(ol_sharp.len(), 14);
    let rows: Vec<_> = ol_sharp
        .iter()
        .zip(&ol_star)
        .map(|((name, ol_sharp), (same_name, ol_star))| {
            assert_eq!(name, same_name);
            let first = [name.clone(), ol_sharp.runs.to_string()];
            first.into_iter().chain(ol_sharp.cells()).chain(ol_star.cells()).collect()
        })
        .collect();
    DocsSection::of("docs/measurements/verdicts.md", "## Runs that played a small part")
        .says(&table_rows(&rows));

    let groups = [
        ("planted behaviours, seven families", &PLANTED[..]),
        ("protocols: `dtls-fuzzer`", &["dtls-fuzzer"]),
        ("protocols: `automata_wiki`", &["automata_wiki"]),
        ("suites of few models", &["small suites"]),
        ("`labbaf-bcs`, `scl-star`, `splc22`", &["labbaf-bcs", "scl-star", "splc22"]),
        ("all", &["all"]),
    ];
    let rows = groups.map(|(name, suites)| {
        let of = ol_sharp.iter().filter(|(name, _)| suites.contains(&&**name));
        let ends = of.fold(RunEnds::default(), |sum, (_, ends)| sum.add(*ends));
        [name.to_owned(), ends.runs.to_string()].into_iter().chain(ends.cells()).collect()
    });
    DocsSection::of("docs/testing.md", "### How often it is right").says(&table_rows(&rows));
}

#[test]
fn sequences_that_unlock() {
    let text =
        fs::read_to_string(root().join("docs/benchmarks/verdicts/verdicts.txt")).expect("a text");
    let line = text.lines().find(|line| line.starts_with("ol-sharp  unlock ")).expect("a line");
    let RunEnds { runs, wrong, .. } = RunEnds::read(line);
    assert_eq!(wrong, 2, "docs/measurements/verdicts.md says two");
    DocsSection::of("docs/measurements/verdicts.md", "## How often a predicted chance comes true")
        .says(&format!("two of these {runs} sequences that unlock end *converged* and missed"));
}

#[test]
fn runs_where_outputs_are_wrong() {
    let text = confidence_txt();
    let noisy = text.lines().filter_map(|line| line.split_once("NoisyRuns { "));
    let runs: Vec<_> = noisy
        .map(|(name, counts)| {
            let digits = counts.split(|symbol: char| !symbol.is_ascii_digit());
            let counts: Vec<u32> = digits.filter_map(|digits| digits.parse().ok()).collect();
            (name.trim(), <[u32; 3]>::try_from(counts).expect("right, wrong, undecided"))
        })
        .collect();
    let sum = |of: &[&str]| {
        let of = runs.iter().filter(|(name, _)| of.contains(name));
        of.fold([0; 3], |sum, (_, counts)| [0, 1, 2].map(|at| sum[at] + counts[at]))
    };
    let without_mode: Vec<_> = PLANTED.into_iter().filter(|it| *it != "hidden mode").collect();
    let groups = [
        ("hidden counter, payload, time-out, unlock, wrap, wrong", &without_mode[..]),
        ("hidden mode", &["hidden mode"]),
        ("automata_wiki", &["automata_wiki"]),
        ("dtls-fuzzer", &["dtls-fuzzer"]),
        ("scl-star", &["scl-star"]),
        ("tlsprint", &["tlsprint"]),
    ];
    let rows = groups.map(|(name, of)| {
        [name.to_owned()].into_iter().chain(sum(of).map(|count| count.to_string())).collect()
    });
    let all = runs.iter().fold([0; 3], |sum, (_, counts)| [0, 1, 2].map(|at| sum[at] + counts[at]));
    assert_eq!(all[1], 0, "documents say that no run is wrong");
    let count: u32 = all.iter().sum();
    let section = DocsSection::of("docs/measurements/verdicts.md", "## Where outputs are wrong");
    section.says(&table_rows(&rows));
    section.says(&format!("No run of {count} ends *converged* with a wrong model."));
    DocsSection::of("docs/testing.md", "### How often it is right")
        .says(&format!("none of {count} runs ends *converged* with a wrong model"));
}

#[test]
fn tests_in_a_row() {
    let wanted = |inputs, longest_streak| {
        let evidence =
            TestEvidence { inputs, distinct_inputs: inputs, dead_ends: 0.0, longest_streak };
        number(evidence.tests_for(confidence::DEFAULT))
    };
    let rows = [4, 8, 12, 16].map(|inputs| {
        let numbers = [0, 100, 300, 1000].map(|streak| wanted(inputs, streak));
        [inputs.to_string()].into_iter().chain(numbers).collect()
    });
    DocsSection::of("docs/testing.md", "## How sure is the verdict?").says(&table_rows(&rows));
}
