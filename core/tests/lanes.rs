//! Several words in flight: the learner decides what it would with one.

mod common;

use common::{Asked, Driver, Machine, Rng, assert_exact, only_tests, perfect, until_equal};
use mealybug_core::{Action, EndReason, Hypothesis, Input, Options, Progress, Projections, Tests};

/// Serves all lanes in a seeded order until each is done.
fn run(
    driver: &mut Driver<'_>,
    rng: &mut Rng,
    one_failure_in: Option<u32>,
    mut judge: impl FnMut(&Hypothesis<'_>, &Machine) -> common::Verdict,
) -> EndReason {
    let lanes = driver.session.options().lanes;
    let mut why = None;
    for _ in 0..10_000_000 {
        let lane = rng.below(lanes);
        if one_failure_in.is_some_and(|n| rng.below(n) == 0) {
            driver.fail(lane);
        }
        if let Action::Done(ended) = driver.step(lane, &mut judge).expect("all goes well") {
            assert_eq!(*why.get_or_insert(ended), ended, "all lanes end alike");
            if (0..lanes).all(|lane| matches!(driver.pending(lane), Some(Action::Done(_)))) {
                return ended;
            }
        }
    }
    panic!("no end");
}

/// What must not depend on lanes: all but costs, memory and what was in flight.
fn decided(mut progress: Progress) -> Progress {
    progress.learner_bytes = 0;
    progress.testing = Default::default();
    progress
}

fn components(driver: &Driver<'_>) -> Vec<String> {
    let hypothesis = driver.hypothesis();
    let names: Vec<_> = (0..hypothesis.outputs())
        .map(|o| hypothesis.output_name(mealybug_core::Output::new(o)).to_vec())
        .collect();
    let mut lines = vec![format!("{names:?}")];
    for component in hypothesis.components() {
        for state in 0..component.states() {
            for input in 0..hypothesis.inputs() {
                let mut next = state;
                let output = mealybug_core::Mealy::step(&component, &mut next, Input::new(input));
                lines.push(format!("{state} {input} {next} {output:?}"));
            }
        }
    }
    lines
}

/// Leaves out words that the other run did not hand out: tests of a hypothesis that an earlier test
/// had refuted. At most one less than there are lanes stand together.
fn assert_same_words(one: &[Asked], many: &[Asked], lanes: u32, what: &str) {
    let mut one = one.iter().peekable();
    let mut abandoned = 0;
    for asked in many {
        if one.peek() == Some(&asked) {
            one.next();
            abandoned = 0;
        } else {
            assert!(asked.testing, "{what}: {asked:?} instead of {:?}", one.peek());
            abandoned += 1;
            assert!(abandoned < lanes, "{what}: {asked:?} instead of {:?}", one.peek());
        }
    }
    assert_eq!(one.next(), None, "{what}: a word was not handed out");
}

fn machines() -> Vec<Machine> {
    let rng = &mut Rng(42);
    vec![
        Machine::toy(4),
        Machine::random(rng, 15, 3, 5),
        Machine::random(rng, 25, 2, 3),
        Machine::interleaved(rng, 3, 4, 2),
    ]
}

fn options() -> Vec<Options> {
    let base = Options::new().seed(7).passing_tests(60).product_states(30);
    vec![
        base,
        base.tests(Tests::RandomWords).projections(Projections::Identity),
        base.tests(Tests::W { extra_states: 1 }),
        base.tests(Tests::Components { extra_states: 1 }),
        base.tests(Tests::Wp { extra_states: 1 }).shorten(false),
    ]
}

#[test]
fn the_learner_decides_what_it_would_with_one_lane() {
    for (number, machine) in machines().iter().enumerate() {
        for options in options() {
            let mut one = Driver::new(machine, options);
            let why = one.run(only_tests).expect("all goes well");
            for lanes in [1, 2, 3, 8] {
                for seed in 0..3 {
                    let what = format!("machine {number} {options:?} {lanes} lanes seed {seed}");
                    let mut many = Driver::new(machine, options.lanes(lanes));
                    assert_eq!(run(&mut many, &mut Rng(seed), None, only_tests), why, "{what}");
                    assert_eq!(components(&many), components(&one), "{what}");
                    let [a, b] = [&one, &many].map(|driver| driver.session.progress());
                    assert_eq!(decided(a), decided(b), "{what}");
                    assert!(b.testing.resets >= a.testing.resets, "{what}");
                    assert_same_words(&one.asked, &many.asked, lanes, &what);
                }
            }
        }
    }
}

#[test]
fn verdicts_of_the_caller_are_waited_for() {
    for machine in &machines() {
        let options = Options::new().tests(Tests::External);
        let mut one = Driver::new(machine, options);
        assert_eq!(one.run(perfect), Ok(EndReason::Equivalent));
        for lanes in [2, 3, 8] {
            let mut many = Driver::new(machine, options.lanes(lanes));
            assert_eq!(run(&mut many, &mut Rng(3), None, perfect), EndReason::Equivalent);
            assert_eq!(components(&many), components(&one));
            assert_same_words(&one.asked, &many.asked, lanes, "external");
        }
    }
}

/// Only the lane that was told of the hypothesis says what is to be done with it.
#[test]
fn another_lane_that_asks_again_starts_no_tests() {
    let machine = Machine::toy(3);
    let options = Options::new().lanes(2).tests(Tests::RandomWp);
    let mut driver = Driver::new(&machine, options);
    while driver.pending(0) != Some(Action::Hypothesis) {
        driver.step(0, &mut until_equal).expect("all goes well");
    }
    for _ in 0..3 {
        assert_eq!(driver.step(1, &mut until_equal), Ok(Action::Idle));
    }
    assert_eq!(driver.step(0, &mut until_equal), Ok(Action::Done(EndReason::Equivalent)));
}

#[test]
fn failed_links_change_nothing_but_costs() {
    for (number, machine) in machines().iter().enumerate() {
        for options in options() {
            let mut one = Driver::new(machine, options);
            let why = one.run(only_tests).expect("all goes well");
            for (lanes, one_in) in [(1, 8), (1, 40), (3, 10), (8, 30)] {
                let what = format!("machine {number} {options:?} {lanes} lanes, 1 in {one_in}");
                let mut many = Driver::new(machine, options.lanes(lanes));
                let rng = &mut Rng(u64::from(lanes));
                assert_eq!(run(&mut many, rng, Some(one_in), only_tests), why, "{what}");
                assert_eq!(components(&many), components(&one), "{what}");
                let [a, b] = [&one, &many].map(|driver| driver.session.progress());
                assert!(b.learning.resets >= a.learning.resets, "{what}");
                assert!(b.learning.symbols >= a.learning.symbols, "{what}");
                let without_costs = |mut progress: Progress| {
                    progress.learning = Default::default();
                    decided(progress)
                };
                assert_eq!(without_costs(a), without_costs(b), "{what}");
                assert_same_words(&one.asked, &many.asked, lanes, &what);
            }
        }
    }
}

/// After a failure the device is reset; then the word comes from its beginning.
#[test]
fn after_a_failure_the_word_begins_anew() {
    let machine = Machine::toy(3);
    let mut driver = Driver::new(&machine, Options::default());
    let mut failures = 0;
    while driver.step(0, &mut until_equal) != Ok(Action::Done(EndReason::Equivalent)) {
        let word: Vec<Input> = driver.session.word(0).collect();
        let Some(Action::Input(_)) = driver.pending(0) else { continue };
        if !driver.asked.len().is_multiple_of(3) || failures > 20 {
            continue;
        }
        let before = driver.session.progress().learning;
        driver.fail(0);
        failures += 1;
        assert_eq!(driver.session.progress().learning, before);
        assert_eq!(driver.session.word(0).collect::<Vec<_>>(), word);
        assert_eq!(driver.session.ahead(0).collect::<Vec<_>>(), word);
        assert_eq!(driver.step(0, &mut until_equal), Ok(Action::Reset));
        assert_eq!(driver.session.progress().learning.resets, before.resets + 1);
        assert_eq!(driver.step(0, &mut until_equal), Ok(Action::Input(word[0])));
    }
    assert!(failures > 5);
    assert_exact(&driver.hypothesis(), &machine, "after failures");
}

#[test]
fn ahead_is_what_then_comes() {
    let machine = &machines()[3];
    for lanes in [1, 3] {
        let options = Options::new().lanes(lanes).passing_tests(60);
        let mut driver = Driver::new(machine, options);
        let rng = &mut Rng(9);
        let mut expected: Vec<Vec<Input>> = vec![Vec::new(); lanes as usize];
        let (mut inputs, mut ends) = (0, 0);
        while ends < lanes {
            let lane = rng.below(lanes);
            let before = driver.session.progress().rounds;
            let testing = driver.asked.last().is_some_and(|asked| asked.testing);
            let action = driver.step(lane, &mut only_tests).expect("all goes well");
            let ahead: Vec<Input> = driver.session.ahead(lane).collect();
            let word: Vec<Input> = driver.session.word(lane).collect();
            let expected = &mut expected[lane as usize];
            match action {
                Action::Reset => assert_eq!(ahead, word, "the whole word follows a reset"),
                Action::Input(input) => {
                    assert_eq!(Some(input), expected.first().copied(), "lane {lane}");
                    assert_eq!(ahead, expected[1..], "lane {lane}");
                    assert!(word.ends_with(&ahead) && word.len() > ahead.len());
                    inputs += 1;
                }
                _ => assert!(ahead.is_empty(), "{action:?}: nothing follows, {before} {testing}"),
            }
            *expected = ahead;
            ends = (0..lanes)
                .filter(|&lane| matches!(driver.pending(lane), Some(Action::Done(_))))
                .fold(0, |ends, _| ends + 1);
        }
        assert!(inputs > 100);
    }
}

/// A lane that is not there has no word; nothing happens to it.
#[test]
fn lanes_that_are_not_there() {
    let machine = Machine::toy(3);
    let options = Options::new().lanes(2);
    for begun in [false, true] {
        let mut driver = Driver::new(&machine, options);
        if begun {
            driver.step(0, &mut only_tests).expect("all goes well");
        }
        for lane in [2, 3, 100, u32::MAX / 6, u32::MAX] {
            assert_eq!(driver.session.word(lane).count(), 0);
            assert_eq!(driver.session.ahead(lane).count(), 0);
            driver.session.failed(lane);
        }
        if !begun {
            assert_eq!(driver.session.word(0).count(), 0);
            driver.session.failed(0);
            driver.session.failed(1);
        }
        assert_eq!(run(&mut driver, &mut Rng(1), None, until_equal), EndReason::Equivalent);
    }
}

/// Answers that come several at once, up to a whole word, are taken in as they would be one by one.
#[test]
fn answers_at_once_change_nothing() {
    let mut rng = Rng(29);
    for number in 0..30 {
        let machine = Machine::random(&mut rng, 14, 3, 4);
        for (tests, lanes) in [(Tests::Mixture, 1), (Tests::RandomWp, 3), (Tests::External, 1)] {
            let options = Options::new().tests(tests).lanes(lanes).seed(number);
            let run_with = |at_once| {
                let mut driver = Driver::with_memory(&machine, options, 64);
                (driver.grows, driver.at_once) = (true, at_once);
                let judge = |hypothesis: &Hypothesis<'_>, machine: &Machine| match tests {
                    Tests::External => perfect(hypothesis, machine),
                    _ => until_equal(hypothesis, machine),
                };
                let why = run(&mut driver, &mut Rng(number), None, judge);
                assert!(!driver.full.is_empty(), "it has to grow");
                let mut progress = driver.session.progress();
                progress.learner_bytes = 0;
                (why, driver.asked, progress)
            };
            let one = run_with(1);
            for at_once in [2, 5, usize::MAX] {
                let many = run_with(at_once);
                if lanes == 1 {
                    assert!(one == many, "machine {number}, {tests}, {at_once} at once");
                } else {
                    let what = format!("machine {number}, {at_once} at once");
                    assert_eq!(decided(one.2), decided(many.2), "{what}");
                }
            }
        }
    }
}
