//! L# and OL#: one observation tree for all projections.

use std::collections::HashSet;

use crate::common::{
    CallerVerdict, Driver, Rng, TableMachine, assert_exact, external, lock, only_tests, perfect,
    separating_word,
};
use mealybug_core::{
    Action, DefectCounts, Division, EndReason, Hypothesis, Input, Knowledge, KnownAnswer,
    Mealy as _, Misuse, Observations, Options, Progress, Projections, Reply, Session, SessionError,
    TableLearner, Tests, TreeLearner, learn, sul,
};

const FAMILIES: [Projections; 5] = [
    Projections::Identity,
    Projections::PerOutput,
    Projections::PerInput,
    Projections::PerPair,
    Projections::Chosen,
];

fn tree(projections: Projections) -> Options {
    external(projections).observations(Observations::Tree)
}

/// Machines of all kinds, the same for each test.
fn machines(seeds: u32) -> impl Iterator<Item = TableMachine> {
    (0..seeds).map(|seed| {
        let mut rng = Rng(u64::from(seed) + 1);
        let (states, inputs, outputs) = (2 + rng.below(30), 1 + rng.below(4), 2 + rng.below(4));
        match seed % 4 {
            0 => TableMachine::interleaved(&mut rng, 2 + seed % 2, 3, 2),
            1 => lock(&[1, 0, 1, 1, 0, 2, 1][..1 + seed as usize % 7], 3),
            _ => TableMachine::random(&mut rng, states, inputs, outputs),
        }
    })
}

/// Checks a result: the product is the machine. Components that see groups of outputs are as small as can be.
fn assert_learned(
    hypothesis: &Hypothesis<'_>,
    machine: &TableMachine,
    projections: Projections,
    what: &str,
) {
    match projections {
        Projections::Identity | Projections::PerOutput => assert_exact(hypothesis, machine, what),
        _ => assert_eq!(separating_word(hypothesis, machine), None, "{what}"),
    }
}

#[test]
fn learns_every_machine_exactly() {
    for (seed, machine) in machines(400).enumerate() {
        for projections in FAMILIES {
            let mut driver = Driver::new(&machine, tree(projections));
            assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent), "{seed} {projections}");
            let why = format!("{seed} {projections}");
            assert_learned(&driver.hypothesis(), &machine, projections, &why);
        }
    }
}

#[cfg(feature = "mixture")]
#[test]
fn where_a_reset_is_dear_walks_take_the_place_of_tests() {
    let machines =
        || machines(24).enumerate().filter(|(seed, machine)| seed % 4 != 1 && machine.inputs > 1);
    let resets = |reset: u32| {
        let learned = machines().map(|(seed, machine)| {
            let options = tree(Projections::Chosen).tests(Tests::Mixture).passing_tests(u64::MAX);
            let mut driver = Driver::new(&machine, options.seed(seed as u64));
            driver.session.set_costs(reset, |_| 1).expect("there is room");
            assert_eq!(driver.run(crate::common::until_equal), Ok(EndReason::Equivalent), "{seed}");
            let Progress { learning, testing, .. } = driver.session.progress();
            (learning.resets + testing.resets, testing.resets)
        });
        learned.fold((0, 0), |sum, run| (sum.0 + run.0, sum.1 + run.1))
    };
    let (cheap, dear) = (resets(0), resets(60));
    assert!(dear.0 < cheap.0, "all resets: {dear:?} beside {cheap:?}");
    assert!(dear.1 < cheap.1 / 2, "resets of tests: {dear:?} beside {cheap:?}");
}

/// What learning cost in symbols, and how it stands in the end.
fn learned(machine: &TableMachine, projections: Projections) -> (u64, Progress) {
    let mut driver = Driver::new(machine, tree(projections));
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    let progress = driver.session.progress();
    (progress.learning.symbols, progress)
}

#[test]
fn what_is_independent_is_learned_apart() {
    let (mut whole, mut chosen, mut divided) = (0, 0, 0);
    for seed in 0..30 {
        let machine = TableMachine::interleaved(&mut Rng(seed), 3, 4, 2);
        whole += learned(&machine, Projections::Identity).0;
        let (symbols, progress) = learned(&machine, Projections::Chosen);
        chosen += symbols;
        let known = progress.tree.expect("it has a tree");
        assert!(known.forecast.is_some(), "enough was asked");
        assert_eq!(known.division == Division::Whole, progress.components == 1, "{seed}");
        divided += u32::from(progress.components > 1);
    }
    assert!(divided > 20, "{divided} of 30 in parts");
    assert!(chosen * 2 < whole, "{chosen} symbols, {whole} as one machine");
}

