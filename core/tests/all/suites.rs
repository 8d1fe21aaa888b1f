//! Complete suites: what they prove, and how many symbols they take.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::common::{
    Driver, Rng, TableMachine, access_words, assert_exact, count, lock, only_tests,
    product_initial, product_step, without_tests,
};
use mealybug_core::{Action, EndReason, Hypothesis, Input, Options, Projections, Tests};

fn options(tests: Tests) -> Options {
    Options::new().tests(tests)
}

/// How many states of the product are reachable.
fn count_product_states(hypothesis: &Hypothesis<'_>) -> u32 {
    let mut seen = HashSet::from([product_initial(hypothesis)]);
    let mut queue = vec![product_initial(hypothesis)];
    while let Some(product_state) = queue.pop() {
        for input in 0..hypothesis.inputs() {
            let mut next = product_state.clone();
            product_step(hypothesis, &mut next, input);
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    count(seen.len())
}

/// The machine with `extra_states` states doubled and some transitions changed.
fn mutant(machine: &TableMachine, rng: &mut Rng, extra_states: u32) -> TableMachine {
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
    TableMachine { table, ..machine.clone() }.reachable()
}

/// A device that passes a suite and has at most `extra_states` states more than the hypothesis is
/// equivalent to the hypothesis.
#[test]
fn w_and_wp_find_each_difference_of_a_device_with_few_enough_states() {
    let (mut passed, mut refuted, mut too_large) = (0, 0, 0);
    for seed in 0..150 {
        let rng = &mut Rng(9000 + seed);
        let base = if seed % 2 == 0 {
            TableMachine::random(rng, 5, 2, 2)
        } else {
            let secret: Vec<u32> = (0..4).map(|_| rng.below(2)).collect();
            lock(&secret, 2)
        };
        for extra_states in 0..3 {
            let device = mutant(&base, rng, extra_states);
            for tests in [Tests::W { extra_states }, Tests::Wp { extra_states }] {
                for projections in [Projections::PerOutput, Projections::Identity] {
                    let options = options(tests).projections(projections).shorten(seed % 3 > 0);
                    let mut driver = Driver::with_memory(&device, options, 1 << 14);
                    let what = format!("seed {seed} {options:?}");
                    assert_eq!(driver.run(only_tests), Ok(EndReason::SuitePassed), "{what}");
                    let hypothesis = driver.hypothesis();
                    refuted += u32::from(driver.session.progress().rounds > 1);
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
    println!(
        "{passed} runs with few enough states, {too_large} with too many; in {refuted} runs a \
         suite found a counterexample"
    );
    assert!(passed > 1000 && refuted > 200 && too_large > 10, "{passed} {refuted} {too_large}");
}

/// How many symbols a suite asks to test a right hypothesis.
fn suite_symbols(machine: &TableMachine, tests: Tests) -> u64 {
    let mut driver = Driver::new(machine, options(tests));
    assert_eq!(driver.run(without_tests), Ok(EndReason::SuitePassed));
    driver.session.progress().testing.symbols
}

/// Wp promises the same as W.
#[test]
fn wp_asks_fewer_symbols_than_w() {
    let machine = TableMachine::interleaved(&mut Rng(31), 3, 4, 2);
    for extra_states in 0..3 {
        let suites = [Tests::W { extra_states }, Tests::Wp { extra_states }];
        let symbols = suites.map(|tests| suite_symbols(&machine, tests));
        assert!(symbols[1] < symbols[0], "{extra_states}: W {}, Wp {}", symbols[0], symbols[1]);
    }
}

#[test]
fn a_suite_is_cut_where_the_state_cover_lacks_states() {
    let machine = TableMachine::interleaved(&mut Rng(32), 3, 4, 2);
    for tests in [Tests::W { extra_states: 0 }, Tests::Wp { extra_states: 0 }] {
        for product_states in [0, 1, 5, machine.size() - 1] {
            let mut driver = Driver::new(&machine, options(tests).product_states(product_states));
            let end = driver.run(only_tests);
            let has_all = count_product_states(&driver.hypothesis()) <= product_states;
            assert_eq!(end, Ok(if has_all { EndReason::SuitePassed } else { EndReason::SuiteCut }));
            assert!(!EndReason::SuiteCut.is_converged());
        }
        let product_states = machine.size();
        let mut driver = Driver::new(&machine, options(tests).product_states(product_states));
        assert_eq!(driver.run(only_tests), Ok(EndReason::SuitePassed));
    }
}

/// A machine with a state for each access word followed by up to `more` inputs. It does what
/// `machine` does, except that one or two transitions that lead beyond these words are changed.
fn unfolded(machine: &TableMachine, access: &[Vec<u32>], more: u32, rng: &mut Rng) -> TableMachine {
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
                let equal = (0..).zip(&states).filter(|&(_, &state)| state == next);
                let equal: Vec<u32> = equal.map(|(number, _)| number).collect();
                equal[rng.below(count(equal.len())) as usize]
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
    TableMachine { table, ..machine.clone() }
}

/// Whether two machines with the same outputs are equivalent.
fn are_equivalent(one: &TableMachine, other: &TableMachine) -> bool {
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

/// Whether two machines answer a word with the same outputs.
fn answer_alike(one: &TableMachine, other: &TableMachine, word: &[u32]) -> bool {
    let mut states = (0, 0);
    word.iter().all(|&input| one.step(&mut states.0, input) == other.step(&mut states.1, input))
}

/// All words that a run with a suite asks, and the access words that the words of the suite begin
/// with. The machine is learned without the suite.
fn suite(machine: &TableMachine, tests: Tests) -> [Vec<Vec<u32>>; 2] {
    let mut driver = Driver::new(machine, options(tests));
    let mut short_rows = BTreeSet::new();
    loop {
        let action = driver.step(0, &mut without_tests).expect("all goes well");
        let word: Vec<u32> = driver.session.newest_access().map(Input::index).collect();
        short_rows.insert(word.into_iter().rev().collect());
        if let Action::Done(end) = action {
            assert_eq!(end, EndReason::SuitePassed);
            break;
        }
    }
    let access = match tests {
        Tests::Components { .. } => short_rows.into_iter().collect(),
        _ => access_words(machine),
    };
    [driver.asked.into_iter().map(|asked| asked.word).collect(), access]
}

/// A device that passes a suite is equivalent to the hypothesis if each of its states is reached by
/// an access word and at most `extra_states` inputs after it, however many states there are. If a
/// state takes one input more, a device that passes may differ.
#[test]
fn suites_find_each_difference_of_a_device_whose_states_are_near_access_words() {
    let (mut refuted, mut larger, mut missed) = (0, 0, 0);
    for (seed, extra_states) in (0..60).flat_map(|seed| [(seed, 0), (seed, 1)]) {
        let rng = &mut Rng(29_000 + seed);
        let machine = TableMachine::random(rng, 4, 2, 2);
        if machine.size() != machine.states() {
            continue;
        }
        let suites = [
            Tests::W { extra_states },
            Tests::Wp { extra_states },
            Tests::Components { extra_states },
        ];
        for tests in suites.into_iter().filter(|tests| tests.is_supported()) {
            let [words, access] = suite(&machine, tests);
            let mut try_device = |more| {
                let device = unfolded(&machine, &access, more, rng);
                let passes = words.iter().all(|word| answer_alike(&device, &machine, word));
                (passes, are_equivalent(&device, &machine), device)
            };
            for _ in 0..20 {
                let (passes, is_right, device) = try_device(extra_states);
                assert_eq!(passes, is_right, "seed {seed} {tests:?} {device:?}");
                refuted += u32::from(!passes);
                larger += u32::from(!passes && device.size() > machine.states() + extra_states);
                let (passes, is_right, _) = try_device(extra_states + 1);
                assert!(passes || !is_right);
                missed += u32::from(passes && !is_right);
            }
        }
    }
    println!(
        "{refuted} devices refuted, {larger} of them with more than the extra states; {missed} \
         wrong devices with states too far away passed"
    );
    assert!(refuted > 1000 && larger > 500 && missed > 10, "{refuted} {larger} {missed}");
}

/// The suites of the components, in place of the suite of the product.
#[cfg(feature = "mixture")]
mod components {
    use super::*;
    use crate::common::{group_of, known};

    /// A device that passes the suites of the components is equivalent to the hypothesis if no
    /// projection has too many extra states. The number of states of the device implies nothing.
    #[test]
    fn a_suite_finds_each_difference_of_projections_with_few_enough_states() {
        let (mut passed, mut refuted) = (0, 0);
        let (mut too_large, mut not_implied) = (0, 0);
        for seed in 0..300 {
            let rng = &mut Rng(19_000 + seed);
            let base = match seed % 3 {
                0 => TableMachine::random(rng, 5, 2, 2),
                1 => TableMachine::interleaved(rng, 2, 3, 2),
                _ => lock(&(0..4).map(|_| rng.below(2)).collect::<Vec<_>>(), 2),
            };
            for extra in 0..3 {
                let device = mutant(&base, rng, extra);
                for projections in [Projections::PerOutput, Projections::Identity] {
                    let tests = options(Tests::Components { extra_states: extra });
                    let options =
                        tests.projections(projections).shorten(seed % 2 > 0).product_states(1);
                    let mut driver = Driver::with_memory(&device, options, 1 << 14);
                    let what = format!("seed {seed} {options:?}");
                    assert_eq!(driver.run(only_tests), Ok(EndReason::SuitePassed), "{what}");
                    let hypothesis = driver.hypothesis();
                    refuted += u32::from(driver.session.progress().rounds > 1);
                    let device_is_larger =
                        device.size() > count_product_states(&hypothesis) + extra;
                    if max_extra_states(&hypothesis, &device) <= extra {
                        assert_exact(&hypothesis, &device, &what);
                        passed += 1;
                    } else {
                        too_large += 1;
                        not_implied += u32::from(!device_is_larger);
                    }
                }
            }
        }
        println!(
            "{passed} runs with small enough projections, {too_large} with too large ones, \
             {not_implied} of these with a small enough device; in {refuted} runs a suite found a \
             counterexample"
        );
        assert!(passed > 1000 && refuted > 200 && too_large > 10 && not_implied > 0);
    }

    /// Without extra states learning has asked all words of the components' suites: what is asked
    /// then are the counterexamples that the caller gave.
    #[test]
    fn suites_are_smaller_than_the_suite_of_the_product() {
        let machine = TableMachine::interleaved(&mut Rng(33), 3, 4, 2);
        let given = suite_symbols(&machine, Tests::Components { extra_states: 0 });
        for extra_states in 0..3 {
            let components = suite_symbols(&machine, Tests::Components { extra_states }) - given;
            let product = suite_symbols(&machine, Tests::Wp { extra_states }) - given;
            println!(
                "{extra_states} extra states: components {components} symbols, product {product}"
            );
            assert!(components * 5 < product, "components {components}, product {product}");
            assert_eq!(components == 0, extra_states == 0);
        }
    }

    /// The largest number of states that a projection of the machine has beyond those of its
    /// component.
    fn max_extra_states(hypothesis: &Hypothesis<'_>, machine: &TableMachine) -> u32 {
        let extra = hypothesis.components().map(|component| {
            let group = group_of(hypothesis, &component);
            let minimal = machine.minimal_states(|output| group.contains(machine.name(output)));
            minimal.saturating_sub(component.states())
        });
        extra.max().unwrap_or(0)
    }

    /// The suites of a known model, of which no word counts as asked: they refute each mutant that they
    /// promise to refute.
    #[test]
    fn a_device_within_the_promise_is_refuted_by_the_suite_of_a_known_model() {
        let (mut refuted, mut right, mut beyond) = ([0; 3], [0; 3], [0; 3]);
        for seed in 0..300 {
            let rng = &mut Rng(39_000 + seed);
            let model = match seed % 4 {
                0 => TableMachine::random(rng, 5, 2, 2),
                1 => TableMachine::random(rng, 7, 3, 4),
                2 => TableMachine::interleaved(rng, 2, 3, 2),
                _ => lock(&(0..4).map(|_| rng.below(2)).collect::<Vec<_>>(), 2),
            };
            for extra in 0..2 {
                let device = mutant(&model, rng, extra);
                let suites = [
                    Tests::W { extra_states: extra },
                    Tests::Wp { extra_states: extra },
                    Tests::Components { extra_states: extra },
                ];
                for (kind, tests) in suites.into_iter().enumerate() {
                    let product_states = if kind < 2 { model.states() } else { 1 };
                    let options = options(tests).product_states(product_states);
                    let mut session = known::session(&model, options);
                    let end = mealybug_core::learn(&mut session, &mut known::device(&device))
                        .expect("memory enough");
                    let hypothesis = session.hypothesis().expect("the model");
                    let is_within = if kind < 2 {
                        device.size() <= model.size() + extra
                    } else {
                        max_extra_states(&hypothesis, &device) <= extra
                    };
                    let is_right = are_equivalent(&model, &device);
                    let what = format!("seed {seed} {tests:?} {model:?} {device:?}");
                    match end {
                        EndReason::SuitePassed => assert!(is_right || !is_within, "{what}"),
                        EndReason::Refuted => assert!(!is_right, "{what}"),
                        _ => panic!("{end:?} {what}"),
                    }
                    refuted[kind] += u32::from(end == EndReason::Refuted && is_within);
                    right[kind] += u32::from(is_right);
                    beyond[kind] += u32::from(!is_within);
                }
            }
        }
        println!("refuted within the promise {refuted:?}, right {right:?}, beyond it {beyond:?}");
        assert!(refuted.iter().all(|&refuted| refuted > 300), "{refuted:?}");
        assert!(right.iter().chain(&beyond).all(|&seen| seen > 5), "{right:?} {beyond:?}");
    }
}
