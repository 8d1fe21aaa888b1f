//! Nothing that a caller does makes the core panic or run for ever: random replies, and names,
//! memory and alphabets of all sizes.

use crate::common::{
    Driver, Rng, TableMachine, assert_exact, external, learner, memory, only_tests, perfect,
};
use mealybug_core::{
    Action, Budget, EndReason, Input, MIXTURE_KINDS, Mealy, Observations, Options, Output,
    Projections, Reply, Session, SessionError, Tests,
};

fn random_options(rng: &mut Rng) -> Options {
    let extra_states = [0, 1, 2, u32::MAX][rng.below(4) as usize];
    let tests = match rng.below(6) {
        0 => Tests::RandomWords,
        1 => Tests::W { extra_states },
        2 => Tests::Wp { extra_states },
        3 => Tests::Components { extra_states },
        4 => Tests::External,
        _ => Tests::RandomWp,
    };
    let tests = if tests.is_supported() { tests } else { Tests::RandomWp };
    let limit = |rng: &mut Rng| match rng.below(4) {
        0 => u64::from(rng.below(300)),
        _ => u64::MAX,
    };
    Options::new()
        .projections(if rng.below(3) == 0 { Projections::Identity } else { Projections::PerOutput })
        .observations(if cfg!(feature = "tree") && rng.below(2) == 0 {
            Observations::Tree
        } else {
            Observations::Table
        })
        .tests(tests)
        .seed(if rng.below(4) == 0 { u64::MAX } else { rng.next() })
        .passing_tests(limit(rng))
        .product_states([0, 1, 7, 256, u32::MAX][rng.below(5) as usize])
        .shorten(rng.below(2) == 0)
        .lanes([1, 1, 2, 9][rng.below(4) as usize])
        .budget(Budget::UNLIMITED.rounds(limit(rng)).symbols(limit(rng)).resets(limit(rng)))
}

fn random_name(rng: &mut Rng, outputs: u32) -> Vec<u8> {
    let output = rng.below(outputs);
    match output % 7 {
        0 => vec![0; output as usize],
        1 => vec![b'x'; 40 + output as usize],
        _ => output.to_string().into_bytes(),
    }
}

/// Reads everything that a session shows, also with numbers that are too large.
fn read_everything<L: mealybug_core::Learner>(session: &Session<Vec<u32>, L>, rng: &mut Rng) {
    let large = [0, 1, 2, 100, u32::MAX / 2, u32::MAX - 1, u32::MAX];
    let pick = |rng: &mut Rng| large[rng.below(7) as usize];
    session.progress();
    session.purpose();
    session.is_refuted();
    session.capacity_bytes();
    session.output_name(Output::new(pick(rng)));
    session.word(pick(rng)).count();
    session.ahead(pick(rng)).count();
    let Some(hypothesis) = session.hypothesis() else { return };
    hypothesis.output_name(Output::new(pick(rng)));
    let mut product_state: Vec<u32> = hypothesis.components().map(|_| pick(rng)).collect();
    let _ = hypothesis.step(&mut product_state, Input::new(pick(rng)));
    let components = product_state.len();
    for len in [components - 1, components + 1] {
        let mut wrong_len = vec![0; len];
        assert!(hypothesis.step(&mut wrong_len, Input::new(0)).is_err(), "{len} states");
    }
    for component in hypothesis.components() {
        component.outputs().count();
        let mut state = pick(rng);
        let output = component.step(&mut state, Input::new(pick(rng)));
        assert!(output.is_none_or(|output| output.index() < hypothesis.outputs()));
        for state in 0..component.states() {
            let mut next = state;
            component.step(&mut next, Input::new(rng.below(hypothesis.inputs())));
            assert!(next < component.states());
        }
    }
}