/// The forecast is the reason of the choice: no division has fewer states than the one that is learned, without the
/// initial states, or as many and more components.
#[test]
fn the_forecast_has_nothing_better_than_the_division_that_is_learned() {
    let mut divided = 0;
    for (seed, machine) in machines(120).enumerate() {
        let mut driver = Driver::new(&machine, tree(Projections::Chosen));
        while !matches!(driver.step(0, &mut perfect), Ok(Action::Done(_))) {
            let known = driver.session.progress().tree.expect("it has a tree");
            let Some(forecast) = known.forecast else { continue };
            let rated = |states, components| (states - components, u32::MAX - components);
            let whole = rated(forecast.whole, 1);
            let outputs = rated(forecast.outputs, forecast.output_components);
            let inputs = rated(forecast.inputs, forecast.input_components);
            let learned = match known.division {
                Division::Outputs => outputs,
                Division::Inputs => inputs,
                _ => whole,
            };
            assert_eq!(learned, whole.min(outputs).min(inputs), "{seed}: {known:?}");
            divided += u32::from(known.division != Division::Whole);
        }
    }
    assert!(divided > 1000, "{divided} steps with a division");
}

#[cfg(feature = "mixture")]
#[test]
fn a_component_that_is_a_product_is_divided_though_the_sample_is_full() {
    let machine = TableMachine::interleaved(&mut Rng(10), 6, 4, 2);
    let options = tree(Projections::Chosen).tests(Tests::Mixture).passing_tests(u64::MAX);
    let mut driver = Driver::new(&machine, options);
    assert_eq!(driver.run(crate::common::until_equal), Ok(EndReason::Equivalent));
    let forecast = driver.session.progress().tree.and_then(|tree| tree.forecast);
    assert_eq!(
        forecast.map(|forecast| forecast.whole),
        Some(mealybug_core::Forecast::MAX_WORDS),
        "it is full"
    );
    // Two of the machines together have 144 states.
    let largest = driver.hypothesis().components().map(|component| component.states()).max();
    assert!(largest < Some(100), "{largest:?}");
}

#[test]
fn what_depends_on_everything_costs_no_more_when_it_is_chosen() {
    let (mut whole, mut chosen) = (0, 0);
    for (seed, machine) in machines(120).enumerate().filter(|(seed, _)| seed % 4 != 0) {
        whole += learned(&machine, Projections::Identity).0;
        let (symbols, progress) = learned(&machine, Projections::Chosen);
        chosen += symbols;
        assert!(progress.tree.is_some(), "{seed}");
    }
    assert!(chosen * 10 < whole * 11, "{chosen} symbols, {whole} as one machine");
}

#[test]
fn both_kinds_of_component_inconsistency_are_met() {
    let mut defects = DefectCounts::default();
    for seed in 0..600 {
        let mut rng = Rng(seed);
        let (states, outputs) = (5 + rng.below(20), 3 + rng.below(3));
        let machine = TableMachine::random(&mut rng, states, 2, outputs);
        let mut driver = Driver::new(&machine, tree(Projections::PerOutput));
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent), "{seed}");
        let met = driver.session.progress().defects;
        defects.none += met.none;
        defects.several += met.several;
    }
    assert!(defects.none >= 100 && defects.several >= 100, "{defects:?}");
}

/// All words that a device was asked, each until the next reset.
fn words_of(machine: &TableMachine, options: Options) -> Vec<Vec<u32>> {
    let mut words: Vec<Vec<u32>> = Vec::new();
    let mut state = 0;
    let mut device = sul::from_fn(|input: Option<Input>| match input {
        None => {
            state = 0;
            words.push(Vec::new());
            machine.name(0)
        }
        Some(input) => {
            words.last_mut().expect("a reset comes first").push(input.index());
            machine.name(machine.step(&mut state, input.index()))
        }
    });
    let learner = TreeLearner::new(machine.inputs, options.projections);
    let mut session = Session::with_learner(vec![0; 1 << 18], learner, options).expect("options");
    learn(&mut session, &mut device).expect("enough memory");
    words
}

