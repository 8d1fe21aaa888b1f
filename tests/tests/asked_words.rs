//! Learners ask machines of this repository the words in `asked_words/repository.csv` (L* and OL*)
//! and `asked_words/repository-tree.csv` (L# and OL#).
//!
//! `MEALYBUG_RECORD=1 cargo test --workspace --test asked_words` rewrites these files; with
//! ` -- tree` at the end it rewrites only the file of L# and OL#.

use std::path::Path;

use mealybug::demo_lock::DemoLock;
use mealybug::machine::Machine;
use mealybug_bench::generate::{Artificial, artificial, interleave};
use mealybug_core::{Projections, Tests};
use mealybug_tests::asked::{Asked, Digest, PinnedLearner, Runs, Testing, one_by_one, run};
use mealybug_tests::model;
use mealybug_tests::toy::toy;

const SEEDS: u64 = 3;
/// Learners with a tree take longer for a word.
const TREE_MAX_SYMBOLS: u64 = 10_000;
const MAX_SYMBOLS: u64 = 200_000;

const DOT_FILES: [&str; 8] = [
    "devices/at-modem/golden.dot",
    "devices/boot-console/golden.dot",
    "devices/motor/golden.dot",
    "devices/rx/golden-full.dot",
    "devices/stk500/golden.dot",
    "devices/uboot/golden.dot",
    "devices/xmodem/golden.dot",
    "peers/models/lamp.dot",
];

fn dot_file(path: &str) -> Machine {
    model(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
}

fn made(machines: u32, states: u32, inputs: u32, outputs: u32) -> Machine {
    let wanted = Artificial { machines, states, inputs, outputs, seed: 1 };
    artificial(&wanted).expect("it is small")
}

/// The paper's example, generated machines, and models of devices.
fn machines() -> Vec<(&'static str, Machine)> {
    let parts = ["devices/door-lock/golden.dot", "devices/washer/golden.dot"].map(dot_file);
    let mut machines = vec![
        ("toy-3", toy(3)),
        ("toy-20", toy(20)),
        ("demo-lock", DemoLock::machine()),
        ("random-60", made(1, 60, 3, 2)),
        ("random-wide", made(1, 12, 20, 10)),
        ("switched-2-9", made(2, 9, 2, 3)),
        ("switched-4-5", made(4, 5, 3, 2)),
        ("interleaved", interleave(&parts).expect("it is small")),
    ];
    machines.extend(DOT_FILES.map(|path| (path, dot_file(path))));
    machines
}

#[test]
fn machines_are_asked_the_words_that_are_known() {
    let mut runs = Runs::default();
    for (name, machine) in machines() {
        for testing in Testing::MAIN {
            runs.add((name, &machine), &PinnedLearner::TABLE, testing, SEEDS, MAX_SYMBOLS);
        }
        for testing in Testing::OTHERS {
            runs.add((name, &machine), &PinnedLearner::TABLE, testing, 1, MAX_SYMBOLS);
        }
    }
    runs.check("repository.csv");
    println!("{} runs ask the words that are known", runs.count());
}

#[test]
fn machines_are_asked_the_words_that_are_known_of_learners_with_a_tree() {
    let [mixture, _] = Testing::MAIN;
    let mut runs = Runs::default();
    for (name, machine) in machines() {
        let mut add = |learners, testing, seeds| {
            runs.add((name, &machine), learners, testing, seeds, TREE_MAX_SYMBOLS);
        };
        for testing in Testing::MAIN {
            add(&PinnedLearner::TREE, testing, SEEDS);
        }
        for testing in Testing::OTHERS {
            add(&PinnedLearner::TREE, testing, 1);
        }
        add(&PinnedLearner::TREE_DIVIDED, mixture, 1);
    }
    runs.check("repository-tree.csv");
    println!("{} runs of learners with a tree ask the words that are known", runs.count());
}

/// Hosts give a session several outputs at once and growing memory; microcontrollers do neither.
#[test]
fn one_input_at_a_time_is_the_same_words() {
    for (name, machine) in machines() {
        let tables = PinnedLearner::TABLE.map(|learner| (learner, MAX_SYMBOLS));
        let trees = PinnedLearner::TREE.map(|learner| (learner, TREE_MAX_SYMBOLS));
        for (learner, max_symbols) in tables.into_iter().chain(trees) {
            for testing in Testing::MAIN {
                let options = testing.options(learner, 0, max_symbols);
                let asked = run(&machine, options, None).inputs;
                let (learner, tests) = (learner.name, testing.name);
                assert_eq!(one_by_one(&machine, options), asked, "{name} {learner} {tests}");
            }
        }
    }
}

/// The same run gives the same digest; another seed or option gives another digest.
#[test]
fn another_run_has_another_digest() {
    let machine = made(3, 6, 2, 2);
    let digest = |options, reset_cost| -> Digest {
        let asked: Asked = run(&machine, options, reset_cost);
        asked.digest
    };
    let [mixture, random_wp] = Testing::MAIN;
    let options = mixture.options(PinnedLearner::OL_STAR, 0, MAX_SYMBOLS);
    let runs = [
        (options, None),
        (options.seed(1), None),
        (options.projections(Projections::Identity), None),
        (options.tests(random_wp.tests), None),
        (options.tests(Tests::RandomWords), None),
        (options.passing_tests(options.passing_tests + 1), None),
        (options.shorten(false), None),
        (options.product_states(4), None),
        (options, Some(50)),
    ];
    let digests = runs.map(|(options, reset_cost)| digest(options, reset_cost));
    for (at, first) in digests.iter().enumerate() {
        let (options, reset_cost) = runs[at];
        assert_eq!(digest(options, reset_cost), *first, "{options:?}");
        for (other, second) in digests.iter().enumerate().skip(at + 1) {
            assert_ne!(first, second, "{options:?}, {:?}", runs[other]);
        }
    }
}
