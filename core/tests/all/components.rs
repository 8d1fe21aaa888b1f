//! Components: the learner repairs components that contradict each other, and in the end each is
//! the minimal machine of its projection.

use crate::common::{
    Driver, Rng, TableMachine, assert_exact, count, external, perfect, product_initial, until_equal,
};
use mealybug_core::{EndReason, Input, Options, Projections, Tests};

/// With the short rows `{ε, a, aa}` the table is output-closed and output-consistent, but in the
/// product the word `bba` has two outputs and `bab` has none.
fn example() -> TableMachine {
    TableMachine::new(vec![
        vec![(1, 0), (2, 1)],
        vec![(3, 1), (3, 2)],
        vec![(3, 0), (3, 2)],
        vec![(3, 2), (3, 0)],
    ])
}

#[test]
fn components_of_a_closed_and_consistent_table_may_contradict_each_other() {
    let machine = example();
    let mut driver = Driver::new(&machine, external(Projections::PerOutput));
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    assert_exact(&driver.hypothesis(), &machine, "the example");
    let progress = driver.session.progress();
    assert!(progress.defects.none + progress.defects.several > 0, "{progress:?}");
    assert_eq!(progress.rounds, 1, "the learner repairs a defect before it shows a hypothesis");
}

#[test]
fn a_cut_state_cover_hides_defects_until_a_test_finds_them() {
    let machine = example();
    let options = Options::new().product_states(1).tests(Tests::RandomWp);
    let mut driver = Driver::new(&machine, options);
    assert_eq!(driver.run(until_equal), Ok(EndReason::Equivalent));
    assert_exact(&driver.hypothesis(), &machine, "the example");
}

/// The number of machines with each kind of defect at which the test below ends.
const ENOUGH: u32 = 100;

#[test]
fn the_learner_repairs_both_kinds_of_defects_of_small_random_machines() {
    let (mut none, mut several, mut machines) = (0, 0, 0);
    for seed in 0..20_000 {
        if none >= ENOUGH && several >= ENOUGH {
            break;
        }
        let rng = &mut Rng(seed);
        let (states, inputs, outputs) = (4 + rng.below(5), 2 + rng.below(2), 3 + rng.below(2));
        let machine = TableMachine::random(rng, states, inputs, outputs);
        let mut driver = Driver::with_memory(&machine, external(Projections::PerOutput), 1 << 12);
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent), "seed {seed}");
        assert_exact(&driver.hypothesis(), &machine, &format!("seed {seed}"));
        let defects = driver.session.progress().defects;
        none += u32::from(defects.none > 0);
        several += u32::from(defects.several > 0);
        machines += 1;
    }
    println!(
        "{machines} machines: {none} with no output, {several} with several outputs somewhere"
    );
    assert!(none >= ENOUGH && several >= ENOUGH, "{none} and {several} of {ENOUGH}");
}

/// Learns a machine from perfect counterexamples, and again with tests until the hypothesis is
/// right. `groups` are the declared groups: pairs of an output and its group.
fn learn_in_two_ways(
    machine: &TableMachine,
    projections: Projections,
    groups: &[(u32, u32)],
    what: &str,
) {
    let tested = Options::new().projections(projections).product_states(16);
    for (options, way) in [(external(projections), "perfect"), (tested, "tested")] {
        let mut driver = Driver::new(machine, options);
        for &(output, group) in groups {
            let declared = driver.session.declare_group(machine.name(output), group);
            declared.expect("nothing was asked yet");
        }
        let end = if way == "perfect" { driver.run(perfect) } else { driver.run(until_equal) };
        assert_eq!(end, Ok(EndReason::Equivalent), "{what} {way}");
        assert_exact(&driver.hypothesis(), machine, &format!("{what} {way}"));
        assert!(!driver.session.is_refuted(), "{what} {way}");
    }
}

