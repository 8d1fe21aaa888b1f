//! Tests, and the words of tree learners, follow what a reset and each input cost.

use crate::common::{Driver, LaneWord, Rng, TableMachine, memory, only_tests, until_equal};
use mealybug_core::{Input, Observations, Options, Projections, SessionError, Tests};

/// The costs of a reset and of input 0. All other inputs cost 1.
#[derive(Clone, Copy)]
struct SymbolCosts {
    reset: u32,
    input_0: u32,
}

/// The words of a run with a kind of tests. Without `costs` none are set.
fn words(machine: &TableMachine, tests: Tests, costs: Option<SymbolCosts>) -> Vec<LaneWord> {
    let options = Options::new().projections(Projections::Identity).tests(tests);
    words_of(machine, options.seed(3).passing_tests(2000), costs)
}

/// The words of a run with these options. Without `costs` none are set.
fn words_of(machine: &TableMachine, options: Options, costs: Option<SymbolCosts>) -> Vec<LaneWord> {
    let mut driver = Driver::new(machine, options);
    if let Some(SymbolCosts { reset, input_0 }) = costs {
        let cost = |input: Input| if input.index() == 0 { input_0 } else { 1 };
        driver.session.set_costs(reset, cost).expect("there is room");
    }
    driver.run(only_tests).expect("all goes well");
    driver.asked
}

/// The average length of the tests among these words.
fn average_test_len(words: &[LaneWord]) -> usize {
    let tests: Vec<_> = words.iter().filter(|asked| asked.testing).collect();
    tests.iter().map(|asked| asked.word.len()).sum::<usize>() / tests.len()
}

#[test]
fn costs_as_publications_count_them_change_no_word() {
    let machine = TableMachine::interleaved(&mut Rng(5), 3, 4, 2);
    let words = |tests, costs| words(&machine, tests, costs);
    let without_costs = words(Tests::Mixture, None);
    let published = SymbolCosts { reset: 0, input_0: 1 };
    assert!(words(Tests::Mixture, Some(published)) == without_costs);
    let one_costs_more = SymbolCosts { reset: 0, input_0: 50 };
    let follows_inputs = words(Tests::Mixture, Some(one_costs_more)) != without_costs;
    assert!(follows_inputs, "the shares of the kinds follow what inputs cost");
    let both_cost_more = SymbolCosts { reset: 50, input_0: 50 };
    assert!(words(Tests::Systematic, Some(both_cost_more)) == words(Tests::Systematic, None));
}

#[test]
fn tests_are_longer_where_a_reset_costs_more() {
    // The machine has many outputs: one or two inputs tell its states apart, so the ends of tests
    // are short.
    let machine = TableMachine::random(&mut Rng(1), 20, 3, 20);
    for tests in [Tests::Splice, Tests::Coverage] {
        let len = |reset| {
            average_test_len(&words(&machine, tests, Some(SymbolCosts { reset, input_0: 1 })))
        };
        let (free, high, highest) = (len(0), len(500), len(u32::MAX));
        assert!(high >= 2 * free, "{tests}: {free} and {high} symbols");
        assert!(highest <= 2 * high, "{tests}: {highest} symbols are not bounded");
    }
}

#[test]
fn what_is_dear_is_repeated_less_often() {
    let machine = TableMachine::random(&mut Rng(1), 5, 8, 20);
    let longest_run = |input_0, reset| {
        let words = words(&machine, Tests::Repetition, Some(SymbolCosts { reset, input_0 }));
        let tests = words.iter().filter(|asked| asked.testing);
        let runs = tests.flat_map(|asked| asked.word.chunk_by(|a, b| a == b));
        let of_0 = runs.filter(|run| run[0] == 0).map(<[u32]>::len);
        of_0.max().expect("it is repeated")
    };
    assert!(longest_run(1, 0) >= 24);
    // Three times; before and after that it may come by chance.
    let dear = longest_run(200, 0);
    assert!((3..8).contains(&dear), "{dear}");
    // Beside a reset that takes as long as ten of them.
    let beside = longest_run(200, 2000);
    assert!((10..15).contains(&beside), "{beside}");
}

/// How many of a hundred inputs of some words are input 0.
fn percent_of_input_0<'w>(words: impl Iterator<Item = &'w LaneWord>) -> usize {
    let (of_0, all) = words
        .flat_map(|asked| &asked.word)
        .fold((0, 0), |(of_0, all), &input| (of_0 + usize::from(input == 0), all + 1));
    100 * of_0 / all
}

#[test]
fn what_is_dear_is_drawn_less_often() {
    let machine = TableMachine::random(&mut Rng(1), 5, 5, 20);
    let drawn = |input_0| {
        let words = words(&machine, Tests::LongWords, Some(SymbolCosts { reset: 0, input_0 }));
        percent_of_input_0(words.iter().filter(|asked| asked.testing))
    };
    // As often as each of the other four, and a tenth as often.
    assert_eq!((drawn(1), drawn(100)), (20, 2));
    assert_eq!(drawn(u32::MAX), 0);
}

