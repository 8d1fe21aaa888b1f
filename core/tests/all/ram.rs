//! How much memory a learner takes on devices of a board's size, beside the words that it asks.
//!
//! The command that keeps the table in docs/measurements is `tests/run ram`. Boards have the core without
//! its default features, and so has that command.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::common::{Driver, Machine, count, until_equal};
use mealybug_core::{EndReason, Options, Progress, Tests};

const SEEDS: u64 = 8;

/// A machine from a DOT file: states, inputs and outputs are numbered in the order in which they
/// appear, the initial state first.
fn read_dot(path: &Path) -> Option<Machine> {
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
    Some(Machine { inputs: count(table[0].len()), names, table })
}

/// The devices of firmware/devices.
fn device(name: &str) -> Option<Machine> {
    let devices = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/devices");
    read_dot(&devices.join(name).join("golden.dot"))
}

fn random_5_5_6() -> Option<Machine> {
    let models = PathBuf::from(std::env::var_os("MEALYBUG_MODELS")?);
    read_dot(&models.join("artificial/random-5-5-6.dot"))
}

/// Tests every hypothesis until it is right.
fn learn(machine: &Machine, options: Options) -> Progress {
    let options = options.tests(Tests::RandomWp).passing_tests(u64::MAX);
    let mut driver = Driver::new(machine, options);
    assert_eq!(driver.run(until_equal), Ok(EndReason::Equivalent));
    driver.session.progress()
}

#[test]
fn ten_thousand_states_take_16_kib() {
    let Some(machine) = random_5_5_6() else { return };
    assert_eq!(machine.states(), 10_000);
    let mut bytes: Vec<usize> = (0..SEEDS)
        .map(|seed| {
            let progress = learn(&machine, Options::new().seed(seed));
            println!("seed {seed}: {} bytes, {progress:?}", progress.learner_bytes);
            progress.learner_bytes
        })
        .collect();
    bytes.sort_unstable();
    println!("{bytes:?}");
}