#[test]
fn each_component_is_the_minimal_machine_of_its_projection() {
    for seed in 0..60 {
        let rng = &mut Rng(1000 + seed);
        let machine = match seed % 3 {
            0 => TableMachine::random(rng, 12, 3, 4),
            1 => TableMachine::random(rng, 20, 2, 12),
            _ => TableMachine::interleaved(rng, 3, 4, 2),
        };
        let outputs = count(machine.names.len());
        for projections in [Projections::PerOutput, Projections::Identity] {
            learn_in_two_ways(&machine, projections, &[], &format!("seed {seed} {projections:?}"));
        }
        for groups in [2, 3] {
            let declared: Vec<(u32, u32)> = (0..outputs)
                .filter(|&output| output % 5 != 4)
                .map(|output| (output, 7 * (output % groups)))
                .collect();
            let what = format!("seed {seed}, {groups} groups");
            learn_in_two_ways(&machine, Projections::PerOutput, &declared, &what);
        }
    }
}

#[test]
fn each_declared_group_has_one_component() {
    let machine = TableMachine::toy(6);
    let mut driver = Driver::new(&machine, external(Projections::PerOutput));
    for (output, group) in [(0, 3), (2, 3), (4, 3), (1, 0), (5, 0)] {
        let declared = driver.session.declare_group(machine.name(output), group);
        declared.expect("nothing was asked yet");
    }
    driver.session.declare_group(b"never seen", 9).expect("nothing was asked yet");
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    let hypothesis = driver.hypothesis();
    let mut groups: Vec<Vec<u8>> = hypothesis
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
    groups.sort();
    assert_eq!(groups, [b"024".to_vec(), b"15".to_vec(), b"3".to_vec()]);
}

/// With all outputs in one group OL* is L*.
#[test]
fn ol_star_with_one_group_asks_what_l_star_asks() {
    for seed in 0..30 {
        let machine = TableMachine::random(&mut Rng(seed), 15, 2, 4);
        let mut l_star = Driver::new(&machine, external(Projections::Identity));
        let mut one_group = Driver::new(&machine, external(Projections::PerOutput));
        for name in &machine.names {
            one_group.session.declare_group(name, 0).expect("nothing was asked yet");
        }
        assert_eq!(l_star.run(perfect), Ok(EndReason::Equivalent));
        assert_eq!(one_group.run(perfect), Ok(EndReason::Equivalent));
        assert_eq!(l_star.asked, one_group.asked, "seed {seed}");
    }
}

/// A machine with one state, a machine with one output, and a machine whose last outputs appear
/// only after nine inputs.
#[test]
fn the_learner_learns_degenerate_machines() {
    let one_state = TableMachine::new(vec![vec![(0, 0)]]);
    let one_output = TableMachine::new(vec![vec![(1, 0), (0, 0)], vec![(0, 0), (1, 0)]]);
    let chain = (0..9).map(|i| vec![(i + 1, 0), (0, 0)]).chain([vec![(9, 1), (0, 2)]]);
    let late = TableMachine::new(chain.collect());
    for machine in [one_state, one_output, late] {
        for projections in [Projections::PerOutput, Projections::Identity] {
            learn_in_two_ways(&machine, projections, &[], &format!("{machine:?} {projections:?}"));
        }
    }
}

#[test]
fn the_product_answers_as_the_machine_does() {
    let machine = TableMachine::interleaved(&mut Rng(5), 3, 5, 3);
    let mut driver = Driver::new(&machine, external(Projections::PerOutput));
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    let hypothesis = driver.hypothesis();
    let mut product_state = product_initial(&hypothesis);
    let (rng, mut state) = (&mut Rng(6), 0);
    for _ in 0..10_000 {
        let input = rng.below(machine.inputs);
        let expected = machine.step(&mut state, input);
        let output = hypothesis.step(&mut product_state, Input::new(input)).expect("no defect");
        assert_eq!(hypothesis.output_name(output), machine.name(expected));
        assert_eq!(driver.session.output_name(output), machine.name(expected));
    }
}
