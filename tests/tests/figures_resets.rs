//! How often OL# and L# reset the devices of `tests/devices` until the model is right, beside OL*.
//!
//! An input costs 1, and a reset what the test says. Nothing sleeps here.

use mealybug_bench::{Simulation, SimulationEvent, SuiteModel};
use mealybug_core::{Costs, Observations, Options, Progress, Projections};
use mealybug_tests::averages::{geometric_mean, median};
use mealybug_tests::models::models;
use mealybug_tests::repository::root;

const SEEDS: u64 = 9;

/// What it costs to learn a model until it is right, where a reset costs `reset`.
fn run(model: &SuiteModel, options: Options, reset: u32) -> Costs {
    let options = options.passing_tests(u64::MAX);
    let mut simulation =
        Simulation::new(&model.machine, options, usize::MAX).expect("good options");
    if reset > 0 {
        simulation.set_costs(reset, |_| 1).expect("there is room");
    }
    loop {
        match simulation.advance() {
            SimulationEvent::Word { .. } | SimulationEvent::Hypothesis { is_right: false } => {}
            SimulationEvent::Hypothesis { is_right: true } => break,
            event => panic!("{}: {event:?}", model.name),
        }
    }
    let Progress { learning, testing, .. } = simulation.session().progress();
    Costs { resets: learning.resets + testing.resets, symbols: learning.symbols + testing.symbols }
}

/// Prints resets and symbols beside those of OL\*: geometric means over the devices, each with the medians over the seeds.
/// Returns the mean of the resets, and checks that OL\* resets every device at least as often.
fn compare(name: &str, options: Options, reset: u32) -> f64 {
    let (mut resets, mut symbols) = (Vec::new(), Vec::new());
    for model in models(&root().join("tests/devices"), &[]) {
        let [ours, ol_star] = [options, Options::new()].map(|options| {
            let runs: Vec<Costs> =
                (0..SEEDS).map(|seed| run(&model, options.seed(seed), reset)).collect();
            Costs {
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