#[test]
fn no_word_is_asked_that_the_tree_knows() {
    for (seed, machine) in machines(60).enumerate() {
        for projections in FAMILIES {
            let tested = tree(projections).tests(Tests::DEFAULT).passing_tests(200);
            let words = words_of(&machine, tested);
            let mut known: HashSet<&[u32]> = HashSet::new();
            for word in &words {
                assert!(!known.contains(word.as_slice()), "{seed} {projections}: {word:?} again");
                known.extend((0..=word.len()).map(|len| &word[..len]));
            }
        }
    }
}

#[test]
fn what_is_asked_does_not_depend_on_the_number_of_lanes() {
    for (seed, machine) in machines(60).enumerate() {
        for projections in FAMILIES {
            let progress = |lanes: u32| {
                let options = tree(projections).lanes(lanes);
                let learner = TreeLearner::new(machine.inputs, projections);
                let session = Session::with_learner(vec![0; 1 << 18], learner, options);
                let mut session = session.expect("options");
                // On every other machine words walk on.
                session
                    .set_costs(if seed % 2 == 0 { 0 } else { 60 }, |_| 1)
                    .expect("there is room");
                let mut rng = Rng(seed as u64 + 1);
                let mut device = vec![(0, None::<Action>, 0); lanes as usize];
                let mut words = Vec::new();
                for _ in 0..10_000_000 {
                    let lane = rng.below(lanes);
                    let (state, action, output) = &mut device[lane as usize];
                    let verdict;
                    let reply = match *action {
                        Some(Action::Input(_)) => Reply::Output(machine.name(*output)),
                        Some(Action::Hypothesis) => {
                            let hypothesis = session.hypothesis().expect("it was told");
                            verdict = perfect(&hypothesis, &machine);
                            match &verdict {
                                CallerVerdict::Counterexample(word) => Reply::Counterexample(word),
                                _ => Reply::Equivalent,
                            }
                        }
                        Some(Action::Done(_)) => break,
                        _ => Reply::Ready,
                    };
                    let next = session.next(lane, reply).expect("all goes well");
                    match next {
                        Action::Reset => *state = 0,
                        Action::Input(input) => {
                            *output = machine.step(state, input.index());
                            words.push(session.word(lane).map(Input::index).collect::<Vec<_>>());
                        }
                        _ => {}
                    }
                    *action = Some(next);
                }
                words.sort();
                (session.progress().learning, session.progress().rows, words)
            };
            let one = progress(1);
            assert!(one.1 > 1);
            for lanes in [2, 3, 5] {
                assert!(progress(lanes) == one, "{seed} {projections} {lanes}");
            }
        }
    }
}

#[test]
fn in_memory_that_grows_the_same_is_asked() {
    for (seed, machine) in machines(40).enumerate() {
        for projections in FAMILIES {
            let mut roomy = Driver::new(&machine, tree(projections));
            let mut tight = Driver::with_memory(&machine, tree(projections), 1);
            tight.grows = true;
            assert_eq!(roomy.run(perfect), Ok(EndReason::Equivalent));
            assert_eq!(tight.run(perfect), Ok(EndReason::Equivalent));
            assert!(tight.full.len() > 5, "{:?}", tight.full);
            let first = roomy.asked.iter().zip(&tight.asked).position(|(one, other)| one != other);
            assert_eq!(first, None, "{seed} {projections}: {:?}", tight.full);
            assert_eq!(roomy.asked.len(), tight.asked.len(), "{seed} {projections}");
        }
    }
}

#[test]
fn its_own_tests_find_what_is_wrong() {
    let (mut right, mut all) = (0, 0);
    for machine in machines(80) {
        for projections in FAMILIES {
            let options = Options::new().projections(projections).passing_tests(400);
            let mut driver = Driver::new(&machine, options.observations(Observations::Tree));
            assert_eq!(driver.run(only_tests), Ok(EndReason::TestsPassed));
            let is_right =
                matches!(perfect(&driver.hypothesis(), &machine), CallerVerdict::Equivalent);
            right += u32::from(is_right);
            all += 1;
        }
    }
    assert!(right * 100 >= all * 95, "{right} of {all}");
}