#[test]
fn what_costs_a_little_more_is_drawn_as_seldom_as_is_said() {
    let machine = TableMachine::random(&mut Rng(1), 5, 5, 20);
    // Beside four inputs that cost one: 1/√c of 4 + 1/√c.
    for (input_0, percent) in [(2, 15), (3, 12), (8, 8), (15, 6)] {
        let words = words(&machine, Tests::LongWords, Some(SymbolCosts { reset: 0, input_0 }));
        let drawn = percent_of_input_0(words.iter().filter(|asked| asked.testing));
        assert!(drawn.abs_diff(percent) <= 1, "cost {input_0}: {drawn} %, and {percent} % is said");
    }
}

#[test]
fn a_tree_learner_tells_states_apart_by_what_is_cheap() {
    // The machine has many outputs: nearly any input tells two states apart.
    let machine = TableMachine::random(&mut Rng(2), 20, 5, 10);
    let options =
        Options::new().observations(Observations::Tree).projections(Projections::Identity);
    let options = options.tests(Tests::Systematic);
    let asked = |input_0| {
        let costs = SymbolCosts { reset: 1, input_0 };
        let words = words_of(&machine, options.passing_tests(100), Some(costs));
        let learning = words.iter().filter(|asked| !asked.testing);
        learning.filter(|asked| asked.word.last() == Some(&0)).count()
    };
    let (cheap, dear) = (asked(1), asked(20));
    assert!(4 * dear < cheap, "{cheap} words end with input 0, and {dear} where it is dear");
}

/// What learning costs, if a reset costs this and input 0 that.
fn learning_cost(words: &[LaneWord], SymbolCosts { reset, input_0 }: SymbolCosts) -> u32 {
    let cost = |&input: &u32| if input == 0 { input_0 } else { 1 };
    let learning = words.iter().filter(|asked| !asked.testing);
    learning.map(|asked| reset + asked.word.iter().map(cost).sum::<u32>()).sum()
}

#[test]
fn learning_costs_less_where_words_follow_what_resets_and_inputs_cost() {
    let options =
        Options::new().observations(Observations::Tree).projections(Projections::Identity);
    let options = options.tests(Tests::Systematic).passing_tests(100);
    for (reset, input_0, at_most) in [(1, 30, 90), (300, 1, 95), (300, 300, 75)] {
        let costs = SymbolCosts { reset, input_0 };
        let machines = (1..=12).map(|seed| TableMachine::random(&mut Rng(seed), 30, 4, 2));
        let (mut priced, mut unpriced) = (0, 0);
        for machine in machines {
            priced += learning_cost(&words_of(&machine, options, Some(costs)), costs);
            unpriced += learning_cost(&words_of(&machine, options, None), costs);
        }
        let percent = u64::from(priced) * 100 / u64::from(unpriced);
        assert!(
            percent < at_most,
            "a reset costs {reset}, input 0 {input_0}: {percent} % of the cost"
        );
    }
}

#[test]
fn set_costs_reports_full_memory_and_changes_nothing() {
    let machine = TableMachine::toy(4);
    let mut driver = Driver::with_memory(&machine, Options::default(), 1);
    driver.grows = true;
    let full = driver.session.set_costs(1 << 20, |_| 1 << 20);
    let Err(SessionError::Capacity(error)) = full else { panic!("{full:?}") };
    driver.session.move_into(memory(error.needed.div_ceil(4))).expect("the memory is larger");
    assert_eq!(driver.session.set_costs(1 << 20, |_| 1 << 20), Ok(()));
    driver.run(until_equal).expect("all goes well");
}

/// A test that does not fit into memory is written again in larger memory, and nothing is counted
/// twice.
#[test]
fn a_run_in_growing_memory_asks_the_same_words_where_a_reset_costs_more() {
    let machine = TableMachine::random(&mut Rng(1), 20, 3, 3);
    for tests in [Tests::Mixture, Tests::Coverage, Tests::Splice] {
        let options = Options::new().tests(tests).passing_tests(300);
        let run = |words| {
            let mut driver = Driver::with_memory(&machine, options, words);
            driver.grows = true;
            let set = driver.session.set_costs(500, |_| 1);
            if let Err(SessionError::Capacity(error)) = set {
                driver
                    .session
                    .move_into(memory(error.needed.div_ceil(4)))
                    .expect("the memory is larger");
                driver.session.set_costs(500, |_| 1).expect("there is room");
            }
            driver.run(only_tests).expect("all goes well");
            (driver.asked, driver.full.len())
        };
        let (ample, tight) = (run(1 << 20), run(1));
        assert!(ample.0 == tight.0, "{tests}");
        assert!(ample.1 == 0 && tight.1 > 10, "{tests}: memory grew {} times", tight.1);
    }
}
