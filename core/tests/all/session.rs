//! What a session promises: misuse changes nothing, budgets hold, and tests do what the options
//! say.

use std::collections::HashSet;

use crate::common::{
    CallerVerdict, Driver, Rng, TableMachine, assert_exact, external, first_wrong, lock, memory,
    only_tests, perfect, separating_word, until_equal,
};
use mealybug_core::{
    Action, Budget, EndReason, Input, Misuse, Options, Projections, Reply, Session, SessionError,
    Tests, sul,
};

fn options(tests: Tests) -> Options {
    Options::new().tests(tests)
}

/// Resets and symbols, of learning and testing together.
fn resets_and_symbols(driver: &Driver<'_>) -> (u64, u64) {
    let progress = driver.session.progress();
    let (learning, testing) = (progress.learning, progress.testing);
    (learning.resets + testing.resets, learning.symbols + testing.symbols)
}

mod misuse {
    use super::*;

    fn new(inputs: u32, lanes: u32) -> Result<Session<Vec<u32>>, SessionError> {
        Session::new(memory(1 << 12), inputs, Options::new().lanes(lanes))
    }

    #[test]
    fn new_refuses_no_or_too_many_inputs_and_lanes() {
        let many = (1 << 16) + 1;
        for (inputs, lanes) in [(0, 1), (1, 0), (0, 0), (many, 1), (1, many), (u32::MAX, u32::MAX)]
        {
            let error = new(inputs, lanes).expect_err("no inputs or lanes, or too many");
            assert_eq!(error, Misuse::TooMany.into(), "{inputs} inputs, {lanes} lanes");
        }
        assert!(new(1 << 16, 1).is_ok());
        assert!(new(1, 1 << 16).is_ok());
    }

    #[test]
    fn next_refuses_an_unknown_lane() {
        let mut session = new(2, 3).expect("good options");
        for lane in [3, 4, u32::MAX] {
            let error = Misuse::NoSuchLane { lane, lanes: 3 };
            assert_eq!(session.next(lane, Reply::Ready), Err(error.into()));
        }
        assert_eq!(session.next(2, Reply::Ready), Ok(Action::Reset));
    }

    #[test]
    fn next_refuses_a_counterexample_with_an_unknown_input() {
        let machine = TableMachine::toy(3);
        let mut driver = Driver::new(&machine, external(Projections::PerOutput));
        while driver.pending(0) != Some(Action::Hypothesis) {
            driver.step(0, &mut perfect).expect("all goes well");
        }
        for input in [2, 3, u32::MAX] {
            let word = [Input::new(0), Input::new(input)];
            let error = Misuse::NoSuchInput { input, inputs: 2 };
            assert_eq!(driver.session.next(0, Reply::Counterexample(&word)), Err(error.into()));
        }
        assert_eq!(
            driver.session.next(0, Reply::Equivalent),
            Ok(Action::Done(EndReason::Equivalent))
        );
    }

    #[test]
    fn declare_group_is_refused_after_the_first_output() {
        let machine = TableMachine::toy(3);
        let mut driver = Driver::new(&machine, external(Projections::PerOutput));
        assert_eq!(driver.session.declare_group(b"0", u32::MAX), Err(Misuse::TooMany.into()));
        assert_eq!(driver.session.declare_group(b"0", 5), Ok(()));
        while driver.session.progress().outputs == 0 {
            driver.step(0, &mut perfect).expect("all goes well");
        }
        assert_eq!(driver.session.declare_group(b"1", 5), Err(Misuse::TooLate.into()));
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
        assert_exact(&driver.hypothesis(), &machine, "after misuse");
    }