/// Only what the device was asked counts: the tree knows the answers to many tests.
#[cfg(feature = "mixture")]
#[test]
fn kinds_of_tests_add_up_to_no_more_than_testing() {
    let mut most = 0;
    for machine in machines(40) {
        for projections in FAMILIES {
            let options = Options::new().projections(projections).passing_tests(300);
            let mut driver = Driver::new(&machine, options.observations(Observations::Tree));
            assert_eq!(driver.run(only_tests), Ok(EndReason::TestsPassed));
            let Progress { tests, testing, .. } = driver.session.progress();
            let kinds: u64 = tests.iter().map(|kind| kind.symbols).sum();
            assert!(kinds <= testing.symbols, "{projections}: {tests:?} of {testing:?}");
            most += u32::from(kinds == testing.symbols);
        }
    }
    assert!(most > 0, "each symbol of testing is one of a kind where nothing is shortened");
}

#[test]
fn an_answer_that_contradicts_the_tree_is_told() {
    let machine = lock(&[1, 0, 2], 3);
    let mut told = 0;
    for lie_at in 1..200 {
        let (mut state, mut asked) = (0, 0);
        let mut device = sul::from_fn(|input: Option<Input>| {
            let Some(input) = input else {
                state = 0;
                return machine.name(0);
            };
            asked += 1;
            let output = machine.step(&mut state, input.index());
            machine.name(if asked == lie_at { 1 - output } else { output })
        });
        let options = Options::new().observations(Observations::Tree);
        let learner = TreeLearner::new(3, options.projections);
        let session = Session::with_learner(vec![0; 1 << 18], learner, options);
        let mut session = session.expect("options");
        match learn(&mut session, &mut device) {
            Err(mealybug_core::ServeError::Session(SessionError::Contradiction(why))) => {
                assert!(why.position < why.word_len && why.before != why.now, "{why:?}");
                told += 1;
            }
            end => assert!(end.is_ok(), "{end:?}"),
        }
    }
    assert!(told > 20, "{told}");
}

/// What a sketch says of the machine after each number of words.
#[test]
fn there_is_a_model_at_any_time() {
    for (seed, machine) in machines(30).enumerate() {
        for projections in FAMILIES {
            let mut driver = Driver::new(&machine, tree(projections));
            let (mut steps, mut seen) = (0_u32, [0_u32; 3]);
            loop {
                let action = driver.step(0, &mut perfect).expect("all goes well");
                if let Action::Done(_) = action {
                    break;
                }
                steps += 1;
                if steps % 37 != 0 {
                    continue;
                }
                driver.session.sketch().expect("plenty of memory");
                let Some(hypothesis) = driver.session.hypothesis() else { continue };
                for input in (0..machine.inputs).map(Input::new) {
                    let mut state: Vec<_> = hypothesis.components().map(|c| c.initial()).collect();
                    let known = hypothesis.knowledge(&state, input);
                    seen[known as usize] += 1;
                    let said = hypothesis.step(&mut state, input);
                    if known != Knowledge::Unknown {
                        let right = machine.step(&mut 0, input.index());
                        let said = said.map(|output| hypothesis.output_name(output));
                        assert_eq!(said, Ok(machine.name(right)), "{seed} {projections}");
                    }
                }
            }
            assert!(seen[Knowledge::Confirmed as usize] > 0 || steps < 80, "{seed} {seen:?}");
            assert_learned(
                &driver.hypothesis(),
                &machine,
                projections,
                "the sketches changed nothing",
            );
            let mut without = Driver::new(&machine, tree(projections));
            assert_eq!(without.run(perfect), Ok(EndReason::Equivalent));
            assert_eq!(without.asked, driver.asked, "{seed} {projections}");
        }
    }
}

