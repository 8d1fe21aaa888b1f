//! Components that contradict each other, and what they are in the end: the minimal machines of the
//! projections.

mod common;

use common::{Driver, Machine, Rng, assert_exact, count, external, perfect, until_equal};
use mealybug_core::{EndReason, Input, Options, Projections, Tests};

/// With `S = {ε, a, aa}` the table is output-closed and output-consistent, yet `bba` has two outputs
/// and `bab` none.
fn example() -> Machine {
    Machine::new(vec![
        vec![(1, 0), (2, 1)],
        vec![(3, 1), (3, 2)],
        vec![(3, 0), (3, 2)],
        vec![(3, 2), (3, 0)],
    ])
}

#[test]
fn a_table_without_defects_may_have_components_that_contradict_each_other() {
    let machine = example();
    let mut driver = Driver::new(&machine, external(Projections::PerOutput));
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    assert_exact(&driver.hypothesis(), &machine, "the example");
    let progress = driver.session.progress();
    assert!(progress.defects.none + progress.defects.several > 0, "{progress:?}");
    assert_eq!(progress.rounds, 1, "a defect is mended before anybody is told");
}

#[test]
fn a_walk_cut_short_hides_defects_until_a_test_meets_them() {
    let machine = example();
    let options = Options { product_states: 1, tests: Tests::RandomWp, ..Options::default() };
    let mut driver = Driver::new(&machine, options);
    assert_eq!(driver.run(until_equal), Ok(EndReason::Equivalent));
    assert_exact(&driver.hypothesis(), &machine, "the example");
}

/// Each kind of defect at least so often.
const ENOUGH: u32 = 100;

#[test]
fn small_random_machines_reach_both_defects_and_are_learned_exactly() {
    let (mut none, mut several, mut machines) = (0, 0, 0);
    for seed in 0..20_000 {
        if none >= ENOUGH && several >= ENOUGH {
            break;
        }
        let rng = &mut Rng(seed);
        let (states, inputs, outputs) = (4 + rng.below(5), 2 + rng.below(2), 3 + rng.below(2));
        let machine = Machine::random(rng, states, inputs, outputs);
        let mut driver = Driver::with_memory(&machine, external(Projections::PerOutput), 1 << 12);
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent), "seed {seed}");
        assert_exact(&driver.hypothesis(), &machine, &format!("seed {seed}"));
        let defects = driver.session.progress().defects;
        none += u32::from(defects.none > 0);
        several += u32::from(defects.several > 0);
        machines += 1;
    }
    println!("{machines} machines: no output in {none}, several in {several}");
    assert!(none >= ENOUGH && several >= ENOUGH, "none {none}, several {several}");
}

/// Learns with perfect counterexamples, and with tests until the hypothesis is right.
fn learn_in_two_ways(
    machine: &Machine,
    projections: Projections,
    blocks: &[(u32, u32)],
    what: &str,
) {
    let tested = Options { projections, product_states: 16, ..Options::default() };
    for (options, way) in [(external(projections), "perfect"), (tested, "tested")] {
        let mut driver = Driver::new(machine, options);
        for &(output, block) in blocks {
            let name = &machine.names[output as usize];
            driver.session.declare_group(name, block).expect("nothing was asked yet");
        }
        let why = if way == "perfect" { driver.run(perfect) } else { driver.run(until_equal) };
        assert_eq!(why, Ok(EndReason::Equivalent), "{what} {way}");
        assert_exact(&driver.hypothesis(), machine, &format!("{what} {way}"));
        assert!(!driver.session.is_refuted(), "{what} {way}");
    }
}

#[test]
fn every_component_is_the_minimal_machine_of_its_projection() {
    for seed in 0..60 {
        let rng = &mut Rng(1000 + seed);
        let machine = match seed % 3 {
            0 => Machine::random(rng, 12, 3, 4),
            1 => Machine::random(rng, 20, 2, 12),
            _ => Machine::interleaved(rng, 3, 4, 2),
        };
        let outputs = count(machine.names.len());
        for projections in [Projections::PerOutput, Projections::Identity] {
            learn_in_two_ways(&machine, projections, &[], &format!("seed {seed} {projections:?}"));
        }
        for blocks in [2, 3] {
            let declared: Vec<(u32, u32)> = (0..outputs)
                .filter(|&output| output % 5 != 4)
                .map(|output| (output, 7 * (output % blocks)))
                .collect();
            let what = format!("seed {seed}, {blocks} blocks");
            learn_in_two_ways(&machine, Projections::PerOutput, &declared, &what);
        }
    }
}

#[test]
fn declared_blocks_are_the_components() {
    let machine = Machine::toy(6);
    let mut driver = Driver::new(&machine, external(Projections::PerOutput));
    for (output, block) in [(0, 3), (2, 3), (4, 3), (1, 0), (5, 0)] {
        driver.session.declare_group(&machine.names[output], block).expect("early enough");
    }
    driver.session.declare_group(b"never seen", 9).expect("early enough");
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    let hypothesis = driver.hypothesis();
    let mut blocks: Vec<Vec<u8>> = hypothesis
        .components()
        .map(|component| {
            let mut names: Vec<u8> = component
                .outputs()
                .flat_map(|output| hypothesis.output_name(output))
                .copied()
                .collect();
            names.sort_unstable();
            names
        })
        .collect();
    blocks.sort();
    assert_eq!(blocks, [b"024".to_vec(), b"15".to_vec(), b"3".to_vec()]);
}

/// With every output in one block OL* is L*.
#[test]
fn one_block_for_all_outputs_asks_what_the_identity_asks() {
    for seed in 0..30 {
        let machine = Machine::random(&mut Rng(seed), 15, 2, 4);
        let mut l_star = Driver::new(&machine, external(Projections::Identity));
        let mut one_block = Driver::new(&machine, external(Projections::PerOutput));
        for name in &machine.names {
            one_block.session.declare_group(name, 0).expect("early enough");
        }
        assert_eq!(l_star.run(perfect), Ok(EndReason::Equivalent));
        assert_eq!(one_block.run(perfect), Ok(EndReason::Equivalent));
        assert_eq!(l_star.asked, one_block.asked, "seed {seed}");
    }
}

/// A machine with one state, one with one output, and one whose outputs appear late.
#[test]
fn degenerate_machines() {
    let one_state = Machine::new(vec![vec![(0, 0)]]);
    let one_output = Machine::new(vec![vec![(1, 0), (0, 0)], vec![(0, 0), (1, 0)]]);
    let chain = (0..9).map(|i| vec![(i + 1, 0), (0, 0)]).chain([vec![(9, 1), (0, 2)]]);
    let late = Machine::new(chain.collect());
    for machine in [one_state, one_output, late] {
        for projections in [Projections::PerOutput, Projections::Identity] {
            learn_in_two_ways(&machine, projections, &[], &format!("{machine:?} {projections:?}"));
        }
    }
}

#[test]
fn the_product_moves_as_the_machine_does() {
    let machine = Machine::interleaved(&mut Rng(5), 3, 5, 3);
    let mut driver = Driver::new(&machine, external(Projections::PerOutput));
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    let hypothesis = driver.hypothesis();
    let mut tuple = common::product_initial(&hypothesis);
    let (rng, mut state) = (&mut Rng(6), 0);
    for _ in 0..10_000 {
        let input = rng.below(machine.inputs);
        let expected = machine.step(&mut state, input);
        let output = hypothesis.step(&mut tuple, Input::new(input)).expect("an output");
        assert_eq!(hypothesis.output_name(output), machine.names[expected as usize]);
        assert_eq!(driver.session.output_name(output), machine.names[expected as usize]);
    }
}