    /// Replies that do not fit the lane's last action, such as a verdict from a lane that was not
    /// shown the hypothesis.
    #[test]
    fn unexpected_replies_change_nothing() {
        let machine = TableMachine::random(&mut Rng(4), 14, 2, 3);
        for lanes in [1, 3] {
            let options = Options::new().lanes(lanes).passing_tests(30);
            let mut drivers = [Driver::new(&machine, options), Driver::new(&machine, options)];
            let mut refused = [0; 3];
            for (is_misused, driver) in [false, true].into_iter().zip(&mut drivers) {
                let rng = &mut Rng(77);
                let mut running = true;
                while running {
                    let lane = rng.below(lanes);
                    let word = [Input::new(0)];
                    let cex = Reply::Counterexample(&word);
                    let output = Reply::Output(b"0");
                    let (kind, replies) = match driver.pending(lane) {
                        Some(Action::Input(_)) => (0, vec![Reply::Ready, Reply::Equivalent, cex]),
                        Some(Action::Reset) => (1, vec![output, Reply::Equivalent, cex]),
                        Some(Action::Idle) | None => (2, vec![Reply::Equivalent, cex]),
                        _ => (0, vec![]),
                    };
                    // Without a word a lane expects no particular reply.
                    let has_word = driver.session.word(lane).count() > 0;
                    if is_misused && has_word {
                        let before = driver.session.progress();
                        for reply in replies {
                            let result = driver.session.next(lane, reply);
                            assert_eq!(result, Err(Misuse::UnexpectedReply.into()), "{reply:?}");
                            refused[kind] += 1;
                        }
                        assert_eq!(driver.session.progress(), before);
                    }
                    let action = driver.step(lane, &mut only_tests).expect("all goes well");
                    running = !matches!(action, Action::Done(_));
                }
            }
            assert!(refused[0] > 100 && refused[1] > 100, "{refused:?}");
            assert_eq!(drivers[0].asked, drivers[1].asked);
            assert_eq!(drivers[0].session.progress(), drivers[1].session.progress());
        }
    }
}

mod budgets {
    use super::*;

    /// When the budget is spent, the session finishes the word in flight and asks no other.
    #[test]
    fn a_session_ends_when_its_symbols_or_resets_are_spent() {
        let machine = TableMachine::random(&mut Rng(21), 20, 3, 4);
        for limit in [0, 1, 2, 3, 10, 57, 100, 333, 1000, 4000] {
            for (symbols, resets) in [(limit, u64::MAX), (u64::MAX, limit)] {
                let budget = Budget::UNLIMITED.symbols(symbols).resets(resets);
                let mut driver = Driver::new(&machine, Options::new().budget(budget));
                let end = driver.run(only_tests).expect("all goes well");
                let (resets_asked, symbols_asked) = resets_and_symbols(&driver);
                let last = driver.asked.last().map_or(0, |asked| asked.word.len() as u64);
                assert!(resets_asked <= resets, "{resets_asked} of {resets}");
                assert!(
                    symbols_asked < symbols.saturating_add(last.max(1)),
                    "{symbols_asked} of {symbols}"
                );
                assert_eq!(resets_asked, driver.asked.len() as u64);
                let word_symbols: u64 =
                    driver.asked.iter().map(|asked| asked.word.len() as u64).sum();
                assert_eq!(symbols_asked, word_symbols);
                let expected =
                    if symbols == limit { EndReason::Symbols } else { EndReason::Resets };
                assert!(end == expected || end == EndReason::TestsPassed, "{end:?}");
                assert_eq!(end.is_converged(), end == EndReason::TestsPassed);
                let refuted = driver.session.is_refuted();
                let right = driver
                    .session
                    .hypothesis()
                    .map(|hypothesis| separating_word(&hypothesis, &machine).is_none());
                assert!(!(refuted && right == Some(true)), "a right hypothesis is refuted");
            }
        }
    }

    /// Serves the lanes in a seeded order until the session ends for this reason.
    fn serve_until(driver: &mut Driver<'_>, end: EndReason, seed: u64) {
        let (rng, lanes) = (&mut Rng(seed), driver.session.options().lanes);
        while driver.step(rng.below(lanes), &mut only_tests).expect("all goes well")
            != Action::Done(end)
        {}
    }

    #[test]
    fn several_lanes_exceed_the_budget_by_their_words_in_flight_at_most() {
        let machine = TableMachine::random(&mut Rng(22), 20, 3, 4);
        for symbols in [50, 500, 2000] {
            let lanes = 4;
            let budget = Budget::UNLIMITED.symbols(symbols);
            let options = Options::new().budget(budget).lanes(lanes);
            let mut driver = Driver::new(&machine, options);
            serve_until(&mut driver, EndReason::Symbols, 5);
            let longest = driver.asked.iter().map(|asked| asked.word.len()).max().unwrap_or(0);
            assert!(resets_and_symbols(&driver).1 <= symbols + u64::from(lanes) * longest as u64);
        }
    }

