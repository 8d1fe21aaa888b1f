//! Figures that must hold on real and published models. The tests assert and print each one.
//!
//! The ordinary tests learn a sample. The `full` variant of each test learns all models, and is
//! ignored unless asked for.

use std::path::Path;
use std::time::Instant;

use mealybug_bench::{RunOutcome, SuiteModel};
use mealybug_core::{Budget, Options, Progress, Projections};
use mealybug_tests::averages::median;
use mealybug_tests::models::{folder, learn, models, perfect, published, until_equal};

/// Other tests learn larger models.
const MAX_STATES: u32 = 1000;
/// A run that asks more has gone astray.
const MAX_SYMBOLS: u64 = 2_000_000_000;

fn timed(model: &SuiteModel, options: Options) -> Progress {
    let start = Instant::now();
    let budget = Budget::UNLIMITED.symbols(MAX_SYMBOLS);
    let progress = learn(model, options.budget(budget))
        .unwrap_or_else(|why| panic!("{}: {options:?}: not learned: {why:?}", model.name));
    let seconds = start.elapsed().as_secs_f64();
    if seconds > 5.0 {
        println!(
            "  slow: {} {:?} seed {}: {seconds:.1} s",
            model.name, options.projections, options.seed
        );
    }
    progress
}

/// A lower bound on the words that L* asks: states times the square of the inputs.
fn size(model: &SuiteModel) -> u64 {
    u64::from(model.states) * u64::from(model.inputs()).pow(2)
}

fn exact_with_perfect_counterexamples(folder: &Path, max_size: u64) {
    let models = models(folder, &[]);
    let fits = |model: &&SuiteModel| model.states <= MAX_STATES && size(model) <= max_size;
    let (mut checked, mut cheaper) = (0, 0);
    for model in models.iter().filter(fits) {
        let l_star = timed(model, perfect(Projections::Identity));
        assert_eq!(l_star.component_states, model.states, "{}", model.name);
        assert_eq!(l_star.short_rows, model.states, "{}", model.name);
        let ol_star = timed(model, perfect(Projections::PerOutput));
        assert!(ol_star.short_rows <= model.states, "{}", model.name);
        cheaper += u32::from(ol_star.learning.symbols < l_star.learning.symbols);
        checked += 1;
    }
    println!(
        "figures: {checked} of {} models exact with perfect counterexamples, L* and OL*; OL* asks less on {cheaper}",
        models.len()
    );
    assert!(checked > 0);
}

#[test]
fn models_are_learned_exactly_with_perfect_counterexamples() {
    if let Some(folder) = folder("models with perfect counterexamples") {
        exact_with_perfect_counterexamples(&folder, 30_000);
    }
}

#[test]
#[ignore = "takes long"]
fn full_models_are_learned_exactly_with_perfect_counterexamples() {
    if let Some(folder) = folder("models with perfect counterexamples") {
        exact_with_perfect_counterexamples(&folder, u64::MAX);
    }
}

/// If nothing had to be refined, L* asks every row of `S · X` for every input.
fn queries_of_l_star(folder: &Path, max_size: u64) {
    let known = published(folder, "results_labbaf_lstar.csv");
    let mut checked = 0;
    for model in models(folder, &["labbaf-bcs"]) {
        let number = model.file().trim_end_matches(".dot");
        let one_stage = known.get(number).is_some_and(|row| row["Stages"] == 1.0);
        if !one_stage || size(&model) > max_size {
            continue;
        }
        let progress = timed(&model, perfect(Projections::Identity));
        assert_eq!(progress.rounds, 1, "{}", model.name);
        assert_eq!(progress.learning.resets, size(&model), "{}", model.name);
        checked += 1;
    }
    println!("figures: {checked} Labbaf models without counterexamples, |S|·|X|² queries with L*");
    assert!(checked > 0);
}

#[test]
fn labbaf_models_cost_the_published_queries() {
    if let Some(folder) = folder("queries of L* on Labbaf models") {
        queries_of_l_star(&folder, 100_000);
    }
}

#[test]
#[ignore = "takes long"]
fn full_labbaf_models_cost_the_published_queries() {
    if let Some(folder) = folder("queries of L* on Labbaf models") {
        queries_of_l_star(&folder, u64::MAX);
    }
}

/// The bound on the ratio to the published symbols: the geometric mean over models and seeds.
const MAX_SYMBOLS_RATIO: f64 = 0.65;
const SEEDS: u64 = 5;

/// OL* on the artificial models, with random Wp until the hypothesis is right: the result is exact,
/// with no more short rows and fewer symbols than published.
fn artificial(folder: &Path) {
    let known = published(folder, "results_artificial_olstar.csv");
    let (mut checked, mut logs, mut more_rows) = (0_u32, 0.0, Vec::new());
    for model in models(folder, &["artificial"]) {
        let row = &known[model.file()];
        let runs: Vec<Progress> = (0..SEEDS).map(|seed| timed(&model, until_equal(seed))).collect();
        let symbols: f64 = runs.iter().map(|run| (run.learning.symbols as f64).ln()).sum();
        let ratio = symbols / SEEDS as f64 - row["Learning symbols"].ln();
        logs += ratio;
        let rows = median(runs.iter().map(|run| run.short_rows));
        let known_rows = row["Short rows"];
        println!(
            "  {}: {} states, symbols {:.2} of published, short rows {rows} (published {known_rows})",
            model.name,
            model.states,
            ratio.exp()
        );
        if f64::from(rows) > known_rows {
            more_rows.push(format!("{}: {rows} > {known_rows}", model.name));
        }
        checked += 1;
    }
    let ratio = (logs / f64::from(checked)).exp();
    println!(
        "figures: {checked} artificial models exact with {SEEDS} seeds, {ratio:.3} of the published symbols, {} with more short rows",
        more_rows.len()
    );
    assert!(more_rows.is_empty(), "{more_rows:?}");
    assert!(ratio <= MAX_SYMBOLS_RATIO, "{ratio}");
}

