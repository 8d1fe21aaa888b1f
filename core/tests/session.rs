//! The session's promises: misuse, budgets and tests.

mod common;

use std::collections::HashSet;

use common::{
    Driver, Machine, Rng, Verdict, access_words, assert_exact, external, lock, memory, only_tests,
    perfect, product_initial, product_step, separating_word, until_equal, without_tests,
};
use mealybug_core::{
    Action, Budget, EndReason, Hypothesis, Input, Misuse, Options, Projections, Reply, Session,
    SessionError, Tests,
};

fn options(tests: Tests) -> Options {
    Options { tests, ..Options::default() }
}

fn costs(driver: &Driver<'_>) -> (u64, u64) {
    let progress = driver.session.progress();
    let (learning, testing) = (progress.learning, progress.testing);
    (learning.resets + testing.resets, learning.symbols + testing.symbols)
}

mod misuse {
    use super::*;

    fn new(inputs: u32, lanes: u32) -> Result<Session<Vec<u32>>, SessionError> {
        Session::new(memory(1 << 12), inputs, Options { lanes, ..Options::default() })
    }

    #[test]
    fn sizes_that_are_not_counted() {
        let many = (1 << 16) + 1;
        for (inputs, lanes) in [(0, 1), (1, 0), (0, 0), (many, 1), (1, many), (u32::MAX, u32::MAX)]
        {
            let error = new(inputs, lanes).expect_err("none or too many");
            assert_eq!(error, Misuse::TooMany.into(), "{inputs} inputs, {lanes} lanes");
        }
        assert!(new(1 << 16, 1).is_ok());
        assert!(new(1, 1 << 16).is_ok());
    }

    #[test]
    fn a_lane_that_is_not_there() {
        let mut session = new(2, 3).expect("good options");
        for lane in [3, 4, u32::MAX] {
            let error = Misuse::NoSuchLane { lane, lanes: 3 };
            assert_eq!(session.next(lane, Reply::Ready), Err(error.into()));
        }
        assert_eq!(session.next(2, Reply::Ready), Ok(Action::Reset));
    }

