//! The cost of finding the last counterexample: compares the mixture of tests with random Wp as
//! published, with the same learner and the same seeds, for OL# and OL*.
//!
//! The models are those of protocols, which hide their last states best. There are two halves:
//! models whose file name hashes to an even number served to choose the kinds of tests, the others
//! did not. `tests/run full` learns all models with at most [`MAX_TRANSITIONS`]; the ordinary run
//! learns a sample.

use mealybug::algorithm::Algorithm;
use mealybug_bench::{RunOutcome, SuiteModel};
use mealybug_core::Tests;
use mealybug_tests::averages::{geometric_mean, median};
use mealybug_tests::models::{self, Half, protocols};

/// A run ends after this many testing symbols, and counts as this many. Repeating a test costs
/// nothing.
const CAP: u64 = 2_000_000;

/// Models that random Wp learns with fewer testing symbols have nothing to gain.
const WORTH_IT: u64 = 2000;

/// The most transitions, states times inputs; larger models take hours.
const MAX_TRANSITIONS: u64 = 3000;

/// The cost of a run until its hypothesis was right.
#[derive(Clone, Copy, Debug)]
struct CostUntilRight {
    testing: u64,
    learning: u64,
    /// Whether the hypothesis became right before the cap.
    is_exact: bool,
}

/// Learns a model until the hypothesis is right or the run reaches the cap.
fn run(model: &SuiteModel, algorithm: Algorithm, tests: Tests, seed: u64) -> CostUntilRight {
    let options = algorithm.options().tests(tests).seed(seed).passing_tests(u64::MAX);
    let run = models::run(model, options, CAP);
    let is_exact = match run.outcome {
        RunOutcome::Exact => true,
        RunOutcome::MaxSymbols => false,
        other => panic!("{}: {other}", model.name),
    };
    let learning = run.progress.learning.symbols;
    CostUntilRight { testing: run.testing.symbols, learning, is_exact }
}

/// Prints how many times fewer symbols the mixture asks; returns that factor for testing.
fn compare<'m>(
    what: &str,
    algorithm: Algorithm,
    models: impl Iterator<Item = &'m SuiteModel>,
    seeds: u64,
) -> f64 {
    // The medians over the seeds, of random Wp and of the mixture.
    let (mut testing, mut all) = (Vec::new(), Vec::new());
    let mut capped = [0, 0];
    let mut learned = 0;
    for model in models {
        let run = |tests, seed| run(model, algorithm, tests, seed);
        let runs = |tests| (0..seeds).map(|seed| run(tests, seed)).collect::<Vec<_>>();
        let (wp, mixture) = (runs(Tests::RandomWp), runs(Tests::Mixture));
        for (capped, runs) in capped.iter_mut().zip([&wp, &mixture]) {
            *capped += runs.iter().filter(|run| !run.is_exact).count();
        }
        learned += 1;
        let middle = |of: fn(&CostUntilRight) -> u64| {
            [&wp, &mixture].map(|runs| median(runs.iter().map(of)))
        };
        let [before, now] = middle(|run| run.testing);
        if before > WORTH_IT {
            testing.push([before, now]);
            all.push(middle(|run| run.testing + run.learning));
            println!("  {}: {before} with random Wp, {now} with the mixture", model.name);
        }
    }
    println!(
        "figures: testing until the last counterexample, {algorithm}, {what}: {learned} models with {seeds} seeds, {} worth \
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

/// The mixture must save at least this factor: long words and repetitions, which find what models of protocols
/// do not have, take their part.
const AT_LEAST: f64 = 3.5;

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
    for algorithm in [Algorithm::OlSharp, Algorithm::OlStar] {
        let models = models.iter().filter(|model| HARD.contains(&model.file()));
        assert!(compare("a sample", algorithm, models, 15) >= AT_LEAST, "{algorithm}");
    }
}

/// All models of one half.
fn learn(half: Half) {
    let Some(models) = protocols("the costs of testing", MAX_TRANSITIONS) else { return };
    for algorithm in [Algorithm::OlSharp, Algorithm::OlStar] {
        let factor = compare(&half.to_string(), algorithm, half.models(&models), 5);
        assert!(factor >= AT_LEAST, "{algorithm}, {half}");
    }
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