/// Random replies; a random share of them fits the last action. Memory grows when it is full.
#[test]
fn random_replies_never_panic() {
    let (mut contradictions, mut refused, mut full) = (0, 0, 0);
    for seed in 0..600 {
        let rng = &mut Rng(30_000 + seed);
        let options = random_options(rng);
        let inputs = [1, 2, 3, 300][rng.below(4) as usize];
        let outputs = [1, 2, 3, 300][rng.below(4) as usize];
        let words = [0, 1, 100, 5000][rng.below(4) as usize];
        let learner = learner(inputs, &options);
        let session = Session::with_learner(memory(words), learner, options);
        let mut session = session.expect("good options");
        let mut actions = vec![Action::Idle; options.lanes as usize];
        // In tenths.
        let fitting = rng.below(10);
        let costs = [0, 1, u32::MAX];
        let cost = |input: Input| costs[input.index() as usize % 3];
        let _ = session.set_costs(costs[rng.below(3) as usize], cost);
        for _ in 0..1500 {
            let beyond = u32::from(rng.below(20) == 0);
            let lane = rng.below(options.lanes + beyond);
            let name = random_name(rng, outputs);
            let beyond = u32::from(rng.below(10) == 0);
            let word: Vec<Input> =
                (0..rng.below(40)).map(|_| Input::new(rng.below(inputs + beyond))).collect();
            let names: Vec<&[u8]>;
            let reply = match (actions.get(lane as usize), rng.below(10) < fitting) {
                (Some(Action::Input(_)), true) if rng.below(2) == 0 => {
                    // At most one more than fit.
                    let ahead = u32::try_from(session.ahead(lane).count()).expect("a short word");
                    names = vec![&name; 1 + rng.below(ahead + 2) as usize];
                    Reply::Outputs(&names)
                }
                (Some(Action::Input(_)), true) => Reply::Output(&name),
                (Some(Action::Hypothesis), true) if rng.below(3) == 0 => {
                    Reply::Counterexample(&word)
                }
                (_, true) => Reply::Ready,
                (_, false) => match rng.below(20) {
                    0 => Reply::Equivalent,
                    1..=2 => Reply::Counterexample(&word),
                    3..=4 => Reply::Advice(&word),
                    5..=12 => Reply::Ready,
                    _ => Reply::Output(&name),
                },
            };
            if rng.below(30) == 0 {
                session.failed(rng.below(options.lanes + 2));
            }
            if rng.below(200) == 0 {
                let _ = session.declare_group(&name, rng.below(50));
            }
            let before = session.summary();
            match session.next(lane, reply) {
                Ok(action) => actions[lane as usize] = action,
                Err(SessionError::Misuse(error)) => {
                    let now = session.summary();
                    assert_eq!(
                        (now.end, now.is_refuted),
                        (before.end, before.is_refuted),
                        "{error}"
                    );
                    assert_eq!(now.progress.testing, before.progress.testing, "{error}");
                    assert_eq!(now.progress.learning, before.progress.learning, "{error}");
                    refused += 1;
                }
                Err(SessionError::Contradiction(error)) => {
                    assert!(error.position < error.word_len, "{error}");
                    assert_ne!(error.before, error.now);
                    contradictions += 1;
                    break;
                }
                Err(SessionError::Capacity(error)) => {
                    assert!(error.needed > error.capacity, "{error}");
                    if error.needed > 1 << 24 {
                        break;
                    }
                    full += 1;
                    let more = rng.below(3) as usize * 100;
                    let larger = memory(error.needed / size_of::<u32>() + more);
                    assert!(session.move_into(larger).is_ok(), "the memory is larger");
                }
            }
            if rng.below(20) == 0 {
                read_everything(&session, rng);
            }
        }
    }
    println!("{contradictions} contradictions, {refused} replies refused, {full} times full");
    assert!(contradictions > 50 && refused > 1000 && full > 1000);
}

#[test]
fn a_session_without_memory_reports_that_it_is_full() {
    for seed in 0..100 {
        let rng = &mut Rng(seed);
        let options = random_options(rng);
        let session = Session::with_learner(memory(0), learner(2, &options), options);
        let mut session = session.expect("good options");
        read_everything(&session, rng);
        session.failed(0);
        for _ in 0..5 {
            let error = session.next(0, Reply::Ready).expect_err("there is no room");
            assert!(matches!(error, SessionError::Capacity(_)), "{error}");
            read_everything(&session, rng);
        }
        assert!(session.move_into(Vec::new()).is_ok(), "an empty layout fits into empty memory");
    }
}

#[test]
fn the_learner_learns_300_outputs_with_names_up_to_2990_bytes() {
    let outputs = 300;
    let states = 30;
    let transition = |state, i| ((state * 7 + i * 3 + 1) % states, state * 10 + i);
    let row = |state: u32| (0..10).map(|i| transition(state, i)).collect();
    let mut machine = TableMachine::new((0..states).map(row).collect());
    for (output, name) in machine.names.iter_mut().enumerate() {
        // The first name is empty.
        *name = vec![b'a'; output * 10];
    }
    assert_eq!(machine.names.len(), outputs);
    for projections in [Projections::PerOutput, Projections::Identity] {
        let mut driver = Driver::new(&machine, external(projections));
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
        assert_exact(&driver.hypothesis(), &machine, "300 outputs");
    }
}