/// The counts are those of the sketch, but for answers to tasks that are not done.
#[test]
fn progress_counts_what_is_open_and_what_was_never_asked() {
    let (mut alike, mut all) = (0_u32, 0_u32);
    for machine in machines(30) {
        let mut driver = Driver::new(&machine, tree(Projections::Identity));
        loop {
            let action = driver.step(0, &mut perfect).expect("all goes well");
            let Some(counts) = driver.session.progress().tree else { panic!("it has a tree") };
            match action {
                Action::Done(_) => break,
                Action::Hypothesis => {
                    let states = driver.session.progress().component_states;
                    assert_eq!((counts.open, counts.unknown, counts.states), (0, 0, states));
                    continue;
                }
                Action::Reset if counts.states > 0 => {}
                _ => continue,
            }
            assert_eq!(counts.transitions, counts.states * machine.inputs);
            driver.session.sketch().expect("plenty of memory");
            let hypothesis = driver.session.hypothesis().expect("there is one at any time");
            let component = hypothesis.components().next().expect("one");
            let states = 0..component.states();
            let knowledge = states
                .flat_map(|state| (0..machine.inputs).map(move |input| (state, Input::new(input))))
                .map(|(state, input)| component.knowledge(state, input));
            let (mut open, mut unknown) = (0, 0);
            for known in knowledge {
                open += u32::from(known == Knowledge::Open);
                unknown += u32::from(known == Knowledge::Unknown);
            }
            assert!(unknown <= counts.unknown && open + unknown <= counts.open + counts.unknown);
            alike += u32::from((open, unknown) == (counts.open, counts.unknown));
            all += 1;
        }
    }
    assert!(alike > all / 4, "{alike} of {all}");
}

#[test]
fn options_that_it_does_not_take_are_refused() {
    let options = Options::new().lanes(0);
    let learner = TreeLearner::new(2, options.projections);
    let refused = Session::with_learner(vec![0; 16], learner, options);
    assert_eq!(refused.err(), Some(SessionError::Misuse(Misuse::TooMany)));
    let options = Options::new().observations(Observations::Tree);
    let refused = Session::new(vec![0; 16], 2, options);
    assert_eq!(refused.err(), Some(SessionError::Misuse(Misuse::UnsupportedObservations)));
}

#[test]
fn the_learner_says_what_its_options_are() {
    for projections in [Projections::Identity, Projections::PerInput, Projections::Chosen] {
        let learner = TreeLearner::new(2, projections);
        let session = Session::with_learner(vec![0; 16], learner, Options::new());
        let Options { observations, projections: told, .. } =
            session.expect("good options").summary().options;
        assert_eq!((observations, told), (Observations::Tree, projections));
    }
    let learner = TableLearner::new(2, Projections::Identity);
    let session = Session::with_learner(vec![0; 16], learner, tree(Projections::PerInput));
    let Options { observations, projections, .. } =
        session.expect("good options").summary().options;
    assert_eq!((observations, projections), (Observations::Table, Projections::Identity));
}

/// All repetitions of a small machine are known at some time. A caller without a limit of tests must be able to end it.
#[cfg(feature = "mixture")]
#[test]
fn tests_whose_answers_are_all_known_keep_no_caller_waiting() {
    let machine = TableMachine::toy(3);
    let options = tree(Projections::PerOutput).tests(Tests::Repetition).passing_tests(u64::MAX);
    let mut driver = Driver::new(&machine, options);
    let mut idle = 0;
    while idle < 3 {
        let action = driver.step(0, &mut only_tests).expect("there is room");
        assert!(!matches!(action, Action::Done(_)), "{action:?}");
        idle = if action == Action::Idle { idle + 1 } else { 0 };
    }
    driver.session.stop();
    assert_eq!(driver.step(0, &mut only_tests), Ok(Action::Done(EndReason::Stopped)));
}

#[test]
fn each_answer_that_is_known_comes_after_those_to_the_beginnings_of_its_word() {
    for machine in machines(10) {
        let mut driver = Driver::new(&machine, tree(Projections::Identity));
        assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
        let mut words: Vec<Vec<u32>> = vec![Vec::new()];
        for KnownAnswer { before, input, output } in driver.session.known_answers() {
            let mut word = words[before as usize].clone();
            word.push(input.index());
            let (mut state, mut right) = (0, 0);
            word.iter().for_each(|&input| right = machine.step(&mut state, input));
            assert_eq!(driver.session.output_name(output), machine.name(right), "{word:?}");
            words.push(word);
        }
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert!(words.len() == count && count > 1, "{count} answers, {} words", words.len());
    }
}