#[test]
fn artificial_models_cost_less_than_published() {
    if let Some(folder) = folder("published costs of artificial models") {
        artificial(&folder);
    }
}

/// Labbaf models, random Wp until the hypothesis is right.
fn labbaf(folder: &Path, max_size: u64) {
    let mut checked = 0;
    for model in models(folder, &["labbaf-bcs"]) {
        if model.states <= MAX_STATES && size(&model) <= max_size {
            for seed in 0..SEEDS {
                timed(&model, until_equal(seed));
            }
            checked += 1;
        }
    }
    println!("figures: {checked} Labbaf models exact with {SEEDS} seeds of random Wp");
    assert!(checked > 0);
}

#[test]
fn labbaf_models_are_learned_with_random_tests() {
    if let Some(folder) = folder("Labbaf models with random tests") {
        labbaf(&folder, 20_000);
    }
}

#[test]
#[ignore = "takes long"]
fn full_labbaf_models_are_learned_with_random_tests() {
    if let Some(folder) = folder("Labbaf models with random tests") {
        labbaf(&folder, u64::MAX);
    }
}

/// The other models with the default tests: counts the models on which a wrong hypothesis passes.
fn others(folder: &Path, max_size: u64) {
    let (mut checked, mut wrong) = (0, Vec::new());
    for model in models(folder, &[]) {
        let other = !["artificial", "labbaf-bcs"].contains(&model.suite());
        if other && model.states <= MAX_STATES && size(&model) <= max_size {
            match learn(&model, Options::default()) {
                Ok(_) => {}
                Err(RunOutcome::Wrong) => wrong.push(model.name),
                Err(why) => panic!("{}: {why:?}", model.name),
            }
            checked += 1;
        }
    }
    for name in &wrong {
        println!("  a wrong hypothesis of {name} passed");
    }
    println!("figures: {} of {checked} other models not learned with default tests", wrong.len());
    assert!(checked > 0);
}

#[test]
fn other_models_with_default_tests() {
    if let Some(folder) = folder("other models with default tests") {
        others(&folder, 10_000);
    }
}

#[test]
#[ignore = "takes long"]
fn full_other_models_with_default_tests() {
    if let Some(folder) = folder("other models with default tests") {
        others(&folder, u64::MAX);
    }
}

/// How far the geometric mean may be from the published costs, counted as published.
const PAPER_PROFILE: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// OL* without shortening counterexamples.
fn paper_profile(folder: &Path) {
    let known = published(folder, "results_artificial_olstar.csv");
    let (mut checked, mut logs) = (0_u32, 0.0);
    for model in models(folder, &["artificial"]) {
        let published = known[model.file()]["Learning symbols"];
        for seed in 0..SEEDS {
            let run = timed(&model, until_equal(seed).shorten(false));
            logs += (run.learning.symbols as f64 / published).ln() / SEEDS as f64;
        }
        checked += 1;
    }
    let ratio = (logs / f64::from(checked)).exp();
    println!(
        "figures: {checked} artificial models, counterexamples not shortened: {ratio:.3} of the published symbols"
    );
    assert!(PAPER_PROFILE.contains(&ratio), "{ratio}");
}

#[test]
fn paper_profile_costs_what_was_published() {
    if let Some(folder) = folder("the paper's profile") {
        paper_profile(&folder);
    }
}

const KIB: usize = 1024;
const MEDIAN_BYTES: usize = 32 * KIB;
const WORST_BYTES: usize = 48 * KIB;

/// Learns the machine with 10 000 states in the memory of a microcontroller.
fn ten_thousand_states(folder: &Path, seeds: u64) {
    let models = models(folder, &["artificial"]);
    let model = models.iter().find(|model| model.file() == "random-5-5-6.dot").expect("is there");
    let bytes: Vec<usize> = (0..seeds)
        .map(|seed| {
            let progress = timed(model, until_equal(seed));
            println!(
                "  {} seed {seed}: {} bytes, {} rounds, {} suffixes, {} short rows, {} symbols",
                model.name,
                progress.learner_bytes,
                progress.rounds,
                progress.suffixes,
                progress.short_rows,
                progress.learning.symbols
            );
            progress.learner_bytes
        })
        .collect();
    let middle = median(bytes.iter().copied());
    let worst = bytes.iter().copied().max().unwrap_or(0);
    println!(
        "figures: {} ({} states) with {seeds} seeds: median {middle} bytes, worst {worst}",
        model.name, model.states
    );
    assert!(middle <= MEDIAN_BYTES && worst <= WORST_BYTES, "{bytes:?}");
}

#[test]
fn ten_thousand_states_fit_in_a_microcontroller() {
    if let Some(folder) = folder("memory for 10 000 states") {
        ten_thousand_states(&folder, 20);
    }
}