#[test]
fn the_learner_learns_300_inputs() {
    let rng = &mut Rng(1);
    let machine = TableMachine::random(rng, 5, 300, 3);
    for projections in [Projections::PerOutput, Projections::Identity] {
        let mut driver = Driver::new(&machine, external(projections));
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
        assert_exact(&driver.hypothesis(), &machine, "300 inputs");
    }
}

/// Empty names, long names and names with a common start: all their bytes tell them apart.
#[test]
fn all_bytes_of_names_are_compared() {
    let rng = &mut Rng(2);
    let mut machine = TableMachine::random(rng, 12, 2, 6);
    let names: [Vec<u8>; 6] =
        [vec![], vec![0], vec![0, 0], vec![255; 70_000], vec![255; 70_001], b"0".to_vec()];
    machine.names = names.to_vec();
    let mut driver = Driver::with_memory(&machine, external(Projections::PerOutput), 0);
    driver.grows = true;
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    assert_exact(&driver.hypothesis(), &machine, "names");
}

/// Numbers as large as they can be, in every kind of tests.
#[test]
fn the_largest_numbers() {
    let machine = TableMachine::toy(3);
    let extra_states = u32::MAX;
    let suites = [
        Tests::W { extra_states },
        Tests::Wp { extra_states },
        Tests::Components { extra_states },
        Tests::RandomWords,
        Tests::RandomWp,
        Tests::Mixture,
    ];
    let learners = [Observations::Table, Observations::Tree].into_iter();
    let learners = learners.take(if cfg!(feature = "tree") { 2 } else { 1 });
    let suites = suites.into_iter().chain(MIXTURE_KINDS).filter(|tests| tests.is_supported());
    let suites: Vec<_> = suites.collect();
    for (observations, &tests) in
        learners.flat_map(|it| suites.iter().map(move |tests| (it, tests)))
    {
        let options = Options::new()
            .observations(observations)
            .tests(tests)
            .seed(u64::MAX)
            .passing_tests(u64::MAX)
            .product_states(u32::MAX)
            .budget(Budget::UNLIMITED);
        let mut driver = Driver::new(&machine, options);
        driver.session.set_costs(u32::MAX, |_| u32::MAX).expect("there is room");
        for _ in 0..20_000 {
            let action = driver.step(0, &mut only_tests).expect("there is room");
            assert!(!matches!(action, Action::Done(_)), "{tests}: there is no end");
        }
        read_everything(&driver.session, &mut Rng(1));
    }
}

/// As many inputs and lanes as can be counted, and groups.
#[test]
fn the_largest_sizes() {
    let most = 1 << 16;
    let options = Options::new().lanes(most);
    let mut session = Session::new(memory(1 << 20), most, options).expect("good options");
    for group in [u32::MAX, u32::MAX - 1] {
        session.declare_group(b"output", group).expect_err("that many groups have no room");
    }
    for lane in [0, most - 1] {
        let error = session.next(lane, Reply::Ready).expect_err("there is no room");
        assert!(matches!(error, SessionError::Capacity(_)), "{error}");
        read_everything(&session, &mut Rng(u64::from(lane)));
    }
    for (inputs, lanes) in [(most + 1, 1), (u32::MAX, 1), (1, most + 1), (1, u32::MAX)] {
        let options = Options::new().lanes(lanes);
        let refused = Session::new(memory(0), inputs, options);
        assert!(matches!(refused, Err(SessionError::Misuse(_))), "{inputs} inputs, {lanes} lanes");
    }
}

#[test]
fn extreme_options_never_panic() {
    let machine = TableMachine::toy(3);
    let extremes = [
        Options::new().product_states(0),
        Options::new().product_states(u32::MAX),
        Options::new().lanes(1 << 16).passing_tests(3),
        Options::new().tests(Tests::W { extra_states: 3 }).seed(u64::MAX),
    ];
    for options in extremes {
        let mut driver = Driver::new(&machine, options);
        let end = driver.run(only_tests).expect("there is room");
        assert!(end.is_converged(), "{options:?}: {end:?}");
    }
    let mut driver =
        Driver::new(&machine, Options::new().tests(Tests::W { extra_states: u32::MAX }));
    for _ in 0..50_000 {
        let action = driver.step(0, &mut only_tests).expect("there is room");
        assert!(!matches!(action, Action::Done(_)), "the suite is longer than any run");
    }
}