    /// Words that are dropped before their reset is done cost none.
    #[test]
    fn several_lanes_never_exceed_their_resets_and_use_all_of_them() {
        let machine = TableMachine::random(&mut Rng(22), 20, 3, 4);
        for resets in [1, 50, 300] {
            let budget = Budget::UNLIMITED.resets(resets);
            let mut driver = Driver::new(&machine, Options::new().budget(budget).lanes(4));
            serve_until(&mut driver, EndReason::Resets, 6);
            assert_eq!(resets_and_symbols(&driver).0, resets);
        }
    }

    #[test]
    fn a_session_ends_when_its_rounds_are_spent() {
        let machine = lock(&[0, 1, 1, 0, 1, 0], 2);
        let mut needed = Driver::new(&machine, external(Projections::PerOutput));
        assert_eq!(needed.run(perfect), Ok(EndReason::Equivalent));
        let needed = needed.session.progress().rounds;
        assert!(needed > 1);
        for rounds in 0..needed + 2 {
            let budget = Budget::UNLIMITED.rounds(rounds);
            let options = external(Projections::PerOutput).budget(budget);
            let mut driver = Driver::new(&machine, options);
            let mut shown = 0;
            let end = driver.run(|hypothesis, machine| {
                shown += 1;
                perfect(hypothesis, machine)
            });
            let expected = if rounds < needed { EndReason::Rounds } else { EndReason::Equivalent };
            assert_eq!(end, Ok(expected), "{rounds} of {needed} rounds");
            assert_eq!(shown, rounds.min(needed));
            assert_eq!(driver.session.progress().rounds, shown);
            assert!(driver.session.hypothesis().is_some(), "the last hypothesis stays");
        }
    }

    #[test]
    fn stop_ends_all_lanes_and_keeps_the_hypothesis() {
        let machine = TableMachine::toy(4);
        for at in [0, 1, 2, 10, 50, 200] {
            let mut driver = Driver::new(&machine, Options::new().lanes(2));
            for step in 0..at {
                driver.step(step % 2, &mut only_tests).expect("all goes well");
            }
            let before = driver.session.hypothesis().is_some();
            driver.session.stop();
            for lane in [0, 1, 0, 1] {
                assert_eq!(
                    driver.step(lane, &mut only_tests),
                    Ok(Action::Done(EndReason::Stopped))
                );
            }
            assert_eq!(driver.session.hypothesis().is_some(), before);
        }
    }

    #[test]
    fn a_session_that_is_done_stays_done() {
        let machine = TableMachine::toy(4);
        let mut driver = Driver::new(&machine, external(Projections::PerOutput));
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
        let before = driver.session.progress();
        driver.session.stop();
        driver.session.failed(0);
        let word = [Input::new(0)];
        let replies =
            [Reply::Ready, Reply::Output(b"new"), Reply::Equivalent, Reply::Counterexample(&word)];
        for reply in replies {
            assert_eq!(driver.session.next(0, reply), Ok(Action::Done(EndReason::Equivalent)));
        }
        assert_eq!(driver.session.progress(), before);
        assert_exact(&driver.hypothesis(), &machine, "done");
    }
}

mod tests {
    use super::*;

    #[test]
    fn a_session_ends_after_the_set_number_of_passing_tests() {
        for tests in [Tests::RandomWp, Tests::RandomWords] {
            for passing_tests in [0, 1, 2, 100] {
                for seed in 0..5 {
                    let machine = TableMachine::random(&mut Rng(seed), 12, 2, 3);
                    let options = options(tests).passing_tests(passing_tests).seed(seed);
                    let mut driver = Driver::new(&machine, options);
                    let mut shown_at = 0;
                    while driver.step(0, &mut only_tests)
                        != Ok(Action::Done(EndReason::TestsPassed))
                    {
                        if driver.pending(0) == Some(Action::Hypothesis) {
                            shown_at = driver.asked.len();
                        }
                    }
                    assert_eq!(driver.session.progress().passing_tests, passing_tests);
                    let last = &driver.asked[shown_at..];
                    assert_eq!(last.len() as u64, passing_tests);
                    assert!(last.iter().all(|asked| asked.testing));
                    let hypothesis = driver.hypothesis();
                    for asked in last {
                        assert_eq!(first_wrong(&hypothesis, &machine, &asked.word), None);
                    }
                }
            }
        }
    }

