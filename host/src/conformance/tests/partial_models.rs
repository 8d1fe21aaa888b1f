//! Tests against models with gaps.

use super::*;

/// A device that records the words it is asked.
struct RecordedWords<'m> {
    device: Simulated<'m>,
    words: Vec<Vec<Input>>,
}

impl Sul for &mut RecordedWords<'_> {
    type Error = std::convert::Infallible;

    fn reset(&mut self) -> Result<(), Self::Error> {
        self.words.push(Vec::new());
        self.device.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Self::Error> {
        self.words.last_mut().expect("a reset comes first").push(input);
        self.device.step(input)
    }
}

/// A partial model of the very device finds no difference, neither at its gaps nor beyond them.
#[test]
fn what_a_model_does_not_know_is_neither_asked_nor_judged() {
    let mut source = Random::new(12);
    let (mut guesses, mut hidden) = (0, 0);
    for tests in [Tests::Mixture, Tests::RandomWp, Tests::Wp { extra_states: 1 }]
        .into_iter()
        .cycle()
        .take(60)
    {
        let whole = random(&mut source, 8, 3, 2);
        let mut builder = crate::machine::Builder::default();
        for (from, by, to, output) in whole.named_transitions() {
            let is_first = from == whole.initial() && by == "i0";
            let guess = source.below(whole.states());
            match source.below(4) {
                0 if !is_first => {}
                1 => builder.add_open(from, by, guess, output).expect("each transition once"),
                _ => builder.add(from, by, to, output).expect("each transition once"),
            }
        }
        let model = builder.build_partial(whole.initial());
        // An input that is never asked is not in the model, so the inputs differ.
        if model.inputs() != whole.inputs() {
            continue;
        }
        let mut device = RecordedWords { device: Simulated::new(&whole), words: Vec::new() };
        let tested = test(&model, stored(&mut device), options(tests), &LIMITS, true, &mut Quiet);
        assert!(matches!(tested.ending, TestOutcome::Over(_)), "{tested:?}");
        assert_eq!(tested.differences, []);
        assert_eq!(tested.tests, device.words.len() as u64);
        for word in &device.words {
            let mut state = model.initial();
            for (at, &input) in word.iter().enumerate() {
                let known = model.transition(state, input).expect("only what is known is asked");
                assert!(!known.is_open || at + 1 == word.len(), "nothing follows a guess");
                state = known.target;
                guesses += u32::from(known.is_open);
            }
            assert!(!word.is_empty());
        }
        let (taken, all) = tested.covered(&model);
        assert!(taken <= all && all <= 3 * u64::from(model.states()) - model.gaps().unknown);
        hidden += u32::from(model.gaps().unknown > 0);
    }
    assert!(guesses > 100 && hidden > 20, "{guesses} {hidden}");
}

/// The model does not know `b` in state 2, and guesses where `b` leads from state 1, where it knows
/// the output. It knows everything else.
#[test]
fn a_mutant_is_found_where_a_partial_model_knows() {
    let whole =
        [(0, "a", 1, "x"), (1, "a", 2, "x"), (2, "a", 0, "y"), (0, "b", 0, "x"), (1, "b", 1, "z")];
    let mut model = crate::machine::Builder::default();
    for &(from, input, to, output) in &whole[..4] {
        model.add(from, input, to, output).expect("each transition once");
    }
    model.add_open(1, "b", 0, "z").expect("each transition once");
    let model = model.build_partial(0);
    for (at, expected) in [(2, "y"), (4, "z")] {
        let mut device = crate::machine::Builder::default();
        for (number, &(from, input, to, output)) in whole.iter().enumerate() {
            let output = if number == at { "mutated" } else { output };
            device.add(from, input, to, output).expect("each transition once");
        }
        device.add(2, "b", 1, "never seen").expect("each transition once");
        let device = device.build(0).expect("complete");
        for tests in [Tests::Mixture, Tests::RandomWp, Tests::Wp { extra_states: 0 }] {
            let tested = test(
                &model,
                stored(Simulated::new(&device)),
                options(tests),
                &LIMITS,
                true,
                &mut Quiet,
            );
            let [difference] = &tested.differences[..] else { panic!("{tested:?}") };
            assert_eq!((&*difference.expected, &*difference.said), (expected, "mutated"));
            assert_eq!(tested.covered(&model), (5, 5));
        }
    }
}
