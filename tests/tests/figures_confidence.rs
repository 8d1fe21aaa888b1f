//! Compares the predicted chance that more tests find something with how often they do.
//!
//! The models are those of protocols, learned with the mixture of tests until the hypothesis is
//! right. The formula was fitted to the models whose file name hashes to an even number.
//! `tests/run full` learns all models with at most [`MAX_TRANSITIONS`]; the ordinary run learns a
//! sample.

use mealybug::confidence::{AHEAD, chance};
use mealybug_bench::{Simulation, SimulationEvent, SuiteModel};
use mealybug_core::{Options, Purpose, Tests};
use mealybug_tests::models::{Half, folder, models, protocols};

/// The name that a message gives to the skipped tests.
const WHAT: &str = "how sure a result is";

/// The most transitions, states times inputs; larger models take hours.
const MAX_TRANSITIONS: u64 = 3000;

/// A run ends after this many testing symbols.
const CAP: u64 = 2_000_000;

/// The numbers of passing tests after which a chance is predicted.
const ASKED: [u64; 15] =
    [0, 30, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 10_000, 20_000, 50_000];

/// The upper ends of the ranges of chances.
const RANGES: [f64; 6] = [1.0, 0.3, 0.1, 0.03, 0.01, 0.003];

/// The predicted chances in one range, and how many came true.
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    cases: u32,
    said: f64,
    found: u32,
}

/// Adds the chances predicted for one hypothesis. A test refuted the hypothesis if `is_found`;
/// `tests` is how many passed before. For a right hypothesis any number of tests would pass.
fn say(ranges: &mut [Range; 6], said: &[f64], tests: u64, is_found: bool) {
    for (&asked, &said) in ASKED.iter().zip(said) {
        let is_soon = tests < asked + AHEAD;
        if tests < asked || is_soon && !is_found {
            break;
        }
        let at = RANGES.iter().rposition(|&range| said < range).unwrap_or(0);
        ranges[at].cases += 1;
        ranges[at].said += said;
        ranges[at].found += u32::from(is_soon);
    }
}

/// Learns a model and adds the chances predicted for each hypothesis.
fn run(model: &SuiteModel, seed: u64, ranges: &mut [Range; 6]) {
    let options = Options::new().tests(Tests::Mixture).seed(seed).passing_tests(u64::MAX);
    let mut simulation =
        Simulation::new(&model.machine, options, usize::MAX).expect("it has inputs");
    let mut said = Vec::new();
    let (mut tests, mut symbols) = (0, 0);
    while symbols < CAP {
        match simulation.advance() {
            SimulationEvent::Word { purpose: Purpose::Testing, is_cex } => {
                symbols += simulation.word().len() as u64;
                if is_cex {
                    say(ranges, &said, tests, true);
                }
                tests = simulation.session().progress().passing_tests;
            }
            SimulationEvent::Word { .. } => {}
            SimulationEvent::Hypothesis { is_right } => {
                let session = simulation.session();
                said = ASKED.iter().filter_map(|&asked| chance(session, asked)).collect();
                if is_right {
                    return say(ranges, &said, u64::MAX, false);
                }
                tests = 0;
            }
            event => panic!("{}: {event:?}", model.name),
        }
    }
    say(ranges, &said, tests, false);
}

/// Prints predictions and outcomes; returns the ranges.
fn compare<'m>(what: &str, models: impl Iterator<Item = &'m SuiteModel>, seeds: u64) -> [Range; 6] {
    let mut ranges = [Range::default(); 6];
    let mut count = 0;
    for model in models {
        (0..seeds).for_each(|seed| run(model, seed, &mut ranges));
        count += 1;
    }
    println!(
        "figures: whether {AHEAD} more tests find something, {what}: {count} models, {seeds} seeds"
    );
    for Range { cases, said, found } in ranges.iter().filter(|range| range.cases > 0) {
        let cases_f = f64::from(*cases);
        println!(
            "  said {:6.2} %, came true {:6.2} %, of {cases} cases",
            said / cases_f * 100.0,
            f64::from(*found) / cases_f * 100.0
        );
    }
    assert!(count > 0);
    ranges
}

/// Asserts that predictions and outcomes agree within this factor. Where few finds are expected, a
/// few more may come by chance.
fn assert_calibrated(ranges: &[Range; 6], factor: f64) {
    for range in ranges {
        let (found, said) = (f64::from(range.found), range.said);
        assert!(found <= said * factor + 5.0, "{range:?}");
        assert!(found >= said / factor - 5.0, "{range:?}");
    }
}

#[test]
fn what_is_said_about_the_next_tests_comes_true() {
    let Some(models) = protocols(WHAT, MAX_TRANSITIONS) else { return };
    let models = Half::Odd.models(&models).filter(|m| m.states * m.inputs() <= 120);
    let ranges = compare("a sample", models, 2);
    // The sample has small models, and some of them hide little.
    assert_calibrated(&ranges, 3.0);
}

/// All models of one half.
fn learn(half: Half) {
    let Some(models) = protocols(WHAT, MAX_TRANSITIONS) else { return };
    let ranges = compare(&half.to_string(), half.models(&models), 5);
    assert_calibrated(&ranges, 2.0);
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

/// Models of other kinds, which hide less.
#[test]
#[ignore = "takes long"]
fn full_others() {
    let Some(folder) = folder(WHAT) else { return };
    for suite in ["artificial", "labbaf-bcs", "circuits", "learningFFSM", "splc22"] {
        let mut models = models(&folder, &[suite]);
        models.retain(|model| model.states * model.inputs() <= 1500);
        for range in compare(suite, models.iter(), 3) {
            assert!(f64::from(range.found) <= range.said * 2.0 + 5.0, "{range:?}");
        }
    }
}
