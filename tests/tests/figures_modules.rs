//! Modules of models whose parts are known: they have in total at most as many states as the parts.
//!
//! The ordinary tests take a sample. The `full` variant takes more and larger models, and is ignored
//! unless asked for.

use std::time::Instant;

use mealybug::machine::{Builder, Machine, ProductComponent, product};
use mealybug::modules::{Module, Modules};
use mealybug_bench::SuiteModel;
use mealybug_bench::generate::{interleave, prefixed};
use mealybug_core::{Mealy, Output};
use mealybug_tests::models::{folder, models};

/// The largest machine of which others are made.
const MAX_PART_STATES: u32 = 30;
const MAX_PART_INPUTS: u32 = 15;

/// The least share of models whose modules have at most as many states as the parts.
const MIN_SHARE: f64 = 0.95;

/// The longest time for a model of at most 1000 states.
const MAX_SECONDS: f64 = 10.0;

/// The modules of a model, checked: their product is the model.
fn checked(name: &str, model: &Machine) -> (Modules, f64) {
    let model = model.minimise();
    let start = Instant::now();
    let modules = Modules::new(&model).expect("the model is complete");
    let seconds = start.elapsed().as_secs_f64();
    let constant = |input: &String| {
        let (_, output) = modules.constant.iter().find(|(name, _)| name == input)?;
        let at = model.outputs().iter().position(|name| name == output)?;
        Some(Output::new(u32::try_from(at).expect("few outputs")))
    };
    let outputs: Vec<_> = model.inputs().iter().map(constant).collect();
    let silent = ProductComponent::new(Mealy::inputs(&model), 0, vec![0; outputs.len()], outputs);
    let mut components = vec![silent];
    components.extend(modules.modules.iter().map(|module| module.component.clone()));
    let again = product(&components, model.inputs(), model.outputs(), model.states());
    assert_eq!(again.as_ref(), Ok(&model), "{name}: the product of the modules is the model");
    (modules, seconds)
}

fn sizes(modules: &Modules) -> Vec<u32> {
    modules.modules.iter().map(Module::states).collect()
}

/// States that can be told apart; a machine of one state is no part.
fn states(part: &Machine) -> u64 {
    let states = part.minimise().states();
    if states > 1 { states.into() } else { 0 }
}

/// Interleaves `count` times two to four small models, whose product has at most `max_states`.
fn interleavings(models: &[SuiteModel], count: u64, max_states: u64) {
    let is_small = |model: &&SuiteModel| {
        (2..=MAX_PART_STATES).contains(&model.states) && model.inputs() <= MAX_PART_INPUTS
    };
    let small: Vec<_> = models.iter().filter(is_small).collect();
    let (mut good, mut slowest) = (0_u64, 0.0_f64);
    for seed in 0..count {
        let mut random = fastrand::Rng::with_seed(seed);
        let parts: Vec<&SuiteModel> = loop {
            let wanted = 2 + usize::try_from(seed % 3).expect("below 3");
            let parts: Vec<_> = (0..wanted).map(|_| small[random.usize(..small.len())]).collect();
            if parts.iter().map(|part| u64::from(part.states)).product::<u64>() <= max_states {
                break parts;
            }
        };
        let machines: Vec<_> = parts.iter().map(|part| part.machine.clone()).collect();
        let model = interleave(&prefixed(&machines)).expect("it is small");
        let name = parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(" + ");
        let (modules, seconds) = checked(&name, &model);
        let of_parts: u64 = machines.iter().map(states).sum();
        let is_good = modules.total_states() <= of_parts;
        good += u64::from(is_good);
        slowest = slowest.max(seconds);
        if !is_good || modules.total_states() < of_parts {
            println!(
                "  {name}: {} states, parts {of_parts}, modules {:?}",
                modules.states,
                sizes(&modules)
            );
        }
    }
    println!(
        "figures: {good} of {count} interleavings of {} models with modules of at most as many states as the parts; \
         slowest {slowest:.2} s",
        small.len()
    );
    assert!(good as f64 >= MIN_SHARE * count as f64, "{good}");
}