    #[test]
    fn an_input_that_is_not_there() {
        let machine = Machine::toy(3);
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
    fn blocks_are_declared_first() {
        let machine = Machine::toy(3);
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

    /// Replies that do not fit what the lane is doing; words for a hypothesis that was told to
    /// another.
    #[test]
    fn replies_that_do_not_fit_change_nothing() {
        let machine = Machine::random(&mut Rng(4), 14, 2, 3);
        for lanes in [1, 3] {
            let options = Options { lanes, passing_tests: 30, ..Options::default() };
            let mut drivers = [Driver::new(&machine, options), Driver::new(&machine, options)];
            let mut refused = [0; 3];
            for (nonsense, driver) in [false, true].into_iter().zip(&mut drivers) {
                let rng = &mut Rng(77);
                let mut running = true;
                while running {
                    let lane = rng.below(lanes);
                    let word = [Input::new(0)];
                    let cex = Reply::Counterexample(&word);
                    let output = Reply::Output(b"0");
                    let (state, replies) = match driver.pending(lane) {
                        Some(Action::Input(_)) => (0, vec![Reply::Ready, Reply::Equivalent, cex]),
                        Some(Action::Reset) => (1, vec![output, Reply::Equivalent, cex]),
                        Some(Action::Idle) | None => (2, vec![Reply::Equivalent, cex]),
                        _ => (0, vec![]),
                    };
                    // A lane whose word was abandoned has nothing to be misused.
                    let stale = driver.session.word(lane).count() == 0;
                    if nonsense && !stale {
                        let before = driver.session.progress();
                        for reply in replies {
                            let result = driver.session.next(lane, reply);
                            assert_eq!(result, Err(Misuse::UnexpectedReply.into()), "{reply:?}");
                            refused[state] += 1;
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

    /// What is in flight when the budget is spent is asked to its end, and nothing after it.
    #[test]
    fn symbols_and_resets() {
        let machine = Machine::random(&mut Rng(21), 20, 3, 4);
        for limit in [0, 1, 2, 3, 10, 57, 100, 333, 1000, 4000] {
            for (symbols, resets) in [(limit, u64::MAX), (u64::MAX, limit)] {
                let budget = Budget { symbols, resets, ..Budget::UNLIMITED };
                let mut driver = Driver::new(&machine, Options { budget, ..Options::default() });
                let why = driver.run(only_tests).expect("all goes well");
                let (resets_asked, symbols_asked) = costs(&driver);
                let last = driver.asked.last().map_or(0, |asked| asked.word.len() as u64);
                assert!(resets_asked <= resets, "{resets_asked} of {resets}");
                assert!(
                    symbols_asked < symbols.saturating_add(last.max(1)),
                    "{symbols_asked} of {symbols}"
                );
                assert_eq!(resets_asked, driver.asked.len() as u64);
                let of_words: u64 = driver.asked.iter().map(|asked| asked.word.len() as u64).sum();
                assert_eq!(symbols_asked, of_words);
                let expected =
                    if symbols == limit { EndReason::Symbols } else { EndReason::Resets };
                assert!(why == expected || why == EndReason::TestsPassed, "{why:?}");
                assert_eq!(why.is_converged(), why == EndReason::TestsPassed);
                let refuted = driver.session.is_refuted();
                let right = driver
                    .session
                    .hypothesis()
                    .map(|hypothesis| separating_word(&hypothesis, &machine).is_none());
                assert!(!(refuted && right == Some(true)), "refuted, but right");
            }
        }
    }

    #[test]
    fn with_several_lanes_what_they_have_in_flight_is_the_most() {
        let machine = Machine::random(&mut Rng(22), 20, 3, 4);
        for symbols in [50, 500, 2000] {
            let lanes = 4;
            let budget = Budget { symbols, ..Budget::UNLIMITED };
            let options = Options { budget, lanes, ..Options::default() };
            let mut driver = Driver::new(&machine, options);
            let rng = &mut Rng(5);
            while driver.step(rng.below(lanes), &mut only_tests).expect("all goes well")
                != Action::Done(EndReason::Symbols)
            {}
            let longest = driver.asked.iter().map(|asked| asked.word.len()).max().unwrap_or(0);
            assert!(costs(&driver).1 <= symbols + u64::from(lanes) * longest as u64);
        }
    }

    #[test]
    fn rounds() {
        let machine = lock(&[0, 1, 1, 0, 1, 0], 2);
        let mut needed = Driver::new(&machine, external(Projections::PerOutput));
        assert_eq!(needed.run(perfect), Ok(EndReason::Equivalent));
        let needed = needed.session.progress().rounds;
        assert!(needed > 1);
        for rounds in 0..needed + 2 {
            let budget = Budget { rounds, ..Budget::UNLIMITED };
            let options = Options { budget, ..external(Projections::PerOutput) };
            let mut driver = Driver::new(&machine, options);
            let mut told = 0;
            let why = driver.run(|hypothesis, machine| {
                told += 1;
                perfect(hypothesis, machine)
            });
            let expected = if rounds < needed { EndReason::Rounds } else { EndReason::Equivalent };
            assert_eq!(why, Ok(expected), "{rounds} of {needed} rounds");
            assert_eq!(told, rounds.min(needed));
            assert_eq!(driver.session.progress().rounds, told);
            assert!(driver.session.hypothesis().is_some(), "the last hypothesis stays");
        }
    }

    #[test]
    fn stopped() {
        let machine = Machine::toy(4);
        for at in [0, 1, 2, 10, 50, 200] {
            let mut driver = Driver::new(&machine, Options { lanes: 2, ..Options::default() });
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
    fn done_stays_done() {
        let machine = Machine::toy(4);
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
    fn so_many_random_tests_in_a_row_find_nothing() {
        for tests in [Tests::RandomWp, Tests::RandomWords] {
            for passing_tests in [0, 1, 2, 100] {
                for seed in 0..5 {
                    let machine = Machine::random(&mut Rng(seed), 12, 2, 3);
                    let options = Options { passing_tests, seed, ..options(tests) };
                    let mut driver = Driver::new(&machine, options);
                    let mut told_at = 0;
                    while driver.step(0, &mut only_tests)
                        != Ok(Action::Done(EndReason::TestsPassed))
                    {
                        if driver.pending(0) == Some(Action::Hypothesis) {
                            told_at = driver.asked.len();
                        }
                    }
                    assert_eq!(driver.session.progress().passing_tests, passing_tests);
                    let last = &driver.asked[told_at..];
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

    fn first_wrong(hypothesis: &Hypothesis<'_>, machine: &Machine, word: &[u32]) -> Option<usize> {
        let (mut tuple, mut state) = (product_initial(hypothesis), 0);
        word.iter().position(|&input| {
            let expected = machine.step(&mut state, input);
            let output = product_step(hypothesis, &mut tuple, input);
            output != Some(&machine.names[expected as usize])
        })
    }

    #[test]
    fn the_seed_makes_the_words() {
        let machine = Machine::interleaved(&mut Rng(2), 3, 4, 2);
        for tests in [Tests::RandomWp, Tests::RandomWords] {
            let run = |seed| {
                let options = Options { seed, passing_tests: 100, ..options(tests) };
                let mut driver = Driver::new(&machine, options);
                assert_eq!(driver.run(only_tests), Ok(EndReason::TestsPassed));
                driver.asked
            };
            for seed in [0, 1, 2, u64::MAX] {
                assert_eq!(run(seed), run(seed), "seed {seed}");
            }
            assert!(run(0) != run(1));
            let words: HashSet<_> = run(0).into_iter().filter(|asked| asked.testing).collect();
            assert!(words.len() > 80, "few words are the same: {}", words.len());
        }
    }

    /// A lock of six states in all has fewer in the first hypotheses, which tests must refute.
    #[test]
    fn random_words_and_random_wp_open_a_lock() {
        for tests in [Tests::RandomWp, Tests::RandomWords] {
            for projections in [Projections::PerOutput, Projections::Identity] {
                for shorten in [false, true] {
                    let machine = lock(&[1, 0, 0, 1, 1], 2);
                    let passing_tests = u64::MAX;
                    let options = Options { projections, shorten, passing_tests, ..options(tests) };
                    let mut driver = Driver::new(&machine, options);
                    assert_eq!(driver.run(until_equal), Ok(EndReason::Equivalent));
                    assert_exact(&driver.hypothesis(), &machine, &format!("{options:?}"));
                    assert!(driver.session.progress().testing.resets > 0);
                }
            }
        }
    }

    #[test]
    fn without_tests_the_caller_has_the_say() {
        let machine = Machine::toy(3);
        let mut driver = Driver::new(&machine, external(Projections::PerOutput));
        assert_eq!(driver.run(only_tests), Ok(EndReason::Untested));
        assert!(!EndReason::Untested.is_converged());
        assert_eq!(driver.session.progress().testing.resets, 0);
    }

    #[test]
    fn a_word_that_is_no_counterexample_counts_as_a_test() {
        for tests in [Tests::RandomWp, Tests::Wp { extra_states: 0 }] {
            let machine = Machine::toy(4);
            for word in [vec![], vec![Input::new(0)], vec![Input::new(1); 9]] {
                let mut driver = Driver::new(&machine, options(tests));
                let len = word.len();
                let mut words = vec![Verdict::Counterexample(word); 3];
                let why = driver.run(|_, _| words.pop().unwrap_or(Verdict::Test));
                let room = if len == 0 { 2 } else { 0 };
                assert_eq!(
                    words.len(),
                    room,
                    "each leaves room for another word, but nothing none"
                );
                assert!(why.expect("all goes well").is_converged(), "{len} symbols");
                assert_exact(&driver.hypothesis(), &machine, "not a counterexample");
            }
        }
    }

    /// Not even the rounds before it shorten the suite.
    #[test]
    fn the_whole_suite_follows_a_word_that_is_no_counterexample() {
        let machine = lock(&[1, 0, 1], 2);
        let tests = options(Tests::W { extra_states: 2 });
        let mut plain = Driver::new(&machine, tests);
        assert_eq!(plain.run(only_tests), Ok(EndReason::SuitePassed));
        assert!(plain.session.progress().rounds > 1, "the suite has found something");
        let mut driver = Driver::new(&machine, tests);
        let mut told = 0;
        let why = driver.run(|_, _| {
            told += 1;
            if told == 2 { Verdict::Counterexample(vec![Input::new(0)]) } else { Verdict::Test }
        });
        assert_eq!(why, Ok(EndReason::SuitePassed));
        assert_eq!(
            driver.asked.len(),
            plain.asked.len() + 1,
            "the word itself, and the whole suite"
        );
    }

    /// A lock that random words do not open, and a caller who comes too late with the word that does.
    #[test]
    fn a_session_that_has_passed_its_tests_takes_a_counterexample() {
        let machine = lock(&[1, 0, 1, 1, 0, 0, 1, 0], 3);
        let mut driver =
            Driver::new(&machine, Options { passing_tests: 1, ..options(Tests::RandomWords) });
        assert_eq!(driver.run(only_tests), Ok(EndReason::TestsPassed));
        let rounds = driver.session.progress().rounds;
        let mut words = vec![Verdict::Counterexample(vec![Input::new(2)]); 2];
        let why = driver.run(|_, _| words.pop().unwrap_or(Verdict::Test));
        assert_eq!(why, Ok(EndReason::TestsPassed));
        assert_eq!((words.len(), driver.session.progress().rounds), (0, rounds), "they are none");
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
        assert_exact(&driver.hypothesis(), &machine, "the word that opens it");
    }
}

/// A test of the mixture goes on, behind what it tries, until each of a few other states has answered differently,
/// or nothing will ever tell it from the one that was reached.
#[test]
fn tests_end_with_words_that_tell_a_state_from_all_of_a_few_others() {
    let mut ends = 0;
    for seed in 0..40 {
        let machine = Machine::random(&mut Rng(seed), 8, 2, 2);
        if machine.size() != machine.states() {
            continue;
        }
        // Each state with each input, once.
        let tests = machine.states() * machine.inputs;
        let options = Options {
            projections: Projections::Identity,
            passing_tests: tests.into(),
            ..options(Tests::Systematic)
        };
        let mut driver = Driver::new(&machine, options);
        assert_eq!(driver.run(without_tests), Ok(EndReason::TestsPassed));
        let access = access_words(&machine);
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
            let tried = access.iter().filter(|access| word.starts_with(access));
            let mut ats = tried.map(|access| access.len() + 1).filter(|&at| at <= word.len());
            assert!(ats.any(|at| is_told(word, at)), "seed {seed}: {word:?}");
            ends += 1;
        }
    }
    assert!(ends > 100, "{ends}");
}

#[test]
fn the_newest_state_is_reached_by_its_access_word() {
    let mut presses = 0;
    let mut device = mealybug_core::sul::from_fn(|input| {
        match input.map(|input| input.index()) {
            None => presses = 0,
            Some(0) => presses = (presses + 1) % 4,
            Some(_) => {}
        }
        if presses == 3 { "on" } else { "off" }
    });
    let mut session = Session::new(vec![0; 1024], 2, Options::default()).unwrap();
    assert_eq!(session.newest_access().count(), 0);
    mealybug_core::learn(&mut session, &mut device).unwrap();
    assert_eq!(session.progress().short_rows, 4);
    let word: Vec<_> = session.newest_access().map(|input| input.index()).collect();
    assert_eq!(word, [0, 0, 0]);
}
