//! How often OL# and L# reset the devices of `tests/devices` until the model is right, beside OL*.
//!
//! Prices are in inputs, each of which costs 1. Nothing sleeps here, so a reset costs what the test says.

use mealybug_bench::{Simulation, SimulationEvent, SuiteModel};
use mealybug_core::{Observations, Options, Projections};
use mealybug_tests::averages::{geometric_mean, median};
use mealybug_tests::models::models;
use mealybug_tests::repository::root;

const SEEDS: u64 = 9;

/// Of the words until the model was right.
#[derive(Clone, Copy, Debug, Default)]
struct RunCosts {
    resets: u64,
    symbols: u64,
}

fn run(model: &SuiteModel, options: Options, reset: u32) -> RunCosts {
    let options = options.passing_tests(u64::MAX);
    let mut simulation =
        Simulation::new(&model.machine, options, usize::MAX).expect("good options");
    if reset > 0 {
        simulation.set_costs(reset, |_| 1).expect("there is room");
    }
    let mut asked = RunCosts::default();
    loop {
        match simulation.advance() {
            SimulationEvent::Word { .. } => {
                asked.resets += 1;
                asked.symbols += simulation.word().len() as u64;
            }
            SimulationEvent::Hypothesis { is_right: true } => return asked,
            SimulationEvent::Hypothesis { is_right: false } => {}
            event => panic!("{}: {event:?}", model.name),
        }
    }
}

/// Prints resets and symbols beside those of OL\*: the geometric mean over the devices of the medians over the seeds.
/// Returns the mean of the resets; OL\* must not reset any device less often.
fn compare(name: &str, options: Options, reset: u32) -> f64 {
    let (mut resets, mut symbols) = (Vec::new(), Vec::new());
    for model in models(&root().join("tests/devices"), &[]) {
        let [ours, ol_star] = [options, Options::new()].map(|options| {
            let runs: Vec<RunCosts> =
                (0..SEEDS).map(|seed| run(&model, options.seed(seed), reset)).collect();
            RunCosts {
                resets: median(runs.iter().map(|run| run.resets)),
                symbols: median(runs.iter().map(|run| run.symbols)),
            }
        });
        assert!(ours.resets <= ol_star.resets, "{}: {ours:?}, OL* {ol_star:?}", model.name);
        resets.push([ours.resets, ol_star.resets]);
        symbols.push([ours.symbols, ol_star.symbols]);
    }
    let (count, mean) = (resets.len(), geometric_mean(&resets));
    println!(
        "figures: {name}, a reset as dear as {reset} inputs: {mean:.2} of the resets and {:.2} of the symbols of OL*, \
         {count} devices with {SEEDS} seeds",
        geometric_mean(&symbols),
    );
    mean
}

#[test]
fn the_tree_learners_reset_a_third_as_often_where_a_reset_is_dear() {
    let tree = Options::new().observations(Observations::Tree);
    let learners = [("OL#", Projections::Chosen), ("L#", Projections::Identity)];
    for (name, projections) in learners {
        let options = tree.projections(projections);
        assert!(compare(name, options, 0) < 0.5, "{name}");
        for reset in [5, 15] {
            assert!(compare(name, options, reset) < 1.0 / 3.0, "{name}");
        }
    }
}