    #[test]
    fn the_seed_determines_the_words() {
        let machine = TableMachine::interleaved(&mut Rng(2), 3, 4, 2);
        for tests in [Tests::RandomWp, Tests::RandomWords] {
            let run = |seed| {
                let options = options(tests).seed(seed).passing_tests(100);
                let mut driver = Driver::new(&machine, options);
                assert_eq!(driver.run(only_tests), Ok(EndReason::TestsPassed));
                driver.asked
            };
            for seed in [0, 1, 2, u64::MAX] {
                assert_eq!(run(seed), run(seed), "seed {seed}");
            }
            assert!(run(0) != run(1));
            let words: HashSet<_> = run(0).into_iter().filter(|asked| asked.testing).collect();
            assert!(words.len() > 80, "only {} different words", words.len());
        }
    }

    /// The lock has six states, the first hypotheses have fewer: tests must refute these.
    #[test]
    fn random_words_and_random_wp_open_a_lock() {
        for tests in [Tests::RandomWp, Tests::RandomWords] {
            for projections in [Projections::PerOutput, Projections::Identity] {
                for shorten in [false, true] {
                    let machine = lock(&[1, 0, 0, 1, 1], 2);
                    let passing_tests = u64::MAX;
                    let options = options(tests)
                        .projections(projections)
                        .shorten(shorten)
                        .passing_tests(passing_tests);
                    let mut driver = Driver::new(&machine, options);
                    assert_eq!(driver.run(until_equal), Ok(EndReason::Equivalent));
                    assert_exact(&driver.hypothesis(), &machine, &format!("{options:?}"));
                    assert!(driver.session.progress().testing.resets > 0);
                }
            }
        }
    }

    #[test]
    fn without_tests_and_verdicts_a_session_ends_untested() {
        let machine = TableMachine::toy(3);
        let mut driver = Driver::new(&machine, external(Projections::PerOutput));
        assert_eq!(driver.run(only_tests), Ok(EndReason::Untested));
        assert!(!EndReason::Untested.is_converged());
        assert_eq!(driver.session.progress().testing.resets, 0);
    }

    #[test]
    fn a_word_that_is_not_a_counterexample_is_asked_as_a_test() {
        for tests in [Tests::RandomWp, Tests::Wp { extra_states: 0 }] {
            let machine = TableMachine::toy(4);
            for word in [vec![], vec![Input::new(0)], vec![Input::new(1); 9]] {
                let mut driver = Driver::new(&machine, options(tests));
                let len = word.len();
                let mut words = vec![CallerVerdict::Counterexample(word); 3];
                let end = driver.run(|_, _| words.pop().unwrap_or(CallerVerdict::Test));
                // After the empty word the session tests the hypothesis at once.
                let words_left = if len == 0 { 2 } else { 0 };
                assert_eq!(words.len(), words_left, "words that the session did not take");
                assert!(end.expect("all goes well").is_converged(), "{len} symbols");
                assert_exact(&driver.hypothesis(), &machine, "not a counterexample");
            }
        }
    }

    /// Earlier rounds do not shorten the suite either.
    #[test]
    fn the_whole_suite_follows_a_word_that_is_not_a_counterexample() {
        let machine = lock(&[1, 0, 1], 2);
        let tests = options(Tests::W { extra_states: 2 });
        let mut plain = Driver::new(&machine, tests);
        assert_eq!(plain.run(only_tests), Ok(EndReason::SuitePassed));
        assert!(plain.session.progress().rounds > 1, "the suite has found a counterexample");
        let mut driver = Driver::new(&machine, tests);
        let mut shown = 0;
        let end = driver.run(|_, _| {
            shown += 1;
            if shown == 2 {
                CallerVerdict::Counterexample(vec![Input::new(0)])
            } else {
                CallerVerdict::Test
            }
        });
        assert_eq!(end, Ok(EndReason::SuitePassed));
        assert_eq!(
            driver.asked.len(),
            plain.asked.len() + 1,
            "the caller's word and the whole suite"
        );
    }

    /// Random words do not open the lock. When its tests have passed, the caller gives the word
    /// that opens it.
    #[test]
    fn a_session_whose_tests_passed_takes_a_counterexample() {
        let machine = lock(&[1, 0, 1, 1, 0, 0, 1, 0], 3);
        let mut driver = Driver::new(&machine, options(Tests::RandomWords).passing_tests(1));
        assert_eq!(driver.run(only_tests), Ok(EndReason::TestsPassed));
        let rounds = driver.session.progress().rounds;
        let mut words = vec![CallerVerdict::Counterexample(vec![Input::new(2)]); 2];
        let end = driver.run(|_, _| words.pop().unwrap_or(CallerVerdict::Test));
        assert_eq!(end, Ok(EndReason::TestsPassed));
        let now = driver.session.progress().rounds;
        assert_eq!((words.len(), now), (0, rounds), "words that are not counterexamples");
        let done = driver.session.summary();
        let unknown = [Input::new(99)];
        let refused = driver.session.next(0, Reply::Counterexample(&unknown));
        assert!(matches!(refused, Err(SessionError::Misuse(_))), "{refused:?}");
        assert_eq!(driver.session.summary(), done, "a refused reply changes nothing");
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
        assert_exact(&driver.hypothesis(), &machine, "after the word that opens the lock");
    }

