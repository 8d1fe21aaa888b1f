//! Known models: nothing is learned, and tests begin at once.

use crate::common::{Rng, TableMachine, count, known, lock, memory};
use mealybug_core::{
    Action, Costs, EndReason, Input, KnownModel, Mealy, Misuse, NumberedMealy, Options, Output,
    Purpose, Reply, Session, SessionError, Tests, learn, serve,
};

fn options(tests: Tests) -> Options {
    Options::new().tests(tests).product_states(1 << 16)
}

/// The complete suites.
fn suites(extra_states: u32) -> [Tests; 3] {
    [Tests::W { extra_states }, Tests::Wp { extra_states }, Tests::Components { extra_states }]
}

/// The words that a session asks of a device that does what the model does.
fn words_of(session: &mut Session<Vec<u32>, KnownModel>, model: &TableMachine) -> Vec<Vec<u32>> {
    let mut words = Vec::new();
    let mut state = 0;
    let mut reply = Reply::Ready;
    let mut grow = |session: &mut Session<_, _>, error: mealybug_core::CapacityError| {
        session.move_into(memory(error.needed.div_ceil(size_of::<u32>()))).is_ok()
    };
    loop {
        match serve::next(session, 0, reply, &mut grow).expect("a model contradicts nothing") {
            Action::Reset => {
                state = 0;
                words.push(session.word(0).map(|input| input.index()).collect());
                reply = Reply::Ready;
            }
            Action::Input(input) => {
                let output = model.step(&mut state, input.index());
                reply = Reply::Output(&model.names[output as usize]);
            }
            Action::Hypothesis | Action::Idle => reply = Reply::Ready,
            Action::Done(why) => {
                assert!(why.is_converged(), "{why:?}");
                return words;
            }
        }
    }
}

/// The words of tests of a model.
fn words(model: &TableMachine, tests: Tests) -> Vec<Vec<u32>> {
    words_of(&mut known::session(model, options(tests)), model)
}

fn tested(model: &TableMachine, device: &TableMachine, tests: Tests) -> EndReason {
    learn(&mut known::session(model, options(tests)), &mut known::device(device)).expect("memory")
}

#[test]
fn nothing_is_asked_before_it_is_tested() {
    let model = TableMachine::interleaved(&mut Rng(1), 3, 4, 2);
    for tests in [Tests::Mixture, Tests::RandomWp, Tests::Components { extra_states: 0 }] {
        let mut session = known::session(&model, options(tests));
        assert!(session.hypothesis().is_some_and(|hypothesis| hypothesis.components().count() > 5));
        assert_eq!(session.next(0, Reply::Ready), Ok(Action::Hypothesis));
        assert_eq!(session.next(0, Reply::Ready), Ok(Action::Reset));
        assert_eq!(session.purpose(), Purpose::Testing);
        let why = learn(&mut known::session(&model, options(tests)), &mut known::device(&model));
        assert!(why.is_ok_and(EndReason::is_converged));
        words_of(&mut session, &model);
        let progress = session.progress();
        assert_eq!((progress.learning, progress.rounds), (Costs::default(), 1));
        assert!(progress.testing.resets > 0);
    }
}

/// A transition of a model changed, each that there is in each way that there is.
fn wrong_transitions(model: &TableMachine) -> Vec<TableMachine> {
    let outputs = count(model.names.len());
    let mut mutants = Vec::new();
    for state in 0..model.table.len() {
        for input in 0..model.inputs as usize {
            let (next, output) = model.table[state][input];
            let others = (0..model.states()).map(|next| (next, output));
            let others = others.chain((0..outputs).map(|output| (next, output)));
            for other in others.filter(|&other| other != (next, output)) {
                let mut mutant = model.clone();
                mutant.table[state][input] = other;
                mutants.push(mutant);
            }
        }
    }
    mutants
}

/// Suffixes that do not tell all states apart, or access words that do not reach all, would let one of
/// these pass.
#[test]
fn a_device_with_one_wrong_transition_is_refuted() {
    let mut refuted = 0;
    let models = (0..12).map(|seed| match seed % 3 {
        0 => TableMachine::random(&mut Rng(50 + seed), 12, 2, 3),
        1 => TableMachine::interleaved(&mut Rng(50 + seed), 2, 3, 2),
        _ => lock(&[0, 1, 1, 0, 1], 2),
    });
    // All states differ, so that a changed transition is one that shows.
    for model in models.filter(|model| model.states() == model.size()) {
        let words = suites(0).map(|tests| words(&model, tests));
        for mutant in wrong_transitions(&model) {
            for words in &words[..2] {
                let shows = |word: &Vec<u32>| {
                    let (mut a, mut b) = (0, 0);
                    word.iter().any(|&i| model.step(&mut a, i) != mutant.step(&mut b, i))
                };
                assert!(words.iter().any(shows), "{model:?} {mutant:?}");
            }
            refuted += 1;
        }
    }
    assert!(refuted > 2000, "{refuted}");
}

