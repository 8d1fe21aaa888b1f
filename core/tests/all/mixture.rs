//! The tests of the mixture.

use crate::common::{Driver, Rng, TableMachine, access_words, lock, until_equal, without_tests};
use mealybug_core::{EndReason, Options, Projections, Tests};

/// The end of a test tells the state reached from several other states, here from all others: it
/// goes on until each of them has answered differently or can no longer answer differently.
#[test]
fn tests_end_with_words_that_tell_a_state_from_a_few_others() {
    let mut checked = 0;
    for seed in 0..40 {
        let machine = TableMachine::random(&mut Rng(seed), 8, 2, 2);
        if machine.size() != machine.states() {
            continue;
        }
        // Each state with each input, once.
        let tests = machine.states() * machine.inputs;
        let options = Options::new()
            .projections(Projections::Identity)
            .passing_tests(tests.into())
            .tests(Tests::Systematic);
        let mut driver = Driver::new(&machine, options);
        assert_eq!(driver.run(without_tests), Ok(EndReason::TestsPassed));
        let access = access_words(&machine);
        // Whether the end of a word tells the state reached at a position from all others.
        let is_told = |word: &[u32], at: usize| {
            let mut reached = 0;
            word[..at].iter().for_each(|&input| _ = machine.step(&mut reached, input));
            (0..machine.states()).all(|mut other| {
                let mut state = reached;
                let differs = |&input: &u32| {
                    machine.step(&mut state, input) != machine.step(&mut other, input)
                };
                word[at..].iter().any(differs) || state == other
            })
        };
        for asked in &driver.asked[driver.asked.len() - tests as usize..] {
            let word = &asked.word;
            // An access word and an input lead to the position where the end begins.
            let starts = access.iter().filter(|access| word.starts_with(access));
            let mut ends = starts.map(|access| access.len() + 1).filter(|&at| at <= word.len());
            assert!(ends.any(|at| is_told(word, at)), "seed {seed}: {word:?}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} tests");
}

/// A device that does something else once an input was repeated often enough: random inputs never get there.
#[test]
fn counters_are_found_by_repetition() {
    let found = |tests: Tests| {
        let counters = [(8, 4), (8, 12), (20, 4), (20, 12)];
        let runs = counters.iter().flat_map(|&counter| (0..5).map(move |seed| (counter, seed)));
        let found = runs.filter(|&((count, inputs), seed)| {
            let options = Options::new().projections(Projections::Identity).tests(tests);
            let machine = lock(&vec![inputs - 1; count], inputs);
            let mut driver = Driver::new(&machine, options.seed(seed).passing_tests(2000));
            driver.run(until_equal) == Ok(EndReason::Equivalent)
        });
        found.count()
    };
    assert!(found(Tests::Mixture) >= 19);
    assert!(found(Tests::RandomWords) <= 5);
}

/// A device that does something else after a sequence of inputs, of which a wrong one begins it anew.
#[test]
fn sequences_are_found_by_long_words() {
    let found = |tests: Tests| {
        let runs = (0..20).filter(|&seed| {
            let mut rng = Rng(seed);
            let word: Vec<u32> = (0..5).map(|_| rng.below(4)).collect();
            let machine = lock(&word, 4);
            let options = Options::new().projections(Projections::Identity).tests(tests);
            let mut driver = Driver::new(&machine, options.seed(seed).passing_tests(200));
            driver.run(until_equal) == Ok(EndReason::Equivalent)
        });
        runs.count()
    };
    assert!(found(Tests::LongWords) >= 19, "{}", found(Tests::LongWords));
    assert!(found(Tests::Splice) <= 5, "{}", found(Tests::Splice));
}