    /// A hypothesis that a counterexample of the caller has led to is tested like any other.
    #[test]
    fn a_hypothesis_after_a_given_counterexample_must_pass_all_tests() {
        let machine = lock(&[1, 0, 1, 1, 0, 0, 1, 0], 3);
        let mut driver = Driver::new(&machine, options(Tests::RandomWords).passing_tests(300));
        assert_eq!(driver.run(only_tests), Ok(EndReason::TestsPassed));
        let before = driver.session.progress();
        let mut is_given = false;
        let end = driver.run(|hypothesis, machine| {
            let verdict = if is_given { CallerVerdict::Test } else { perfect(hypothesis, machine) };
            is_given = true;
            verdict
        });
        assert_eq!(end, Ok(EndReason::TestsPassed));
        let after = driver.session.progress();
        assert!(after.rounds > before.rounds, "the word opens the lock");
        assert_eq!(after.passing_tests, 300);
        assert!(after.testing.resets >= before.testing.resets + 300, "tests are asked");
    }
}

#[test]
fn newest_access_is_the_access_word_of_the_newest_short_row() {
    let mut presses = 0;
    let mut device = sul::from_fn(|input| {
        match input.map(|input| input.index()) {
            None => presses = 0,
            Some(0) => presses = (presses + 1) % 4,
            Some(_) => {}
        }
        if presses == 3 { "on" } else { "off" }
    });
    let mut session = Session::new(vec![0; 1024], 2, Options::default()).unwrap();
    assert_eq!(session.newest_access().count(), 0);
    mealybug_core::learn(&mut session, &mut device).expect("the device does not fail");
    assert_eq!(session.progress().short_rows, 4);
    let word: Vec<_> = session.newest_access().map(|input| input.index()).collect();
    assert_eq!(word, [0, 0, 0]);
}

// A session of a table alone takes advice for a counterexample.
#[cfg(feature = "tree")]
mod advice {
    use super::*;

    /// A word of advice counts as learning whether it is a counterexample or not, a word that is given as a
    /// counterexample as testing; apart from that they are the same.
    #[test]
    fn advice_counts_as_learning() {
        let machine = lock(&[0, 1, 1, 0, 1, 0], 2);
        let run = |is_advice: bool| {
            let mut driver = Driver::new(&machine, external(Projections::PerOutput));
            let mut asked = Vec::new();
            let (mut given, mut wrong) = (0, 0);
            let end = driver.run(|hypothesis, machine| {
                // Every other word is none: a prefix of one.
                let cex = separating_word(hypothesis, machine);
                asked.push(hypothesis.outputs());
                match cex {
                    None => CallerVerdict::Equivalent,
                    Some(mut word) => {
                        if asked.len() % 2 == 1 {
                            word.pop();
                            wrong += 1;
                        }
                        given += word.len() as u64;
                        if is_advice {
                            CallerVerdict::Advice(word)
                        } else {
                            CallerVerdict::Counterexample(word)
                        }
                    }
                }
            });
            assert_eq!(end, Ok(EndReason::Equivalent));
            let progress = driver.session.progress();
            (
                driver.asked.iter().map(|asked| asked.word.clone()).collect::<Vec<_>>(),
                progress,
                given,
                wrong,
            )
        };
        let [(words, as_advice, given, wrong), (same, as_cex, ..)] = [true, false].map(run);
        assert!(wrong > 0 && given > 0, "{wrong} {given}");
        assert_eq!(words, same);
        assert_eq!(as_advice.learning.symbols, as_cex.learning.symbols + given);
        assert_eq!(as_advice.testing.symbols + given, as_cex.testing.symbols);
        let all =
            |progress: mealybug_core::Progress| progress.learning.resets + progress.testing.resets;
        assert_eq!(all(as_advice), all(as_cex));
    }
}