/// What learning would ask beforehand is asked here, too: the suite of the components holds, for each
/// output, the suite of its component, and alone finds a wrong transition of a component.
#[test]
fn a_wrong_transition_of_a_component_is_refuted() {
    let mut refuted = 0;
    for seed in 0..20 {
        // One output in each state alone: the only component that matters is as large as the model.
        let model = TableMachine::random(&mut Rng(70 + seed), 9, 2, 2);
        if model.states() != model.size() || model.states() < 5 {
            continue;
        }
        let words = words(&model, Tests::Components { extra_states: 0 });
        for mutant in wrong_transitions(&model) {
            let shows = |word: &Vec<u32>| {
                let (mut a, mut b) = (0, 0);
                word.iter().any(|&i| model.step(&mut a, i) != mutant.step(&mut b, i))
            };
            assert!(words.iter().any(shows), "{model:?} {mutant:?}");
            refuted += 1;
        }
    }
    assert!(refuted > 500, "{refuted}");
}

#[test]
fn states_that_cannot_be_reached_change_no_test() {
    let reached = TableMachine::random(&mut Rng(2), 9, 3, 3);
    let mut model = reached.clone();
    // They lead to each other and back, and say something else.
    let states = reached.states();
    model.names.push(b"never".to_vec());
    model.table.push(vec![(states + 1, 0), (0, 3), (2, 1)]);
    model.table.push(vec![(states, 1), (states + 1, 3), (1, 3)]);
    for tests in suites(1).into_iter().chain([Tests::RandomWords]) {
        assert_eq!(words(&model, tests), words(&reached, tests), "{tests:?}");
        assert!(tested(&model, &reached, tests).is_converged());
    }
}

#[test]
fn a_model_with_one_state_is_tested() {
    let model = TableMachine::new(vec![vec![(0, 0), (0, 1)]]);
    let other = TableMachine::new(vec![vec![(0, 0), (1, 1)], vec![(0, 1), (0, 1)]]);
    for tests in suites(1).into_iter().chain([Tests::Mixture, Tests::RandomWp]) {
        assert!(tested(&model, &model, tests).is_converged());
        assert_eq!(tested(&model, &other, tests), EndReason::Refuted, "{tests:?}");
    }
    let words = words(&model, Tests::Wp { extra_states: 0 });
    assert!([vec![0], vec![1]].iter().all(|word| words.contains(word)), "{words:?}");
}

/// A device answers names: outputs with one name are one output.
#[test]
fn outputs_with_one_name_are_one() {
    let mut model = TableMachine::random(&mut Rng(3), 9, 3, 4);
    model.names[3] = model.names[1].clone();
    let mut merged = model.clone();
    for (_, output) in merged.table.iter_mut().flatten() {
        *output = if *output == 3 { 1 } else { *output };
    }
    assert_ne!(model, merged);
    for tests in suites(1).into_iter().chain([Tests::Mixture]) {
        assert_eq!(words(&model, tests), words(&merged, tests), "{tests:?}");
        assert!(tested(&model, &merged, tests).is_converged());
    }
}

#[test]
fn too_little_memory_says_how_much_is_needed_and_changes_no_word() {
    let model = TableMachine::interleaved(&mut Rng(4), 3, 4, 2);
    for tests in [Tests::Mixture, Tests::Components { extra_states: 1 }] {
        let (mut size, mut refused) = (0, 0);
        let mut session = loop {
            match Session::of_model(memory(size), &model, options(tests)) {
                Ok(session) => break session,
                Err(SessionError::Capacity(error)) => {
                    assert_eq!(error.capacity, size * size_of::<u32>());
                    assert!(error.needed > error.capacity, "{error}");
                    size = error.needed.div_ceil(size_of::<u32>());
                    refused += 1;
                }
                Err(error) => panic!("{error}"),
            }
        };
        assert!(refused > 5, "{refused}");
        assert_eq!(words_of(&mut session, &model), words(&model, tests));
        assert!(session.capacity_bytes() > size * size_of::<u32>(), "it grew while it tested");
    }
}

/// A model with a number that is too large, or without an output somewhere.
struct BrokenModel {
    initial: u32,
    next: u32,
    output: Option<u32>,
}

impl Mealy for BrokenModel {
    type State = u32;

    fn inputs(&self) -> u32 {
        1
    }

    fn initial(&self) -> u32 {
        self.initial
    }

    fn step(&self, state: &mut u32, _: Input) -> Option<Output> {
        *state = self.next;
        self.output.map(Output::new)
    }
}

impl NumberedMealy for BrokenModel {
    fn outputs(&self) -> u32 {
        1
    }

    fn states(&self) -> u32 {
        2
    }

    fn output_name(&self, _: Output) -> &[u8] {
        b"output"
    }
}

#[test]
fn a_model_that_is_not_complete_or_has_wrong_numbers_is_refused() {
    let made = |initial, next, output| {
        let model = BrokenModel { initial, next, output };
        Session::of_model(memory(1 << 12), &model, Options::new()).map(drop)
    };
    assert_eq!(made(0, 1, Some(0)), Ok(()));
    let refused = Err(SessionError::Misuse(Misuse::InvalidModel));
    for (initial, next, output) in [
        (2, 0, Some(0)),
        (u32::MAX, 0, Some(0)),
        (0, 2, Some(0)),
        (0, u32::MAX, Some(0)),
        (0, 1, Some(1)),
        (0, 1, None),
    ] {
        assert_eq!(made(initial, next, output), refused, "{initial} {next} {output:?}");
    }
}
