//! What it costs to find the last counterexample: the mixture of tests beside random Wp as published,
//! the same learner and the same seeds otherwise.
//!
//! Models of protocols, since these hide their last states best. Halves: those whose file name hashes
//! to an even number were used to choose the kinds of tests, the others were not looked at.
//! `tests/run full` learns all that have no more than [`MAX_TRANSITIONS`]; the ordinary run a sample.

use mealybug_bench::{Model, Outcome};
use mealybug_core::{Options, Tests};
use mealybug_tests::averages::{geometric_mean, median};
use mealybug_tests::models::{self, Half, protocols};

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
    let options = Options::new().tests(tests).seed(seed).passing_tests(u64::MAX);
    let run = models::run(model, options, CAP);
    let is_exact = match run.outcome {
        Outcome::Exact => true,
        Outcome::MaxSymbols => false,
        other => panic!("{}: {other}", model.name),
    };
    let learning = run.progress.learning.symbols;
    Spent { testing: run.testing.symbols, learning, is_exact }
}

/// Prints how much less the mixture spends; says that, for testing.
fn compare<'m>(what: &str, models: impl Iterator<Item = &'m Model>, seeds: u64) -> f64 {
    // What random Wp spends in the middle of the seeds, and the mixture.
    let (mut testing, mut all) = (Vec::new(), Vec::new());
    let mut capped = [0, 0];
    let mut learned = 0;
    for model in models {
        let runs = |tests| (0..seeds).map(|seed| run(model, tests, seed)).collect::<Vec<_>>();
        let (wp, mixture) = (runs(Tests::RandomWp), runs(Tests::Mixture));
        for (capped, runs) in capped.iter_mut().zip([&wp, &mixture]) {
            *capped += runs.iter().filter(|run| !run.is_exact).count();
        }
        learned += 1;
        let middle =
            |of: fn(&Spent) -> u64| [&wp, &mixture].map(|runs| median(runs.iter().map(of)));
        let [before, now] = middle(|run| run.testing);
        if before > WORTH_IT {
            testing.push([before, now]);
            all.push(middle(|run| run.testing + run.learning));
            println!("  {}: {before} with random Wp, {now} with the mixture", model.name);
        }
    }
    println!(
        "figures: testing until the last counterexample, {what}: {learned} models with {seeds} seeds, {} worth \
         it; the mixture spends 1/{:.2} of the testing symbols of random Wp, 1/{:.2} of all; {} runs at \
         the cap instead of {}",
        testing.len(),
        geometric_mean(&testing),
        geometric_mean(&all),
        capped[1],
        capped[0]
    );
    assert!(!testing.is_empty());
    geometric_mean(&testing)
}

/// So much cheaper is the mixture at least.
const AT_LEAST: f64 = 6.0;

/// Models that hide their last states well.
const HARD: [&str; 6] = [
    "DTLS_etinydtls_ecdhe_cert_req.dot",
    "TLS_OpenSSL_1.0.2_client_full.dot",
    "DTLS_scandium_latest_ecdhe_cert_req.dot",
    "SSH_BitVise54.dot",
    "openssl_server_097c.dot",
    "TLS_OpenSSL_1.0.1l_server_regular.dot",
];

#[test]
fn the_mixture_finds_the_last_counterexample_sooner() {
    let Some(models) = protocols("the costs of testing", MAX_TRANSITIONS) else { return };
    let models = models.iter().filter(|model| HARD.contains(&model.file()));
    assert!(compare("a sample", models, 5) >= AT_LEAST);
}

/// All of one half.
fn learn(half: Half) {
    let Some(models) = protocols("the costs of testing", MAX_TRANSITIONS) else { return };
    assert!(compare(&half.to_string(), half.models(&models), 5) >= AT_LEAST, "{half}");
}

#[test]
#[ignore = "takes long"]
fn full_even_half() {
    learn(Half::Even);
}

#[test]
#[ignore = "takes long"]
fn full_odd_half() {
    learn(Half::Odd);
}
