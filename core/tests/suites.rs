//! What complete suites promise, and what they cost.

mod common;

use std::collections::{BTreeSet, HashMap, HashSet};

use common::{
    Driver, Machine, Rng, access_words, assert_exact, count, lock, only_tests, product_initial,
    product_step, without_tests,
};
use mealybug_core::{Action, EndReason, Hypothesis, Input, Options, Projections, Tests};

fn options(tests: Tests) -> Options {
    Options { tests, ..Options::default() }
}

/// States of the product that are reachable.
fn count_product_states(hypothesis: &Hypothesis<'_>) -> u32 {
    let mut seen = HashSet::from([product_initial(hypothesis)]);
    let mut queue = vec![product_initial(hypothesis)];
    while let Some(tuple) = queue.pop() {
        for input in 0..hypothesis.inputs() {
            let mut tuple = tuple.clone();
            product_step(hypothesis, &mut tuple, input);
            if seen.insert(tuple.clone()) {
                queue.push(tuple);
            }
        }
    }
    count(seen.len())
}

/// The machine with some states twice, and some transitions changed.
fn mutant(machine: &Machine, rng: &mut Rng, extra_states: u32) -> Machine {
    let mut table = machine.table.clone();
    for _ in 0..extra_states {
        table.push(table[rng.below(count(table.len())) as usize].clone());
    }
    let states = count(table.len());
    let outputs = count(machine.names.len());
    for _ in 0..=extra_states + rng.below(3) {
        let state = rng.below(states) as usize;
        let input = rng.below(machine.inputs) as usize;
        table[state][input].0 = rng.below(states);
        if rng.below(3) == 0 {
            table[state][input].1 = rng.below(outputs);
        }
    }
    Machine { table, ..machine.clone() }.reachable()
}

/// A device with at most so many states more than the hypothesis that passes the suite is the
/// hypothesis.
#[test]
fn a_device_with_few_enough_states_that_passes_is_the_hypothesis() {
    let (mut passed, mut found, mut too_large) = (0, 0, 0);
    for seed in 0..150 {
        let rng = &mut Rng(9000 + seed);
        let base = if seed % 2 == 0 {
            Machine::random(rng, 5, 2, 2)
        } else {
            let secret: Vec<u32> = (0..4).map(|_| rng.below(2)).collect();
            lock(&secret, 2)
        };
        for extra_states in 0..3 {
            let device = mutant(&base, rng, extra_states);
            for tests in [Tests::W { extra_states }, Tests::Wp { extra_states }] {
                for projections in [Projections::PerOutput, Projections::Identity] {
                    let options = Options { projections, shorten: seed % 3 > 0, ..options(tests) };
                    let mut driver = Driver::with_memory(&device, options, 1 << 14);
                    let what = format!("seed {seed} {options:?}");
                    assert_eq!(driver.run(only_tests), Ok(EndReason::SuitePassed), "{what}");
                    let hypothesis = driver.hypothesis();
                    found += u32::from(driver.session.progress().rounds > 1);
                    if device.size() <= count_product_states(&hypothesis) + extra_states {
                        assert_exact(&hypothesis, &device, &what);
                        passed += 1;
                    } else {
                        too_large += 1;
                    }
                }
            }
        }
    }
    println!("{passed} passed, in {found} runs suites found something, {too_large} too large");
    assert!(passed > 1000 && found > 200 && too_large > 10, "{passed} {found} {too_large}");
}

/// How many states more than its component a projection of the machine has, at most.
fn extra_states(hypothesis: &Hypothesis<'_>, machine: &Machine) -> u32 {
    let extra = hypothesis.components().map(|component| {
        let block: Vec<&[u8]> =
            component.outputs().map(|output| hypothesis.output_name(output)).collect();
        let minimal =
            machine.minimal_states(|o| block.contains(&machine.names[o as usize].as_slice()));
        minimal.saturating_sub(component.states())
    });
    extra.max().unwrap_or(0)
}

