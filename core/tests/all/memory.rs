//! Full memory: nothing is lost, and a run in growing memory asks the same words as a run in ample
//! memory.

use std::collections::HashSet;

use crate::common::{
    CallerVerdict, Driver, Rng, TableMachine, assert_exact, count, external, first_wrong, known,
    memory, only_tests, perfect,
};
use mealybug_core::{
    Action, CapacityError, EndReason, Hypothesis, Input, Mealy, Misuse, Observations, Options,
    Output, Progress, Projections, Reply, ServeError, Session, SessionError, Tests, learn,
};

fn machines() -> Vec<TableMachine> {
    let rng = &mut Rng(11);
    vec![
        TableMachine::toy(5),
        TableMachine::random(rng, 14, 2, 3),
        TableMachine::random(rng, 12, 3, 30),
        TableMachine::interleaved(rng, 3, 4, 2),
    ]
}

/// Options for the learner with a table, and with the feature `tree` for the other one.
fn options() -> Vec<Options> {
    let base = Options::new().seed(3).passing_tests(80).product_states(40);
    let trees = [Projections::Identity, Projections::PerOutput, Projections::Chosen]
        .map(|projections| base.observations(Observations::Tree).projections(projections));
    let tables = [
        base,
        base.projections(Projections::Identity).tests(Tests::RandomWords),
        base.tests(Tests::Wp { extra_states: 1 }).shorten(false),
        external(Projections::PerOutput),
    ];
    let trees = trees.into_iter().filter(|_| cfg!(feature = "tree"));
    tables.into_iter().chain(trees).collect()
}

