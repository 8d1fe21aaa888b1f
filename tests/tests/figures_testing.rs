//! What it costs to find the last counterexample: the mixture of tests beside random Wp as published,
//! the same learner and the same seeds otherwise.
//!
//! Models of protocols, since these hide their last states best. Halves: those whose file name hashes
//! to an even number were used to choose the kinds of tests, the others were not looked at.
//! `tests/run full` learns all that have no more than [`MAX_TRANSITIONS`]; the ordinary run a sample.

use mealybug::bench::{Ending, Model};
use mealybug_core::{Options, Tests};
use mealybug_tests::models::{self, folder, is_even, median, protocols};

/// A run that spends so many symbols on testing is ended, and counts so many. A test that was asked
/// before costs nothing.
const CAP: u64 = 2_000_000;

/// Models that random Wp learns with fewer have nothing to gain.
const WORTH_IT: u64 = 2000;

/// Larger ones cost hours: states times inputs.
const MAX_TRANSITIONS: u64 = 3000;

/// What a run had spent when its hypothesis was right.
#[derive(Clone, Copy, Debug)]
struct Spent {
    testing: u64,
    learning: u64,
    /// Whether it came to that.
    is_exact: bool,
}

/// Learns a model until the hypothesis is right, or the cap is reached.
fn run(model: &Model, tests: Tests, seed: u64) -> Spent {
    let options = Options { tests, seed, tests_in_a_row: u64::MAX, ..Options::default() };
    let run = models::run(model, options, CAP);
    let is_exact = match run.ending {
        Ending::Exact => true,
        Ending::MaxSymbols => false,
        other => panic!("{}: {other}", model.name),
    };
    let learning = run.progress.learning.symbols;
    Spent { testing: run.testing.symbols, learning, is_exact }
}

/// The median over the seeds, by what `of` says.
fn middle(runs: &[Spent], of: impl Fn(&Spent) -> u64) -> u64 {
    median(&mut runs.iter().map(of).collect::<Vec<_>>())
}

/// Ratios of medians, as their geometric mean.
#[derive(Default)]
struct Mean {
    logs: f64,
    count: u32,
}

impl Mean {
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    fn add(&mut self, baseline: u64, now: u64) {
        self.logs += (baseline.max(1) as f64 / now.max(1) as f64).ln();
        self.count += 1;
    }

    fn value(&self) -> f64 {
        (self.logs / f64::from(self.count.max(1))).exp()
    }
}

/// Prints how much less the mixture spends; says that, for testing.
fn compare<'m>(what: &str, models: impl Iterator<Item = &'m Model>, seeds: u64) -> f64 {
    let (mut testing, mut all) = (Mean::default(), Mean::default());
    let mut capped = [0, 0];
    let mut learned = 0;
    for model in models {
        let runs = |tests| (0..seeds).map(|seed| run(model, tests, seed)).collect::<Vec<_>>();
        let (wp, mixture) = (runs(Tests::RandomWp), runs(Tests::Mixture));
        for (capped, runs) in capped.iter_mut().zip([&wp, &mixture]) {
            *capped += runs.iter().filter(|run| !run.is_exact).count();
        }
        learned += 1;
        let before = middle(&wp, |run| run.testing);
        if before > WORTH_IT {
            let sum = |run: &Spent| run.testing + run.learning;
            let now = middle(&mixture, |run| run.testing);
            testing.add(before, now);
            all.add(middle(&wp, sum), middle(&mixture, sum));
            println!("  {}: {before} with random Wp, {now} with the mixture", model.name);
        }
    }
    println!(
        "figures: testing until the last counterexample, {what}: {learned} models with {seeds} seeds, {} worth \
         it; the mixture spends 1/{:.2} of the testing symbols of random Wp, 1/{:.2} of all; {} runs at \
         the cap instead of {}",
        testing.count,
        testing.value(),
        all.value(),
        capped[1],
        capped[0]
    );
    assert!(testing.count > 0);
    testing.value()
}

/// So much cheaper is the mixture at least.
const AT_LEAST: f64 = 6.0;

#[test]
fn the_mixture_finds_the_last_counterexample_sooner() {
    let Some(folder) = folder("the costs of testing") else { return };
    let sample = [
        "DTLS_etinydtls_ecdhe_cert_req.dot",
        "TLS_OpenSSL_1.0.2_client_full.dot",
        "TLS_OpenSSL_1.0.1l_server_regular.dot",
        "DTLS_scandium_latest_ecdhe_cert_req.dot",
        "SSH_BitVise54.dot",
        "openssl_server_097c.dot",
    ];
    let models = protocols(&folder, MAX_TRANSITIONS);
    let models = models.iter().filter(|model| sample.contains(&model.file()));
    assert!(compare("a sample", models, 5) >= AT_LEAST);
}

/// All of one half.
fn half(what: &str, half: bool) {
    let Some(folder) = folder("the costs of testing") else { return };
    let models = protocols(&folder, MAX_TRANSITIONS);
    let models = models.iter().filter(|model| is_even(model.file()) == half);
    assert!(compare(what, models, 5) >= AT_LEAST, "{what}");
}

#[test]
#[ignore = "takes long"]
fn full_even_half() {
    half("even half", true);
}

#[test]
#[ignore = "takes long"]
fn full_odd_half() {
    half("odd half", false);
}