/// A device that passes the suites of the components is the hypothesis if no projection has too
/// many extra states; how many the device has says nothing.
#[test]
fn projections_with_few_enough_states_that_pass_are_the_components() {
    let (mut passed, mut found, mut wrong) = (0, 0, 0);
    let mut not_implied = 0;
    for seed in 0..300 {
        let rng = &mut Rng(19_000 + seed);
        let base = match seed % 3 {
            0 => Machine::random(rng, 5, 2, 2),
            1 => Machine::interleaved(rng, 2, 3, 2),
            _ => lock(&(0..4).map(|_| rng.below(2)).collect::<Vec<_>>(), 2),
        };
        for extra in 0..3 {
            let device = mutant(&base, rng, extra);
            for projections in [Projections::PerOutput, Projections::Identity] {
                let tests = options(Tests::Components { extra_states: extra });
                let options =
                    Options { projections, shorten: seed % 2 > 0, product_states: 1, ..tests };
                let mut driver = Driver::with_memory(&device, options, 1 << 14);
                let what = format!("seed {seed} {options:?}");
                assert_eq!(driver.run(only_tests), Ok(EndReason::SuitePassed), "{what}");
                let hypothesis = driver.hypothesis();
                found += u32::from(driver.session.progress().rounds > 1);
                let is_larger = device.size() > count_product_states(&hypothesis) + extra;
                if extra_states(&hypothesis, &device) <= extra {
                    assert_exact(&hypothesis, &device, &what);
                    passed += 1;
                } else {
                    wrong += 1;
                    not_implied += u32::from(!is_larger);
                }
            }
        }
    }
    println!(
        "{passed} passed, {found} refuted, {wrong} with too large projections, {not_implied} of them \
         with few enough states"
    );
    assert!(passed > 1000 && found > 200 && wrong > 10 && not_implied > 0);
}

/// What a suite asks of a hypothesis that is right.
fn symbols_of(machine: &Machine, tests: Tests) -> u64 {
    let mut driver = Driver::new(machine, options(tests));
    let why = driver.run(without_tests);
    assert_eq!(why, Ok(EndReason::SuitePassed));
    driver.session.progress().testing.symbols
}

/// Without extra states all is in the table.
#[test]
fn components_have_smaller_suites_than_their_product() {
    let machine = Machine::interleaved(&mut Rng(33), 3, 4, 2);
    let given = symbols_of(&machine, Tests::Components { extra_states: 0 });
    for extra_states in 0..3 {
        let of_components = symbols_of(&machine, Tests::Components { extra_states }) - given;
        let of_product = symbols_of(&machine, Tests::Wp { extra_states }) - given;
        println!("{extra_states} extra states: {of_components} symbols, {of_product}");
        assert!(of_components * 5 < of_product, "{of_components} {of_product}");
        assert_eq!(of_components == 0, extra_states == 0);
    }
}

/// Wp asks less than W for the same promise.
#[test]
fn wp_is_smaller_than_w() {
    let machine = Machine::interleaved(&mut Rng(31), 3, 4, 2);
    for extra_states in 0..3 {
        let suites = [Tests::W { extra_states }, Tests::Wp { extra_states }];
        let symbols = suites.map(|tests| symbols_of(&machine, tests));
        assert!(symbols[1] < symbols[0], "{extra_states}: W {}, Wp {}", symbols[0], symbols[1]);
    }
}

#[test]
fn a_suite_without_all_states_is_no_promise() {
    let machine = Machine::interleaved(&mut Rng(32), 3, 4, 2);
    for tests in [Tests::W { extra_states: 0 }, Tests::Wp { extra_states: 0 }] {
        for product_states in [0, 1, 5, machine.size() - 1] {
            let mut driver = Driver::new(&machine, Options { product_states, ..options(tests) });
            let why = driver.run(only_tests);
            let walked = count_product_states(&driver.hypothesis()) <= product_states;
            assert_eq!(why, Ok(if walked { EndReason::SuitePassed } else { EndReason::SuiteCut }));
            assert!(!EndReason::SuiteCut.is_converged());
        }
        let product_states = machine.size();
        let mut driver = Driver::new(&machine, Options { product_states, ..options(tests) });
        assert_eq!(driver.run(only_tests), Ok(EndReason::SuitePassed));
    }
}