/// The artificial models: each of k machines of n states, and which of them is active.
fn artificial(models: &[SuiteModel]) {
    let (mut good, mut count) = (0, 0);
    for model in models {
        let numbers = model.file().trim_start_matches("random-").trim_end_matches(".dot");
        let mut numbers = numbers.split('-').map(|number| number.parse().expect("a number"));
        let [machines, states]: [u64; 2] =
            [numbers.next(), numbers.next()].map(|number| number.expect("two numbers"));
        let (modules, seconds) = checked(&model.name, &model.machine);
        let of_parts = machines * (machines * states);
        println!(
            "  {}: {} states, parts at most {of_parts}, modules {:?}, {seconds:.2} s",
            model.name,
            modules.states,
            sizes(&modules)
        );
        good += u64::from(modules.total_states() <= of_parts);
        count += 1;
    }
    println!(
        "figures: {good} of {count} artificial models with modules of at most as many states as the parts"
    );
    assert!(count > 0 && good as f64 >= MIN_SHARE * count as f64, "{good}");
}

/// All models: how many have several modules, and how long it takes to find them.
fn all(models: &[SuiteModel], max_states: u32) {
    let (mut several, mut count, mut slowest) = (0, 0, 0.0_f64);
    for model in models.iter().filter(|model| model.states <= max_states) {
        let (modules, seconds) = checked(&model.name, &model.machine);
        let sizes = sizes(&modules);
        let is_made = ["artificial/", "labbaf-bcs/"].iter().any(|of| model.name.starts_with(of));
        if seconds > 1.0 || sizes.len() > 1 && !is_made {
            println!(
                "  {}: {} states, {} inputs, modules {sizes:?}, {seconds:.2} s",
                model.name,
                modules.states,
                model.inputs()
            );
        }
        several += u64::from(sizes.len() > 1);
        count += 1;
        if modules.states <= 1000 {
            slowest = slowest.max(seconds);
        }
    }
    println!(
        "figures: {several} of {count} models with several modules; with at most 1000 states slowest {slowest:.2} s"
    );
    assert!(count > 0 && slowest <= MAX_SECONDS, "{slowest}");
}

/// Many pairs, none of which knows what another one does: ten switches, and lamps that show three switches each.
fn lamps() -> Machine {
    const SWITCHES: u32 = 10;
    let mut random = fastrand::Rng::with_seed(1);
    let lamps: Vec<[u32; 3]> = (0..150).map(|_| [(); 3].map(|()| random.u32(..SWITCHES))).collect();
    let mut builder = Builder::default();
    for state in 0..1 << SWITCHES {
        for switch in 0..SWITCHES {
            let input = format!("switch {switch}");
            builder.add(state, &input, state ^ 1 << switch, "ok").expect("new");
        }
        for (lamp, shown) in lamps.iter().enumerate() {
            let colour = shown.iter().fold(0, |colour, switch| 2 * colour + (state >> switch & 1));
            let input = format!("lamp {lamp}");
            builder.add(state, &input, state, &format!("colour {colour}")).expect("new");
        }
    }
    builder.build(0).expect("complete")
}

#[test]
fn modules_are_no_larger_than_the_parts() {
    let Some(folder) = folder("modules") else { return };
    interleavings(&models(&folder, &["learnlib", "scl-star", "ble-learning"]), 15, 500);
    let artificial_models = models(&folder, &["artificial"]);
    let small: Vec<_> = artificial_models.into_iter().filter(|model| model.states <= 500).collect();
    artificial(&small);
    all(&models(&folder, &["dynamiclstarm", "labbaf-bcs"]), 100);
}

#[test]
#[ignore = "takes long"]
fn full_modules_are_no_larger_than_the_parts() {
    let Some(folder) = folder("modules") else { return };
    let everything = models(&folder, &[]);
    interleavings(&everything, 60, 5000);
    artificial(&models(&folder, &["artificial"]));
    all(&everything, u32::MAX);
    let (modules, seconds) = checked("lamps", &lamps());
    println!(
        "figures: 150 lamps of ten switches, 1024 states: modules {:?}, {seconds:.2} s",
        sizes(&modules)
    );
    assert!(seconds <= MAX_SECONDS, "{seconds}");
}