/// What the caller says about hypotheses.
type Judge = fn(&Hypothesis<'_>, &TableMachine) -> CallerVerdict;

fn judge(options: &Options) -> Judge {
    if options.tests == Tests::External { perfect } else { only_tests }
}

/// All transitions of all components: state, next state, output.
fn transitions<L: mealybug_core::Learner>(
    session: &Session<Vec<u32>, L>,
) -> Option<Vec<(u32, u32, Option<Output>)>> {
    let hypothesis = session.hypothesis()?;
    let mut all = Vec::new();
    for component in hypothesis.components() {
        for state in 0..component.states() {
            for input in 0..hypothesis.inputs() {
                let mut next = state;
                let output = component.step(&mut next, Input::new(input));
                all.push((state, next, output));
            }
        }
    }
    Some(all)
}

#[test]
fn a_run_in_growing_memory_asks_the_same_words() {
    for (number, machine) in machines().iter().enumerate() {
        for options in options() {
            let what = format!("machine {number} {options:?}");
            let mut ample = Driver::new(machine, options);
            let end = ample.run(judge(&options)).expect("there is room");
            for words in [0, 1, 40] {
                let mut tight = Driver::with_memory(machine, options, words);
                tight.grows = true;
                assert_eq!(tight.run(judge(&options)), Ok(end), "{what}");
                assert_eq!(tight.asked, ample.asked, "{what}");
                assert_eq!(tight.session.progress(), ample.session.progress(), "{what}");
                assert_eq!(transitions(&tight.session), transitions(&ample.session), "{what}");
                let least = if words == 0 { 10 } else { 0 };
                assert!(tight.full.len() > least, "{what}: memory grew {} times", tight.full.len());
                let needed = tight.full.last().map(|error| error.needed);
                let learner_bytes = tight.session.progress().learner_bytes;
                assert_eq!(Some(learner_bytes), needed, "{what}");
                assert_eq!(tight.session.capacity_bytes(), learner_bytes, "{what}");
            }
        }
    }
}

#[test]
fn a_run_needs_exactly_the_learner_bytes_that_it_reports() {
    for machine in &machines() {
        for options in options() {
            let mut ample = Driver::new(machine, options);
            let end = ample.run(judge(&options)).expect("there is room");
            let words = ample.session.progress().learner_bytes / size_of::<u32>();
            let mut just_enough = Driver::with_memory(machine, options, words);
            assert_eq!(just_enough.run(judge(&options)), Ok(end));
            assert_eq!(just_enough.asked, ample.asked);
            let mut too_small = Driver::with_memory(machine, options, words - 1);
            let error = too_small.run(judge(&options)).expect_err("one word is missing");
            assert!(matches!(error, SessionError::Capacity(_)), "{error}");
        }
    }
}

/// Rows and columns of the observation table.
fn sizes_of_table<L: mealybug_core::Learner>(session: &Session<Vec<u32>, L>) -> (u32, u32) {
    let progress = session.progress();
    (progress.rows, progress.columns)
}

/// The error of a call that must fail because memory is full.
fn capacity_error(result: Result<Action, SessionError>) -> CapacityError {
    match result {
        Err(SessionError::Capacity(error)) => error,
        other => panic!("{other:?} instead of a capacity error"),
    }
}

/// After a capacity error the hypothesis is one that a run with enough memory has at some time, never a part of two.
#[test]
fn a_capacity_error_leaves_a_whole_hypothesis() {
    for (number, machine) in machines().iter().enumerate() {
        for options in options() {
            let what = format!("machine {number} {options:?}");
            let mut ample = Driver::new(machine, options);
            let mut whole = HashSet::from([None]);
            while !matches!(ample.step(0, &mut judge(&options)), Ok(Action::Done(_))) {
                whole.insert(transitions(&ample.session));
            }
            let ample = ample.session.progress().learner_bytes / size_of::<u32>();
            let mut kept = 0;
            for words in (0..ample).step_by(ample / 100 + 1) {
                let mut driver = Driver::with_memory(machine, options, words);
                let end = driver.run(judge(&options));
                assert!(matches!(end, Err(SessionError::Capacity(_))), "{what}: {end:?}");
                let hypothesis = transitions(&driver.session);
                assert!(whole.contains(&hypothesis), "{what}, {words} words: {hypothesis:?}");
                kept += u32::from(hypothesis.is_some());
            }
            assert!(kept > 0, "{what}");
        }
    }
}

/// After each capacity error the call is repeated in the same memory, in memory one word too small,
/// and in just enough memory. (What a learner with a tree needs includes some room to grow.)
#[test]
fn the_bytes_needed_of_a_capacity_error_are_exact() {
    let word = size_of::<u32>();
    for machine in &machines() {
        for options in options().into_iter().filter(|it| it.observations == Observations::Table) {
            let judge = judge(&options);
            let mut session = Driver::with_memory(machine, options, 0).session;
            let (mut state, mut output, mut verdict) = (0, 0, CallerVerdict::Test);
            let mut action = Action::Idle;
            let (mut errors, mut symbols) = (0, 0);
            while !matches!(action, Action::Done(_)) {
                match action {
                    Action::Reset => state = 0,
                    Action::Input(input) => {
                        output = machine.step(&mut state, input.index());
                        symbols += 1;
                    }
                    Action::Hypothesis => {
                        let hypothesis = session.hypothesis().expect("the session has shown it");
                        verdict = judge(&hypothesis, machine);
                    }
                    Action::Idle | Action::Done(_) => {}
                }
                let reply = match (action, &verdict) {
                    (Action::Input(_), _) => Reply::Output(machine.name(output)),
                    (Action::Hypothesis, CallerVerdict::Equivalent) => Reply::Equivalent,
                    (Action::Hypothesis, CallerVerdict::Counterexample(w)) => {
                        Reply::Counterexample(w)
                    }
                    _ => Reply::Ready,
                };
                let mut result = session.next(0, reply);
                let mut least = session.capacity_bytes();
                while let Err(SessionError::Capacity(error)) = result {
                    errors += 1;
                    assert!(error.needed > least, "each error of a call needs more: {error}");
                    least = error.needed;
                    let (components, sizes) = (transitions(&session), sizes_of_table(&session));
                    assert_eq!(capacity_error(session.next(0, reply)), error, "the same memory");
                    let short = session.move_into(memory(error.needed / word - 1));
                    assert!(short.is_ok(), "what is laid out fits into memory one word too small");
                    let again = capacity_error(session.next(0, reply));
                    assert_eq!((again.what, again.needed), (error.what, error.needed));
                    assert_eq!(transitions(&session), components, "the hypothesis is the same");
                    assert_eq!(sizes_of_table(&session), sizes, "the table is the same");
                    session.move_into(memory(error.needed / word)).expect("the memory is larger");
                    assert_eq!(transitions(&session), components, "the hypothesis moves too");
                    result = session.next(0, reply);
                }
                action = result.expect("the only errors are of memory");
                let Progress { learning, testing, .. } = session.progress();
                let pending = u64::from(matches!(action, Action::Input(_)));
                assert_eq!(learning.symbols + testing.symbols, symbols + pending);
            }
            assert!(errors > 10);
        }
    }
}

/// After a capacity error the last hypothesis explains each answer in the table, or the session
/// says that it is refuted.
#[test]
fn after_a_capacity_error_the_hypothesis_explains_the_table_or_is_refuted() {
    for machine in &machines() {
        for options in options() {
            let ample = {
                let mut driver = Driver::new(machine, options);
                driver.run(judge(&options)).expect("there is room");
                driver.session.progress().learner_bytes / size_of::<u32>()
            };
            for words in (0..ample).step_by(ample / 60 + 1) {
                let mut driver = Driver::with_memory(machine, options, words);
                let error = driver.run(judge(&options)).expect_err("the memory is too small");
                assert!(matches!(error, SessionError::Capacity(_)), "{error}");
                let Some(hypothesis) = driver.session.hypothesis() else { continue };
                // The session has taken in the answers to all words but the last.
                let (_, taken) = driver.asked.split_last().expect("words were asked");
                let wrong = taken
                    .iter()
                    .filter(|asked| !asked.testing)
                    .find(|asked| first_wrong(&hypothesis, machine, &asked.word).is_some());
                if let Some(asked) = wrong {
                    assert!(driver.session.is_refuted(), "{words} words: {asked:?}");
                }
            }
        }
    }
}

#[test]
fn move_into_refuses_memory_that_is_too_small_and_changes_nothing() {
    let machine = &machines()[3];
    let options = options()[0];
    let mut plain = Driver::new(machine, options);
    let end = plain.run(only_tests).expect("there is room");
    let mut driver = Driver::new(machine, options);
    let rng = &mut Rng(1);
    let mut refused = 0;
    loop {
        let action = driver.step(0, &mut only_tests).expect("there is room");
        if action == Action::Done(end) {
            break;
        }
        let before = driver.session.progress();
        let components = transitions(&driver.session);
        if rng.below(10) == 0 {
            // What is laid out fits into the memory that all of it ever took, and often into less.
            let most = before.learner_bytes / size_of::<u32>();
            let mut least = memory(rng.below(count(most + 1)) as usize);
            let capacity = driver.session.capacity_bytes();
            while let Err(small) = driver.session.move_into(least.clone()) {
                assert_eq!(small, least);
                assert_eq!(driver.session.capacity_bytes(), capacity);
                refused += 1;
                least = memory(least.len() + 1);
            }
            assert!(least.len() <= most, "{} > {most}", least.len());
            assert!(driver.session.move_into(memory(1 << 16)).is_ok());
        }
        assert_eq!(driver.session.progress(), before);
        assert_eq!(transitions(&driver.session), components);
    }
    assert!(refused > 100, "{refused}");
    assert_eq!(driver.asked, plain.asked);
    assert_eq!(driver.session.progress(), plain.session.progress());
}

#[test]
fn a_run_with_several_lanes_in_growing_memory_asks_the_same_words() {
    let machine = &machines()[2];
    let with_lanes = |lanes| options().into_iter().map(move |options| options.lanes(lanes));
    let in_lanes = [2, 5].into_iter().flat_map(with_lanes);
    for options in in_lanes.filter(|options| options.tests == Tests::DEFAULT) {
        let lanes = options.lanes;
        let mut drivers = [1 << 16, 0].map(|words| Driver::with_memory(machine, options, words));
        drivers[1].grows = true;
        for driver in &mut drivers {
            let rng = &mut Rng(8);
            let mut running = true;
            while running {
                let lane = rng.below(lanes);
                let action = driver.step(lane, &mut only_tests).expect("memory grows");
                running = action != Action::Done(EndReason::TestsPassed);
            }
        }
        let [ample, tight] = &drivers;
        assert_eq!(ample.asked, tight.asked);
        assert_eq!(ample.session.progress(), tight.session.progress());
        assert!(tight.full.len() > 10);
    }
}

/// A counterexample that is longer than all words before needs room in two places, one after the
/// other.
#[test]
fn memory_grows_for_a_long_counterexample() {
    let long = |hypothesis: &Hypothesis<'_>, machine: &TableMachine| {
        let CallerVerdict::Counterexample(mut word) = perfect(hypothesis, machine) else {
            return CallerVerdict::Equivalent;
        };
        word.extend((0..300).map(|i| Input::new(i % machine.inputs)));
        CallerVerdict::Counterexample(word)
    };
    for machine in &machines() {
        for projections in [Projections::PerOutput, Projections::Identity] {
            let mut ample = Driver::new(machine, external(projections));
            assert_eq!(ample.run(long), Ok(EndReason::Equivalent));
            let mut tight = Driver::with_memory(machine, external(projections), 0);
            tight.grows = true;
            assert_eq!(tight.run(long), Ok(EndReason::Equivalent));
            assert_eq!(tight.asked, ample.asked);
        }
    }
}