/// A machine with a state for each of these words, with up to `more` inputs after it, that does what
/// `machine` does, but for some transitions; those that reach its states are as they were.
fn unfolded(machine: &Machine, access: &[Vec<u32>], more: u32, rng: &mut Rng) -> Machine {
    let mut words: BTreeSet<Vec<u32>> = access.iter().cloned().collect();
    for _ in 0..more {
        let longer = |word: &Vec<u32>| {
            let word = word.clone();
            (0..machine.inputs).map(move |input| [word.as_slice(), &[input]].concat())
        };
        words = words.iter().flat_map(longer).chain(words.iter().cloned()).collect();
    }
    // The initial state first: the empty word.
    let words: Vec<Vec<u32>> = words.into_iter().collect();
    let numbers: HashMap<&[u32], u32> = words.iter().map(Vec::as_slice).zip(0..).collect();
    let after = |word: &[u32]| {
        let mut state = 0;
        for &input in word {
            machine.step(&mut state, input);
        }
        state
    };
    let states: Vec<u32> = words.iter().map(|word| after(word)).collect();
    let mut outside = Vec::new();
    let mut table = Vec::new();
    for (word, &state) in words.iter().zip(&states) {
        let row = (0..machine.inputs).map(|input| {
            let (next, output) = machine.table[state as usize][input as usize];
            let inside = numbers.get([word.as_slice(), &[input]].concat().as_slice()).copied();
            let next = inside.unwrap_or_else(|| {
                outside.push((table.len(), input as usize));
                let twins = (0..).zip(&states).filter(|&(_, &twin)| twin == next);
                let twins: Vec<u32> = twins.map(|(number, _)| number).collect();
                twins[rng.below(count(twins.len())) as usize]
            });
            (next, output)
        });
        let row: Vec<(u32, u32)> = row.collect();
        table.push(row);
    }
    for _ in 0..=rng.below(2) {
        let (state, input) = outside[rng.below(count(outside.len())) as usize];
        let outputs = count(machine.names.len());
        let transition = &mut table[state][input];
        match rng.below(4) {
            0 => transition.1 = rng.below(outputs),
            _ => transition.0 = rng.below(count(words.len())),
        }
    }
    Machine { table, ..machine.clone() }
}

/// Whether two machines with the same outputs do the same.
fn do_the_same(one: &Machine, other: &Machine) -> bool {
    let mut seen = HashSet::from([(0, 0)]);
    let mut queue = vec![(0, 0)];
    while let Some(pair) = queue.pop() {
        for input in 0..one.inputs {
            let mut next = pair;
            if one.step(&mut next.0, input) != other.step(&mut next.1, input) {
                return false;
            }
            if seen.insert(next) {
                queue.push(next);
            }
        }
    }
    true
}

/// Whether they answer a word alike.
fn answer_alike(one: &Machine, other: &Machine, word: &[u32]) -> bool {
    let (mut a, mut b) = (0, 0);
    word.iter().all(|&input| one.step(&mut a, input) == other.step(&mut b, input))
}

/// The words of a suite for a machine, learned without it, and the access words that it begins with.
fn suite(machine: &Machine, tests: Tests) -> [Vec<Vec<u32>>; 2] {
    let mut driver = Driver::new(machine, options(tests));
    let mut short_rows = BTreeSet::new();
    loop {
        let action = driver.step(0, &mut without_tests).expect("all goes well");
        let word: Vec<u32> = driver.session.newest_access().map(Input::index).collect();
        short_rows.insert(word.into_iter().rev().collect());
        if let Action::Done(why) = action {
            assert_eq!(why, EndReason::SuitePassed);
            break;
        }
    }
    let access = match tests {
        Tests::Components { .. } => short_rows.into_iter().collect(),
        _ => access_words(machine),
    };
    [driver.asked.into_iter().map(|asked| asked.word).collect(), access]
}

/// A device that passes is the hypothesis if access words and at most so many inputs reach all of its states,
/// however many these are; where it takes one more, it need not be.
#[test]
fn a_device_whose_states_are_near_to_access_words_that_passes_is_the_hypothesis() {
    let (mut refuted, mut larger, mut wrong) = (0, 0, 0);
    for (seed, extra_states) in (0..60).flat_map(|seed| [(seed, 0), (seed, 1)]) {
        let rng = &mut Rng(29_000 + seed);
        let machine = Machine::random(rng, 4, 2, 2);
        if machine.size() != machine.states() {
            continue;
        }
        let w = Tests::W { extra_states };
        for tests in [w, Tests::Wp { extra_states }, Tests::Components { extra_states }] {
            let [words, access] = suite(&machine, tests);
            let mut try_one = |inputs_more| {
                let device = unfolded(&machine, &access, inputs_more, rng);
                let passes = words.iter().all(|word| answer_alike(&device, &machine, word));
                (passes, do_the_same(&device, &machine), device)
            };
            for _ in 0..20 {
                let (passes, is_right, device) = try_one(extra_states);
                assert_eq!(passes, is_right, "seed {seed} {tests:?} {device:?}");
                refuted += u32::from(!passes);
                larger += u32::from(!passes && device.size() > machine.states() + extra_states);
                let (passes, is_right, _) = try_one(extra_states + 1);
                assert!(passes || !is_right);
                wrong += u32::from(passes && !is_right);
            }
        }
    }
    println!("{refuted} refuted, {larger} of them with more states; {wrong} too far away passed");
    assert!(refuted > 1000 && larger > 500 && wrong > 10, "{refuted} {larger} {wrong}");
}
