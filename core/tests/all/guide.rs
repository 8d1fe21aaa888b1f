//! The tables of numbers in the guide are what the core does.

use std::fmt::Write;

use crate::common::{Driver, Rng, TableMachine, TestedLearner, external, perfect, without_tests};
use mealybug_core::{EndReason, Options, Projections, Session, Tests};

/// Fails unless the lines stand in a page of the guide, one after the other.
fn assert_in_guide(page: &str, table: &str) {
    let rows = |text: &str| -> Vec<String> {
        let rows = text.lines().map(|line| line.trim_start_matches("//!").trim());
        rows.filter(|line| line.starts_with('|')).map(str::to_owned).collect()
    };
    let (page, table) = (rows(page), rows(table));
    assert!(
        page.windows(table.len()).any(|rows| rows == table),
        "it should be\n{}",
        table.join("\n")
    );
}

/// A random machine whose first input leads through all states.
fn random(states: u32) -> TableMachine {
    let rng = &mut Rng(1);
    let row = |rng: &mut Rng, state: u32| {
        let first = ((state + 1) % states, rng.below(4));
        let others = (1..4).map(|_| (rng.below(states), rng.below(4)));
        std::iter::once(first).chain(others).collect()
    };
    let machine = TableMachine::new((0..states).map(|state| row(rng, state)).collect());
    assert_eq!(machine.size(), states);
    machine
}

#[test]
fn memory_of_a_session() {
    let machines = [
        ("the ring of Figure 2, 4 places", TableMachine::toy(4)),
        ("the same, 16 places", TableMachine::toy(16)),
        ("the same, 64 places", TableMachine::toy(64)),
        ("random, 4 inputs, 4 outputs", random(10)),
        ("random, 4 inputs, 4 outputs", random(100)),
        ("random, 4 inputs, 4 outputs", random(1000)),
        ("four random machines of 6 states, switched by an input", {
            TableMachine::interleaved(&mut Rng(1), 4, 6, 2)
        }),
    ];
    let mut table =
        String::from("| device | states | OL\\*: bytes | L\\*: bytes |\n|---|---:|---:|---:|\n");
    for (name, machine) in &machines {
        let bytes = [Projections::PerOutput, Projections::Identity].map(|projections| {
            let options = Options::new().projections(projections);
            let mut driver = Driver::new(machine, options);
            assert_eq!(driver.run(without_tests), Ok(EndReason::TestsPassed));
            driver.session.progress().learner_bytes
        });
        let [ol_star, l_star] = bytes;
        writeln!(table, "| {name} | {} | {ol_star} | {l_star} |", machine.size()).expect("room");
    }
    assert_in_guide(include_str!("../../src/guide/memory.rs"), &table);
}

#[test]
fn memory_by_tests() {
    let machine = TableMachine::toy(4);
    let mut table = String::from("| tests | bytes |\n|---|---:|\n");
    for tests in [Tests::External, Tests::RandomWp, Tests::Mixture] {
        let mut driver = Driver::new(&machine, Options::new().tests(tests));
        driver.run(without_tests).expect("there is room");
        let bytes = driver.session.progress().learner_bytes;
        writeln!(table, "| `{tests}` | {bytes} |").expect("room");
    }
    assert_in_guide(include_str!("../../src/guide/memory.rs"), &table);
}

#[test]
fn symbols_of_figure_2() {
    let mut table = String::from("| places | OL\\*: symbols | L\\*: symbols |\n|---:|---:|---:|\n");
    for n in [3, 4, 5, 6, 10, 20] {
        let machine = TableMachine::toy(n);
        let [ol_star, l_star] =
            [Projections::PerOutput, Projections::Identity].map(|projections| {
                let mut driver = Driver::new(&machine, external(projections));
                assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
                driver.session.progress().learning.symbols
            });
        writeln!(table, "| {n} | {ol_star} | {l_star} |").expect("room");
    }
    assert_in_guide(include_str!("../../src/guide/ol_star.rs"), &table);
}

/// On a machine with 64-bit addresses; with 32-bit addresses it is less.
#[test]
fn size_of_a_session() {
    let bound = if cfg!(feature = "tree") { 2560 } else { 1536 };
    let size = size_of::<Session<&mut [u32], TestedLearner>>();
    assert!(size <= bound, "{size}");
}
