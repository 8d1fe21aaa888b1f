//! Several lanes: with several words in flight the learner decides the same as with one.

use crate::common::{
    CallerVerdict, Driver, LaneWord, Rng, TableMachine, assert_exact, only_tests, perfect,
    until_equal,
};
use mealybug_core::{
    Action, Costs, EndReason, Hypothesis, Input, Mealy, Options, Output, Progress, Projections,
    Tests,
};

/// Serves all lanes in a seeded order until each is done. One step in `one_failure_in` begins with
/// a failure of the link.
fn run(
    driver: &mut Driver<'_>,
    rng: &mut Rng,
    one_failure_in: Option<u32>,
    mut judge: impl FnMut(&Hypothesis<'_>, &TableMachine) -> CallerVerdict,
) -> EndReason {
    let lanes = driver.session.options().lanes;
    let mut reason = None;
    for _ in 0..10_000_000 {
        let lane = rng.below(lanes);
        if one_failure_in.is_some_and(|n| rng.below(n) == 0) {
            driver.fail(lane);
        }
        if let Action::Done(end) = driver.step(lane, &mut judge).expect("all goes well") {
            assert_eq!(*reason.get_or_insert(end), end, "all lanes end for the same reason");
            if (0..lanes).all(|lane| matches!(driver.pending(lane), Some(Action::Done(_)))) {
                return end;
            }
        }
    }
    panic!("the session is not done after 10 000 000 steps");
}

/// What must not depend on the number of lanes: everything but the bytes of memory and the costs of
/// testing, which count abandoned tests.
fn without_lanes(mut progress: Progress) -> Progress {
    progress.learner_bytes = 0;
    progress.testing = Costs::default();
    progress
}

/// The names of the outputs, then all transitions of all components, one in a line.
fn components(driver: &Driver<'_>) -> Vec<String> {
    let hypothesis = driver.hypothesis();
    let names: Vec<_> = (0..hypothesis.outputs())
        .map(|o| hypothesis.output_name(Output::new(o)).to_vec())
        .collect();
    let mut lines = vec![format!("{names:?}")];
    for component in hypothesis.components() {
        for state in 0..component.states() {
            for input in 0..hypothesis.inputs() {
                let mut next = state;
                let output = component.step(&mut next, Input::new(input));
                lines.push(format!("{state} {input} {next} {output:?}"));
            }
        }
    }
    lines
}

/// Checks that a run with several lanes asks the words of a run with one lane in the same order.
/// Between these it may ask abandoned words: tests of a hypothesis that an earlier test has
/// refuted. At most `lanes - 1` of them follow each other.
fn assert_same_words(one: &[LaneWord], many: &[LaneWord], lanes: u32, what: &str) {
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
    assert_eq!(one.next(), None, "{what}: a word is missing");
}

fn machines() -> Vec<TableMachine> {
    let rng = &mut Rng(42);
    vec![
        TableMachine::toy(4),
        TableMachine::random(rng, 15, 3, 5),
        TableMachine::random(rng, 25, 2, 3),
        TableMachine::interleaved(rng, 3, 4, 2),
    ]
}

fn options() -> Vec<Options> {
    let base = Options::new().seed(7).passing_tests(60).product_states(30);
    let all = [
        base,
        base.tests(Tests::RandomWords).projections(Projections::Identity),
        base.tests(Tests::W { extra_states: 1 }),
        base.tests(Tests::Components { extra_states: 1 }),
        base.tests(Tests::Wp { extra_states: 1 }).shorten(false),
    ];
    all.into_iter().filter(|options| options.tests.is_supported()).collect()
}

#[test]
fn the_learner_decides_the_same_as_with_one_lane() {
    for (number, machine) in machines().iter().enumerate() {
        for options in options() {
            let mut one = Driver::new(machine, options);
            let end = one.run(only_tests).expect("all goes well");
            for lanes in [1, 2, 3, 8] {
                for seed in 0..3 {
                    let what = format!("machine {number} {options:?} {lanes} lanes seed {seed}");
                    let mut many = Driver::new(machine, options.lanes(lanes));
                    assert_eq!(run(&mut many, &mut Rng(seed), None, only_tests), end, "{what}");
                    assert_eq!(components(&many), components(&one), "{what}");
                    let [a, b] = [&one, &many].map(|driver| driver.session.progress());
                    assert_eq!(without_lanes(a), without_lanes(b), "{what}");
                    assert!(b.testing.resets >= a.testing.resets, "{what}");
                    assert_same_words(&one.asked, &many.asked, lanes, &what);
                }
            }
        }
    }
}

#[test]
fn all_lanes_wait_for_the_verdict_of_the_caller() {
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

/// Only the lane that was shown the hypothesis can start its tests.
#[test]
fn another_lane_waits_for_the_verdict() {
    let machine = TableMachine::toy(3);
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
fn failures_of_links_change_only_the_costs() {
    for (number, machine) in machines().iter().enumerate() {
        for options in options() {
            let mut one = Driver::new(machine, options);
            let end = one.run(only_tests).expect("all goes well");
            for (lanes, one_in) in [(1, 60), (1, 200), (3, 90), (8, 150)] {
                let what = format!("machine {number} {options:?} {lanes} lanes, 1 in {one_in}");
                let mut many = Driver::new(machine, options.lanes(lanes));
                let rng = &mut Rng(u64::from(lanes));
                assert_eq!(run(&mut many, rng, Some(one_in), only_tests), end, "{what}");
                assert_eq!(components(&many), components(&one), "{what}");
                let [a, b] = [&one, &many].map(|driver| driver.session.progress());
                assert!(b.learning.resets >= a.learning.resets, "{what}");
                assert!(b.learning.symbols >= a.learning.symbols, "{what}");
                let without_costs = |mut progress: Progress| {
                    progress.learning = Costs::default();
                    without_lanes(progress)
                };
                assert_eq!(without_costs(a), without_costs(b), "{what}");
                assert_same_words(&one.asked, &many.asked, lanes, &what);
            }
        }
    }
}

/// After a failure the session resets the device and asks the whole word again.
#[test]
fn after_a_failure_the_session_asks_the_word_from_a_reset() {
    let machine = TableMachine::toy(3);
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
        assert_eq!(driver.session.progress().learning, before, "it is not done yet");
        assert_eq!(driver.step(0, &mut until_equal), Ok(Action::Input(word[0])));
        assert_eq!(driver.session.progress().learning.resets, before.resets + 1);
    }
    assert!(failures > 5);
    assert_exact(&driver.hypothesis(), &machine, "after failures");
}

#[test]
fn ahead_returns_the_inputs_that_follow() {
    let machine = &machines()[3];
    for lanes in [1, 3] {
        let options = Options::new().lanes(lanes).passing_tests(60);
        let mut driver = Driver::new(machine, options);
        let rng = &mut Rng(9);
        let mut expected: Vec<Vec<Input>> = vec![Vec::new(); lanes as usize];
        let (mut inputs, mut ends) = (0, 0);
        while ends < lanes {
            let lane = rng.below(lanes);
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
                _ => assert!(ahead.is_empty(), "{action:?}: {ahead:?} cannot follow"),
            }
            *expected = ahead;
            ends = (0..lanes)
                .filter(|&lane| matches!(driver.pending(lane), Some(Action::Done(_))))
                .fold(0, |ends, _| ends + 1);
        }
        assert!(inputs > 100);
    }
}

/// An unknown lane has no word, and a failure of it has no effect.
#[test]
fn unknown_lanes_have_no_words() {
    let machine = TableMachine::toy(3);
    let options = Options::new().lanes(2);
    for has_begun in [false, true] {
        let mut driver = Driver::new(&machine, options);
        if has_begun {
            driver.step(0, &mut only_tests).expect("all goes well");
        }
        for lane in [2, 3, 100, u32::MAX / 6, u32::MAX] {
            assert_eq!(driver.session.word(lane).count(), 0);
            assert_eq!(driver.session.ahead(lane).count(), 0);
            driver.session.failed(lane);
        }
        if !has_begun {
            assert_eq!(driver.session.word(0).count(), 0);
            driver.session.failed(0);
            driver.session.failed(1);
        }
        assert_eq!(run(&mut driver, &mut Rng(1), None, until_equal), EndReason::Equivalent);
    }
}

/// The session takes in several outputs of one reply, up to a whole word, as if they had come one
/// by one.
#[test]
fn replies_with_several_outputs_change_nothing() {
    let mut rng = Rng(29);
    for number in 0..30 {
        let machine = TableMachine::random(&mut rng, 14, 3, 4);
        let kinds = [(Tests::DEFAULT, 1), (Tests::RandomWp, 3), (Tests::External, 1)];
        for (tests, lanes) in kinds {
            let options = Options::new().tests(tests).lanes(lanes).seed(number);
            let run_with = |at_once| {
                let mut driver = Driver::with_memory(&machine, options, 64);
                (driver.grows, driver.at_once) = (true, at_once);
                let judge = |hypothesis: &Hypothesis<'_>, machine: &TableMachine| match tests {
                    Tests::External => perfect(hypothesis, machine),
                    _ => until_equal(hypothesis, machine),
                };
                let end = run(&mut driver, &mut Rng(number), None, judge);
                assert!(!driver.full.is_empty(), "memory has to grow");
                let mut progress = driver.session.progress();
                progress.learner_bytes = 0;
                (end, driver.asked, progress)
            };
            let one_by_one = run_with(1);
            for at_once in [2, 5, usize::MAX] {
                let together = run_with(at_once);
                if lanes == 1 {
                    assert!(one_by_one == together, "machine {number}, {tests}, {at_once} at once");
                } else {
                    let what = format!("machine {number}, {at_once} at once");
                    assert_eq!(without_lanes(one_by_one.2), without_lanes(together.2), "{what}");
                }
            }
        }
    }
}

/// Names that were declared before the first word fit into the answers of all lanes.
#[test]
fn declared_groups_are_learned_with_several_lanes() {
    let machine = TableMachine::toy(6);
    for lanes in [1, 2, 3] {
        let options = Options::new().lanes(lanes).tests(Tests::External);
        let mut driver = Driver::new(&machine, options);
        for output in 0..6 {
            let declared = driver.session.declare_group(machine.name(output), output % 2);
            declared.expect("nothing was asked yet");
        }
        assert_eq!(run(&mut driver, &mut Rng(4), None, perfect), EndReason::Equivalent);
        assert_exact(&driver.hypothesis(), &machine, &format!("{lanes} lanes"));
    }
}