#[test]
fn a_session_learns_in_borrowed_memory() {
    let machine = TableMachine::toy(3);
    let mut words = memory(4096);
    let mut session =
        Session::new(words.as_mut_slice(), machine.inputs, external(Projections::PerOutput))
            .expect("good options");
    assert_eq!(session.declare_group(b"0", 1), Ok(()));
    let mut state = 0;
    let mut action = session.next(0, Reply::Ready).expect("there is room");
    while action != Action::Hypothesis {
        action = match action {
            Action::Input(input) => {
                let output = machine.step(&mut state, input.index());
                session.next(0, Reply::Output(machine.name(output)))
            }
            _ => {
                state = 0;
                session.next(0, Reply::Ready)
            }
        }
        .expect("there is room");
    }
    assert_eq!(session.next(0, Reply::Equivalent), Ok(Action::Done(EndReason::Equivalent)));
    assert_exact(
        &session.hypothesis().expect("the session has shown it"),
        &machine,
        "in borrowed memory",
    );
}

#[test]
fn declare_group_refuses_a_name_or_a_group_that_does_not_fit() {
    let mut session = Session::new(memory(2), 2, Options::default()).expect("good options");
    let name = [b'x'; 100];
    let Err(SessionError::Capacity(error)) = session.declare_group(&name, 1) else {
        panic!("there is no room");
    };
    session.move_into(memory(error.needed / size_of::<u32>())).expect("the memory is larger");
    while let Err(error) = session.declare_group(&name, 1) {
        let SessionError::Capacity(error) = error else { panic!("{error}") };
        session.move_into(memory(error.needed / size_of::<u32>())).expect("the memory is larger");
    }
    let huge = session.declare_group(&name, u32::MAX - 1);
    assert!(matches!(huge, Err(SessionError::Capacity(_))), "{huge:?}");
    assert_eq!(session.declare_group(&name, u32::MAX), Err(Misuse::TooMany.into()));
}

/// `learn` is called again in larger memory each time that the memory is full.
#[test]
fn learning_goes_on_in_larger_memory() {
    let machine = TableMachine::toy(6);
    let mut session = Session::new(memory(0), 2, Options::new()).expect("good options");
    let mut device = known::device(&machine);
    let mut full = 0;
    let end = loop {
        match learn(&mut session, &mut device) {
            Ok(end) => break end,
            Err(ServeError::Session(SessionError::Capacity(error))) => {
                let larger = memory(error.needed.div_ceil(size_of::<u32>()));
                session.move_into(larger).expect("it is larger");
                full += 1;
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(end, EndReason::TestsPassed);
    assert!(full > 20, "{full}");
    assert_exact(&session.hypothesis().expect("it converged"), &machine, "toy");
}
