//! Tests that follow what a reset and each input cost.

mod common;

use common::{Asked, Driver, Machine, Rng, memory, only_tests, until_equal};
use mealybug_core::{Input, Options, Projections, SessionError, Tests};

/// The words of a run with a kind of tests, where a reset and the inputs cost what is said, if it is.
fn words(machine: &Machine, tests: Tests, reset: Option<u32>, dear: u32) -> Vec<Asked> {
    let options = Options {
        projections: Projections::Identity,
        tests,
        seed: 3,
        passing_tests: 2000,
        ..Options::default()
    };
    let mut driver = Driver::new(machine, options);
    if let Some(reset) = reset {
        let price = |input: Input| if input.index() == 0 { dear } else { 1 };
        driver.session.set_costs(reset, price).expect("there is room");
    }
    driver.run(only_tests).expect("all goes well");
    driver.asked
}

/// The length of the tests among these words, on average.
fn test_len(words: &[Asked]) -> usize {
    let tests: Vec<_> = words.iter().filter(|asked| asked.testing).collect();
    tests.iter().map(|asked| asked.word.len()).sum::<usize>() / tests.len()
}

#[test]
fn what_costs_as_publications_count_changes_no_word() {
    let machine = Machine::interleaved(&mut Rng(5), 3, 4, 2);
    let free = words(&machine, Tests::Mixture, None, 1);
    assert!(words(&machine, Tests::Mixture, Some(0), 1) == free);
    assert!(words(&machine, Tests::Mixture, Some(0), 50) != free, "shares follow inputs");
    assert!(
        words(&machine, Tests::Systematic, Some(50), 50)
            == words(&machine, Tests::Systematic, None, 1)
    );
}

#[test]
fn tests_are_longer_where_a_reset_is_dear() {
    // One machine with many outputs: an input or two tell its states apart, so that ends are short.
    let machine = Machine::random(&mut Rng(1), 20, 3, 20);
    for (tests, longer) in [(Tests::Splice, 2), (Tests::Coverage, 2)] {
        let len = |reset| test_len(&words(&machine, tests, Some(reset), 1));
        let (free, dear, dearer) = (len(0), len(500), len(u32::MAX));
        assert!(dear >= longer * free, "{tests}: {free} and {dear} symbols");
        assert!(dearer <= 2 * dear, "{tests}: {dearer} symbols, which must have an end");
    }
}

#[test]
fn full_memory_is_told_and_changes_nothing() {
    let machine = Machine::toy(4);
    let mut driver = Driver::with_memory(&machine, Options::default(), 1);
    driver.grows = true;
    let full = driver.session.set_costs(1 << 20, |_| 1 << 20);
    let Err(SessionError::Capacity(error)) = full else { panic!("{full:?}") };
    driver.session.move_into(memory(error.needed.div_ceil(4))).expect("it is larger");
    assert_eq!(driver.session.set_costs(1 << 20, |_| 1 << 20), Ok(()));
    driver.run(until_equal).expect("all goes well");
}

/// A test that needs more memory than there is comes again when there is, and nothing is counted twice.
#[test]
fn a_run_in_memory_that_grows_asks_the_same_where_a_reset_is_dear() {
    let machine = Machine::random(&mut Rng(1), 20, 3, 3);
    for tests in [Tests::Mixture, Tests::Coverage, Tests::Splice] {
        let options = Options { tests, passing_tests: 300, ..Options::default() };
        let run = |words| {
            let mut driver = Driver::with_memory(&machine, options, words);
            driver.grows = true;
            let grown = driver.session.set_costs(500, |_| 1);
            if let Err(SessionError::Capacity(error)) = grown {
                driver.session.move_into(memory(error.needed.div_ceil(4))).expect("it is larger");
                driver.session.set_costs(500, |_| 1).expect("there is room");
            }
            driver.run(only_tests).expect("all goes well");
            (driver.asked, driver.full.len())
        };
        let (ample, tight) = (run(1 << 20), run(1));
        assert!(ample.0 == tight.0, "{tests}");
        assert!(ample.1 == 0 && tight.1 > 10, "{tests}: it had to grow {} times", tight.1);
    }
}
