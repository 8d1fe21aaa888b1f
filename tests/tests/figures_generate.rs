//! The generated families are the published ones: this test regenerates the interleavings of Labbaf
//! et al. from their own components.
//!
//! The components are not among the models, but each model contains them. A component is what a
//! model does on the inputs that belong to that component alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use mealybug::machine::{Builder, Machine};
use mealybug_bench::SuiteModel;
use mealybug_bench::generate::interleave;
use mealybug_core::Mealy;
use mealybug_tests::models::{folder, models};

type Alphabet = BTreeSet<String>;

#[test]
fn interleavings_of_their_components_are_the_published_ones() {
    let Some(folder) = folder("interleavings") else { return };
    let text = fs::read_to_string(folder.join("labbaf-bcs/components.tsv")).expect("a table");
    let parts_of: BTreeMap<&str, Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| {
            let (model, parts) = (line.split('\t').next(), line.split('\t').next_back());
            (model.expect("a model"), parts.expect("its parts").split(',').collect())
        })
        .collect();
    let models = models(&folder, &["labbaf-bcs"]);
    let parts_of = |model: &SuiteModel| &parts_of[model.file()];

    // A component has the inputs that all models containing it share.
    let mut inputs: BTreeMap<&str, Alphabet> = BTreeMap::new();
    for model in &models {
        let all: Alphabet = model.machine.inputs().iter().cloned().collect();
        for part in parts_of(model) {
            let known = inputs.entry(part).or_insert_with(|| all.clone());
            known.retain(|input| all.contains(input));
        }
    }
    let mut components: BTreeMap<&str, Machine> = BTreeMap::new();
    for model in &models {
        for part in parts_of(model) {
            let mut others = parts_of(model).iter().filter(|other| *other != part);
            if others.all(|other| inputs[other].is_disjoint(&inputs[part])) {
                components.entry(part).or_insert_with(|| on(&model.machine, &inputs[part]));
            }
        }
    }

    let mut shared = 0;
    for model in &models {
        let parts: Vec<Machine> =
            parts_of(model).iter().map(|part| components[part].clone()).collect();
        shared += usize::from(
            parts.iter().map(Mealy::inputs).sum::<u32>() > Mealy::inputs(&model.machine),
        );
        let made = interleave(&parts).expect("it is small");
        let made = made.with_inputs(model.machine.inputs()).expect("the same inputs");
        assert_eq!(made.states(), model.machine.states(), "{}", model.name);
        assert_eq!(made.minimise(), model.machine.minimise(), "{}", model.name);
    }
    println!(
        "figures: {} interleavings of {} components made anew, {shared} of them with inputs in common",
        models.len(),
        components.len()
    );
    assert!(models.len() > 50 && shared > 20, "too few to say something");
}

/// What a machine does on these inputs alone.
fn on(machine: &Machine, inputs: &Alphabet) -> Machine {
    let start = Mealy::initial(machine);
    let (mut seen, mut open) = (vec![start], vec![start]);
    let mut builder = Builder::default();
    while let Some(from) = open.pop() {
        for name in inputs {
            let input = machine.find_input(name).expect("the model has its components' inputs");
            let (to, output) = machine.expect_transition(from, input);
            let number = |state| seen.iter().position(|&known| known == state);
            let at = number(from).expect("it was seen");
            let next = number(to).unwrap_or(seen.len());
            if next == seen.len() {
                seen.push(to);
                open.push(to);
            }
            let [at, next] = [at, next].map(|index| u32::try_from(index).expect("few states"));
            builder.add(at, name, next, machine.output_name(output)).expect("a new transition");
        }
    }
    builder.build(0).expect("the model is complete")
}
