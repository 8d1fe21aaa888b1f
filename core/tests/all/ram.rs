//! How much memory a learner takes on devices of a board's size, beside the words that it asks.
//!
//! `tests/run ram` keeps the table in docs/measurements/ram.txt. It has the core as boards have it, without
//! the default features, and the tree learner.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::common::{Driver, TableMachine, count, until_equal};
use mealybug_core::{EndReason, Options, Progress, Tests};

const SEEDS: u64 = 8;

/// A machine from a DOT file: states, inputs and outputs are numbered in the order in which they
/// appear, the initial state first.
fn read_dot(path: &Path) -> Option<TableMachine> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut numbers = [(); 3].map(|()| HashMap::<&str, u32>::new());
    let mut number = |kind: usize, name| {
        let next = count(numbers[kind].len());
        *numbers[kind].entry(name).or_insert(next)
    };
    let (mut table, mut names) = (Vec::<Vec<(u32, u32)>>::new(), Vec::new());
    for line in text.lines() {
        let Some((from, rest)) = line.trim().split_once(" -> ") else { continue };
        let Some((to, label)) = rest.split_once(" [label=\"") else {
            number(0, rest.trim_end_matches(';'));
            continue;
        };
        let (input, output) = label.rsplit_once('"')?.0.split_once('/')?;
        let (from, to) = (number(0, from), number(0, to));
        let (input, output) = (number(1, input), (number(2, output), output));
        let states = table.len().max(1 + from.max(to) as usize);
        table.resize(states, Vec::new());
        let row = &mut table[from as usize];
        row.resize(row.len().max(1 + input as usize), (0, 0));
        row[input as usize] = (to, output.0);
        names.resize(names.len().max(1 + output.0 as usize), Vec::new());
        names[output.0 as usize] = output.1.as_bytes().to_vec();
    }
    Some(TableMachine { inputs: count(table[0].len()), names, table })
}

/// The devices of firmware/devices.
fn device(name: &str) -> Option<TableMachine> {
    let devices = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/devices");
    read_dot(&devices.join(name).join("golden.dot"))
}

fn random_5_5_6() -> Option<TableMachine> {
    let models = PathBuf::from(std::env::var_os("MEALYBUG_MODELS")?);
    read_dot(&models.join("artificial/random-5-5-6.dot"))
}

/// Tests every hypothesis until it is right, and tells the region's bytes and the words and symbols asked.
fn learn(machine: &TableMachine, options: Options) -> [u64; 3] {
    let options = options.tests(Tests::RandomWp).passing_tests(u64::MAX);
    let mut driver = Driver::new(machine, options);
    assert_eq!(driver.run(until_equal), Ok(EndReason::Equivalent));
    let Progress { learning, testing, learner_bytes, .. } = driver.session.progress();
    [learner_bytes as u64, learning.resets + testing.resets, learning.symbols + testing.symbols]
}

/// Learns with all seeds and prints a row of the table. Returns the bytes in the median and at worst.
fn row(name: &str, machine: &TableMachine, what: &str, options: Options) -> (u64, u64) {
    let runs: Vec<_> = (0..SEEDS).map(|seed| learn(machine, options.seed(seed))).collect();
    let sorted = [0, 1, 2].map(|column| {
        let mut column: Vec<_> = runs.iter().map(|run| run[column]).collect();
        column.sort_unstable();
        column
    });
    // Of eight numbers the fifth.
    let [bytes, words, symbols] = sorted.map(|column| (column[column.len() / 2], column[7]));
    println!(
        "ram: {name:<14} {:>6} states  {what:<16} {:>7} {:>7} bytes {:>7} words {:>8} symbols",
        machine.states(),
        bytes.0,
        bytes.1,
        words.0,
        symbols.0
    );
    bytes
}

const KIB: u64 = 1024;

#[test]
fn of_each_learner() {
    println!(
        "ram: the region's bytes in the median and at worst, words and symbols in the median, {SEEDS} seeds"
    );
    let table = Options::new();
    let learners = [
        ("table, OL*", table),
        #[cfg(feature = "tree")]
        ("tree, OL#", table.observations(mealybug_core::Observations::Tree)),
    ];
    for name in ["door-lock", "boot-loader", "motor"] {
        let machine = device(name).expect("tests/devices has it");
        for (what, options) in learners {
            row(name, &machine, what, options);
        }
    }
    let Some(machine) = random_5_5_6() else {
        println!("random-5-5-6 skipped: MEALYBUG_MODELS is not set");
        return;
    };
    assert_eq!(machine.states(), 10_000);
    for (what, options) in learners {
        let (median, worst) = row("random-5-5-6", &machine, what, options);
        let is_table = options == table;
        assert!(!is_table || median <= 9 * KIB && worst <= 10 * KIB, "{median} {worst}");
    }
}
