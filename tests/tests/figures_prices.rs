//! What tests and the words of OL# save by following the costs of a reset and of each input, where
//! some of them are dear.
//!
//! Nothing sleeps here: the time of a run is the total cost of its resets and inputs until the
//! hypothesis is right. About every fifth input costs more than the others.
//! `tests/run full` learns the models of protocols, the ordinary run a sample.

use mealybug_bench::{Simulation, SimulationEvent, SuiteModel};
use mealybug_core::{Input, Observations, Options, Projections, Purpose};
use mealybug_tests::averages::{geometric_mean, median};
use mealybug_tests::models::{Half, protocols};

/// The seeds of each model.
const SEEDS: u64 = 5;
/// The seeds of each model of the sample: it has few models, and five seeds of them say little.
const SAMPLED_SEEDS: u64 = 15;

/// The most transitions, states times inputs; larger models take long.
const MAX_TRANSITIONS: u64 = 1000;

/// The sample is one half of the models up to this size.
const SAMPLED_TRANSITIONS: u64 = 200;

/// Models whose testing takes no more time than this many resets have nothing to gain.
const WORTH_IT: u64 = 100;

/// A run ends after this many testing symbols.
const CAP: u64 = 8_000_000;

/// What is dear, beside an ordinary input.
#[derive(Clone, Copy, Debug)]
struct Dear {
    reset: u32,
    /// About every fifth input.
    input: u32,
}

/// The time until the hypothesis was right.
#[derive(Clone, Copy, Debug, Default)]
struct Time {
    testing: u64,
    learning: u64,
}

impl Time {
    fn all(self) -> u64 {
        self.testing + self.learning
    }
}

/// The cost of an input of a model.
fn price(model: &SuiteModel, input: Input, dear: Dear) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = model.name.bytes().chain(input.index().to_le_bytes()).fold(0x811c_9dc5, step);
    if (hash >> 8).is_multiple_of(5) { dear.input } else { 1 }
}

/// Learns a model. If `follows`, the words follow the costs.
fn run(model: &SuiteModel, options: Options, dear: Dear, follows: bool) -> Time {
    let price = |input| price(model, input, dear);
    let options = options.passing_tests(u64::MAX);
    let mut simulation =
        Simulation::new(&model.machine, options, usize::MAX).expect("good options");
    if follows {
        simulation.set_costs(dear.reset, price).expect("there is room");
    }
    let mut time = Time::default();
    while simulation.session().progress().testing.symbols < CAP {
        match simulation.advance() {
            SimulationEvent::Word { purpose, .. } => {
                let spent = match purpose {
                    Purpose::Learning => &mut time.learning,
                    Purpose::Testing => &mut time.testing,
                };
                let inputs = simulation.word().iter().map(|&input| u64::from(price(input)));
                *spent += u64::from(dear.reset) + inputs.sum::<u64>();
            }
            SimulationEvent::Hypothesis { is_right: true } => break,
            SimulationEvent::Hypothesis { is_right: false } => {}
            event => panic!("{}: {event:?}", model.name),
        }
    }
    time
}

/// The tree learner that chooses its components.
fn ol_sharp() -> Options {
    Options::new().observations(Observations::Tree).projections(Projections::Chosen)
}

/// Prints how the time changes when words follow the costs, with totals; returns the change of the
/// testing time. Each change is a geometric mean over the models of the medians over the seeds.
#[expect(clippy::cast_precision_loss, reason = "a ratio")]
fn compare<'m>(
    what: &str,
    models: impl Iterator<Item = &'m SuiteModel>,
    options: Options,
    (dear, seeds): (Dear, u64),
) -> f64 {
    let mut sums = [Time::default(); 2];
    let (mut testing, mut all) = (Vec::new(), Vec::new());
    for model in models {
        let runs = [false, true].map(|follows| {
            let runs = (0..seeds).map(|seed| run(model, options.seed(seed), dear, follows));
            runs.collect::<Vec<_>>()
        });
        for (sum, runs) in sums.iter_mut().zip(&runs) {
            sum.testing += runs.iter().map(|run| run.testing).sum::<u64>();
            sum.learning += runs.iter().map(|run| run.learning).sum::<u64>();
        }
        // Compare the runs that follow the costs with those that do not.
        let [same, follow] = &runs;
        let middle = |of: fn(&Time) -> u64| [follow, same].map(|runs| median(runs.iter().map(of)));
        let [with, without] = middle(|time| time.testing);
        if without > WORTH_IT * u64::from(dear.reset) {
            testing.push([with, without]);
            all.push(middle(|time| time.all()));
        }
    }
    let count = testing.len();
    assert!(count > 0, "{what}: there is nothing to gain");
    let [testing_sum, all_sum] = [|time: Time| time.testing, Time::all]
        .map(|of| of(sums[1]) as f64 / of(sums[0]).max(1) as f64);
    let Dear { reset, input } = dear;
    println!(
        "figures: {what}, a reset costs {reset}, every fifth input {input}: with words that follow costs, testing takes {:.2} of the \
         time and the whole run {:.2} (geometric means of {count} models, medians of {seeds} seeds). All models together: \
         {testing_sum:.2} and {all_sum:.2}",
        geometric_mean(&testing),
        geometric_mean(&all),
    );
    geometric_mean(&testing)
}

#[test]
fn tests_that_follow_the_time_save_some() {
    let Some(models) = protocols("the time of testing", SAMPLED_TRANSITIONS) else { return };
    let (models, dear) = (Half::Even.models(&models), Dear { reset: 500, input: 10 });
    assert!(compare("a sample", models, Options::new(), (dear, SAMPLED_SEEDS)) < 0.85);
}

fn learn(half: Half) {
    let Some(models) = protocols("the time of testing", MAX_TRANSITIONS) else { return };
    for [reset, input] in [[2, 30], [15, 10], [50, 10], [500, 10]] {
        let dear = (Dear { reset, input }, SEEDS);
        compare(&half.to_string(), half.models(&models), Options::new(), dear);
        compare(&format!("{half} with OL#"), half.models(&models), ol_sharp(), dear);
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
