//! Tests against devices that are mutants of their model.

mod partial_models;

use std::convert::Infallible;

use mealybug_core::{Tests, sul};

use super::*;
use crate::machine::separate;
use crate::machine::testing::{Random, random};
use crate::simulate::Simulated;
use crate::store::{LineRules, Store};

struct Quiet;

impl<E> ObserveTests<E> for Quiet {}

const LIMITS: Limits<'static> = Limits { memory_bytes: 1 << 24, ..Limits::UNLIMITED };

fn options(tests: Tests) -> Options {
    Options::new().tests(tests).passing_tests(2000)
}

fn stored<S: Sul>(device: S) -> Stored<S> {
    Stored::new(device, Store::in_memory())
}

fn tested<S: Sul<Error: Error + 'static>>(
    model: &Machine,
    device: S,
    keeps_going: bool,
) -> Tested<S::Error> {
    test(model, stored(device), options(Tests::RandomWp), &LIMITS, keeps_going, &mut Quiet)
}

/// `model` with a different output at a random transition.
fn mutant(model: &Machine, random: &mut Random) -> Machine {
    let (state, input) = (random.below(model.states()), random.below(Mealy::inputs(model)));
    let mut builder = crate::machine::Builder::default();
    for (from, by, to, output) in model.named_transitions() {
        let is_it = from == state && model.find_input(by) == Some(Input::new(input));
        let output = if is_it { "mutated" } else { output };
        builder.add(from, by, to, output).expect("each transition once");
    }
    builder.build(model.initial()).expect("complete")
}

#[test]
fn a_device_that_does_what_the_model_says_passes() {
    let mut source = Random::new(1);
    for tests in [Tests::RandomWp, Tests::RandomWords, Tests::Wp { extra_states: 1 }] {
        let model = random(&mut source, 8, 3, 2);
        let device = Simulated::new(&model);
        let tested = test(&model, stored(device), options(tests), &LIMITS, false, &mut Quiet);
        assert!(
            matches!(tested.ending, TestOutcome::Over(why) if why.is_converged()),
            "{tested:?}"
        );
        assert!(tested.differences.is_empty());
        assert_eq!(tested.costs.resets, tested.tests);
        assert!(tested.tests > 0);
        let is_random = !matches!(tests, Tests::Wp { .. });
        assert!(!is_random || tested.tests == 2000, "{}", tested.tests);
    }
}

#[test]
fn a_mutant_is_found_and_its_word_cannot_be_made_shorter() {
    let mut source = Random::new(2);
    let mut found = 0;
    for _ in 0..50 {
        let model = random(&mut source, 8, 3, 2);
        let other = mutant(&model, &mut source);
        let shortest = separate(&model, &other).expect("the same inputs");
        let tested = tested(&model, Simulated::new(&other), false);
        let Some(shortest) = shortest else {
            assert!(matches!(tested.ending, TestOutcome::Over(_)), "no word gets there");
            continue;
        };
        found += 1;
        assert!(matches!(tested.ending, TestOutcome::Deviation), "{:?}", tested.ending);
        let [Deviation { word, said, expected, .. }] = &tested.differences[..] else {
            panic!("{:?}", tested.differences);
        };
        assert!(word.len() >= shortest.len());
        assert_eq!(said, "mutated");
        assert_ne!(expected, "mutated");
        for left_out in 0..word.len() {
            let mut shorter = word.clone();
            shorter.remove(left_out);
            let run = |machine: &Machine| {
                let mut state = machine.initial();
                let step = |&input: &Input| {
                    let (next, output) = machine.expect_transition(state, input);
                    state = next;
                    machine.output_name(output).to_owned()
                };
                shorter.iter().map(step).collect::<Vec<_>>()
            };
            assert_eq!(run(&model), run(&other), "an input too many: {word:?}");
        }
    }
    assert!(found > 30, "{found}");
}

/// A mutant differs in one output. A mutant with another target might have more states per
/// component than the suite covers.
#[test]
fn the_suites_of_components_find_what_is_planted_and_pass_an_equal_device() {
    let mut source = Random::new(9);
    let mut found = 0;
    for extra_states in [0, 1] {
        let options = options(Tests::Components { extra_states });
        for _ in 0..30 {
            let model = random(&mut source, 20, 3, 4);
            let reached = model.access_words().states().len();
            if reached < 10 {
                continue;
            }
            let equal =
                test(&model, stored(Simulated::new(&model)), options, &LIMITS, false, &mut Quiet);
            assert!(matches!(equal.ending, TestOutcome::Over(EndReason::SuitePassed)), "{equal:?}");
            assert!(equal.differences.is_empty());
            let (taken, all) = equal.covered(&model);
            assert_eq!(taken, all, "each transition of the model was taken");
            let other = mutant(&model, &mut source);
            if separate(&model, &other).expect("the same inputs").is_none() {
                continue;
            }
            found += 1;
            for keeps_going in [false, true] {
                let device = Simulated::new(&other);
                let tested =
                    test(&model, stored(device), options, &LIMITS, keeps_going, &mut Quiet);
                let [difference] = &tested.differences[..] else { panic!("{tested:?}") };
                assert_eq!(difference.said, "mutated");
                assert_eq!(matches!(tested.ending, TestOutcome::Deviation), !keeps_going);
                assert!(!keeps_going || tested.tests == equal.tests, "all tests are asked");
            }
        }
    }
    assert!(found > 15, "{found}");
}

#[test]
fn a_model_of_too_many_inputs_is_refused() {
    let mut builder = crate::machine::Builder::default();
    for input in 0..=1 << 16 {
        builder.add(0, &format!("i{input}"), 0, "x").expect("each once");
    }
    let model = builder.build(0).expect("complete");
    let refused = tested(&model, Simulated::new(&model), false);
    assert!(matches!(refused.ending, TestOutcome::Refused(_)), "{:?}", refused.ending);
    assert_eq!(refused.tests, 0);
}

#[test]
fn too_little_memory_ends_the_tests_and_is_told_of() {
    let model = random(&mut Random::new(10), 40, 3, 4);
    let tests = Tests::Wp { extra_states: 1 };
    let tested = |memory_bytes| {
        let limits = Limits { memory_bytes, ..LIMITS };
        test(&model, stored(Simulated::new(&model)), options(tests), &limits, false, &mut Quiet)
    };
    let little = tested(1000);
    let TestOutcome::Memory(error) = little.ending else { panic!("{little:?}") };
    assert!(error.needed > 1000 && error.capacity <= 1000, "{error:?}");
    assert_eq!((little.tests, little.costs), (0, Costs::default()));
    assert!(matches!(tested(1 << 20).ending, TestOutcome::Over(EndReason::SuitePassed)));
}

#[test]
fn states_that_cannot_be_reached_change_nothing() {
    let lines = [(0, "a", 1, "x"), (0, "b", 0, "y"), (1, "a", 0, "y"), (1, "b", 1, "x")];
    let beyond = [(2, "a", 0, "never"), (2, "b", 2, "x")];
    let machine = |lines: &[(u32, &str, u32, &str)]| {
        let mut builder = crate::machine::Builder::default();
        for &(from, input, to, output) in lines {
            builder.add(from, input, to, output).expect("each transition once");
        }
        builder.build(0).expect("complete")
    };
    let (reached, model) = (machine(&lines), machine(&[&lines[..], &beyond[..]].concat()));
    assert_eq!(model.states(), 3);
    for tests in [Tests::Wp { extra_states: 1 }, Tests::Components { extra_states: 1 }] {
        let ask = |model| {
            test(
                model,
                stored(Simulated::new(&reached)),
                options(tests),
                &LIMITS,
                false,
                &mut Quiet,
            )
        };
        let (tested, known) = (ask(&model), ask(&reached));
        assert!(matches!(tested.ending, TestOutcome::Over(EndReason::SuitePassed)), "{tested:?}");
        assert_eq!(tested.costs, known.costs);
        assert_eq!(tested.covered(&model), (4, 4));
    }
}

#[test]
fn all_differences_are_found_when_wanted_each_once() {
    let mut source = Random::new(5);
    let model = random(&mut source, 6, 3, 2);
    let mut other = model.clone();
    while separate(&model, &other).expect("the same inputs").is_none() {
        other = mutant(&mutant(&model, &mut source), &mut source);
    }
    let tested = tested(&model, Simulated::new(&other), true);
    assert!(matches!(tested.ending, TestOutcome::Over(_)), "{:?}", tested.ending);
    assert!(
        !tested.differences.is_empty() && tested.differences.len() <= 2,
        "{:?}",
        tested.differences
    );
    assert!(tested.differences[0].tests > 1);
    assert_eq!(tested.tests, 2000);
}

/// The device says `other` whenever `is_other` of the number of its symbol.
fn tested_where(is_other: impl Fn(u64) -> bool) -> Tested<std::convert::Infallible> {
    let model = random(&mut Random::new(7), 6, 3, 2);
    let (mut state, mut steps) = (0, 0);
    let device = sul::from_fn(|input| {
        let Some(input) = input else {
            state = model.initial();
            return String::new();
        };
        steps += 1;
        let (next, output) = model.expect_transition(state, input);
        state = next;
        if is_other(steps) { "other".to_owned() } else { model.output_name(output).to_owned() }
    });
    test(&model, stored(device), options(Tests::RandomWp), &LIMITS, false, &mut Quiet)
}

#[test]
fn a_wrong_answer_is_noise_unless_the_device_repeats_it() {
    let clean = tested_where(|_| false);
    let once = tested_where(|step| step == 100);
    assert!(matches!(once.ending, TestOutcome::Over(_)), "{once:?}");
    assert_eq!((once.contradictions, once.differences.len()), (1, 0));
    assert!(once.costs.resets <= clean.costs.resets + 2, "{:?}", once.costs);
    let often = tested_where(|step| step % 97 == 0);
    assert!(matches!(often.ending, TestOutcome::Over(_)), "{often:?}");
    assert!(often.contradictions > 50 && often.differences.is_empty(), "{often:?}");
}

/// Two answers that agree by chance are no difference: the device is known to be wrong now and then.
#[test]
fn a_noisy_device_that_does_what_the_model_says_passes() {
    let mut source = Random::new(1);
    let model = random(&mut source, 8, 3, 2);
    for seed in 0..40 {
        let (mut noise, mut state) = (Random::new(seed), model.initial());
        let device = sul::from_fn(|input| {
            let Some(input) = input else {
                state = model.initial();
                return String::new();
            };
            let (next, output) = model.expect_transition(state, input);
            state = next;
            let outputs = model.outputs();
            let shift = usize::from(noise.below(50) == 0);
            outputs[(output.index() as usize + shift) % outputs.len()].clone()
        });
        let tested = tested(&model, device, false);
        assert!(tested.differences.is_empty() && tested.contradictions > 20, "{seed}: {tested:?}");
        assert!(matches!(tested.ending, TestOutcome::Over(_)), "{seed}: {tested:?}");
    }
}

/// Answers the fourth and each later `c` after a reset with `y`, and fails for good when it has done so `answers` times.
struct FailsLater {
    asked: u32,
    answers: u32,
}

impl Sul for FailsLater {
    type Error = std::fmt::Error;

    fn reset(&mut self) -> Result<(), std::fmt::Error> {
        self.asked = 0;
        if self.answers == 0 { Err(std::fmt::Error) } else { Ok(()) }
    }

    fn step(&mut self, input: Input) -> Result<&[u8], std::fmt::Error> {
        self.asked += u32::from(input == Input::new(2));
        if input != Input::new(2) || self.asked < 4 {
            return Ok(b"x");
        }
        self.answers = self.answers.checked_sub(1).ok_or(std::fmt::Error)?;
        Ok(b"y")
    }
}

/// A model of one state, which answers `x` to everything.
fn flat() -> Machine {
    let mut builder = crate::machine::Builder::default();
    for input in ["a", "b", "c"] {
        builder.add(0, input, 0, "x").expect("each transition once");
    }
    builder.build(0).expect("complete")
}

/// A model of three states, each of which answers `x` to `b` and `c`, and stays; `a` leads to the next one.
fn cycle() -> Machine {
    let mut builder = crate::machine::Builder::default();
    for from in 0..3 {
        for (input, to, output) in [
            ("a", (from + 1) % 3, if from == 2 { "wrap" } else { "x" }),
            ("b", from, "x"),
            ("c", from, "x"),
        ] {
            builder.add(from, input, to, output).expect("each transition once");
        }
    }
    builder.build(0).expect("complete")
}

#[test]
fn a_difference_that_is_confirmed_stays_one_whatever_happens_then() {
    let model = flat();
    // It fails before the difference is confirmed, while its word is shortened, or not at all.
    let found = (1..40).map(|answers| tested(&model, FailsLater { asked: 0, answers }, false));
    let found: Vec<_> = found
        .map(|it| (matches!(it.ending, TestOutcome::Failure(_)), it.differences.len()))
        .collect();
    for end in [(true, 0), (true, 1), (false, 1)] {
        assert!(found.contains(&end), "{end:?} in {found:?}");
    }
    assert!(!found.contains(&(false, 0)), "{found:?}");
}

/// An output that is wrong in several states differs in each of them, though the shortest word shows one.
#[test]
fn each_transition_that_differs_is_told_of() {
    let model = cycle();
    let mut builder = crate::machine::Builder::default();
    for (from, by, to, output) in model.named_transitions() {
        let output = if by == "c" { "y" } else { output };
        builder.add(from, by, to, output).expect("each transition once");
    }
    let other = builder.build(0).expect("complete");
    let tested = tested(&model, Simulated::new(&other), true);
    let mut states: Vec<_> = tested.differences.iter().map(|it| it.state).collect();
    states.sort_unstable();
    assert_eq!(states, [0, 1, 2]);
    let words: Vec<_> = tested.differences.iter().map(|it| it.word.len()).collect();
    assert_eq!(words.iter().sum::<usize>(), 1 + 2 + 3, "{words:?}");
    assert!(
        tested.costs.resets < tested.tests * 3 / 2,
        "words are shortened once: {:?}",
        tested.costs
    );
}

#[test]
fn a_device_that_changes_meanwhile_ends_the_tests() {
    let tested = tested_where(|step| step > 100);
    let TestOutcome::Unstable(Unsettled { answers, .. }) = &tested.ending else {
        panic!("{tested:?}");
    };
    assert!(answers.len() > 1 && tested.contradictions > 1, "{tested:?}");
}

/// A device whose answer to one word was taken for finished too early: the rest of it fails the reset after it.
struct SaysMore<'m> {
    device: Simulated<'m>,
    word: Vec<Input>,
    /// The word of the unfinished answer, once somebody looks after it.
    unfinished: Option<Vec<Input>>,
    is_reset_to_fail: bool,
}

impl Sul for SaysMore<'_> {
    type Error = std::fmt::Error;

    fn reset(&mut self) -> Result<(), std::fmt::Error> {
        if std::mem::take(&mut self.is_reset_to_fail) {
            return Err(std::fmt::Error);
        }
        self.word.clear();
        self.device.reset().map_err(|never| match never {})
    }

    fn step(&mut self, input: Input) -> Result<&[u8], std::fmt::Error> {
        self.word.push(input);
        let output = self.device.step(input).map_err(|never| match never {})?;
        Ok(if self.unfinished.as_ref() == Some(&self.word) { b"all of it" } else { output })
    }
}

/// Asks a word again until it has failed 30 times since the device answered last.
#[derive(Default)]
struct AsksAgain {
    failures: u32,
}

impl<E> ObserveTests<E> for AsksAgain {
    fn answered(&mut self) {
        self.failures = 0;
    }

    fn retry(&mut self, _: &Failure<E>, _: &Tally) -> bool {
        self.failures += 1;
        self.failures < 30
    }
}

#[test]
fn the_last_test_is_asked_again_where_something_came_after_it() {
    let mut source = Random::new(1);
    let model = random(&mut source, 8, 3, 2);
    let device = SaysMore {
        device: Simulated::new(&model),
        word: Vec::new(),
        unfinished: None,
        is_reset_to_fail: false,
    };
    let is_followed = |device: &mut SaysMore<'_>| {
        device.is_reset_to_fail = device.unfinished.is_none();
        device.unfinished.get_or_insert_with(|| device.word.clone());
        true
    };
    let device = stored(device).with_line(LineRules { is_followed, ..LineRules::default() });
    let watch = &mut AsksAgain::default();
    let tested = test(&model, device, options(Tests::RandomWp), &LIMITS, false, watch);
    assert_eq!((tested.tests, tested.retries), (2000, 1));
    assert!(matches!(tested.ending, TestOutcome::Deviation), "{:?}", tested.ending);
    let [difference] = &tested.differences[..] else { panic!("{tested:?}") };
    assert_eq!(difference.said, "all of it");
}

/// A device whose every fourth reset fails, and which answers the ninth and each later `c` with `y`.
#[derive(Default)]
struct FailsResets {
    resets: u32,
    asked: u32,
}

impl Sul for FailsResets {
    type Error = std::fmt::Error;

    fn reset(&mut self) -> Result<(), std::fmt::Error> {
        self.resets += 1;
        self.asked = 0;
        if self.resets.is_multiple_of(4) { Err(std::fmt::Error) } else { Ok(()) }
    }

    fn step(&mut self, input: Input) -> Result<&[u8], std::fmt::Error> {
        self.asked += u32::from(input == Input::new(2));
        Ok(if self.asked < 9 { b"x" } else { b"y" })
    }
}

/// To shorten a word takes many others, and each that is answered shows that the device is there.
#[test]
fn a_word_is_shortened_though_resets_fail_now_and_then() {
    let (model, watch) = (flat(), &mut AsksAgain::default());
    let options = options(Tests::RandomWords).passing_tests(1_000_000);
    let tested = test(&model, stored(FailsResets::default()), options, &LIMITS, false, watch);
    assert!(matches!(tested.ending, TestOutcome::Deviation), "{:?}", tested.ending);
    assert_eq!(tested.differences[0].word, [Input::new(2); 9]);
}

/// Answers `c` with `y` unless an `a` came before it, and `b` if a `c` did.
#[derive(Default)]
struct Masked {
    has_a: bool,
    has_c: bool,
}

impl Sul for Masked {
    type Error = Infallible;

    fn reset(&mut self) -> Result<(), Infallible> {
        *self = Self::default();
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
        self.has_a |= input == Input::new(0);
        self.has_c |= input == Input::new(2);
        let is_other = match input.index() {
            1 => self.has_c,
            2 => !self.has_a,
            _ => false,
        };
        Ok(if is_other { b"y" } else { b"x" })
    }
}

/// A test shows that `b` differs after `a c`; to leave out the `a` shows that `c` does.
#[test]
fn a_difference_that_shortening_shows_is_told_of() {
    let model = flat();
    let of_one_test = |seed| {
        let options = options(Tests::RandomWords).passing_tests(1).seed(seed);
        test(&model, stored(Masked::default()), options, &LIMITS, true, &mut Quiet)
    };
    let both = (0..200).map(of_one_test).find(|tested| tested.differences.len() == 2);
    let both = both.expect("a test shows both");
    assert_eq!(both.tests, 1);
    let words = both.differences.iter().map(|it| it.word.iter().map(|input| input.index()));
    let words: Vec<Vec<_>> = words.map(Iterator::collect).collect();
    assert_eq!(words, [vec![0, 2, 1], vec![2]]);
}

#[test]
fn symbols_are_limited() {
    let mut source = Random::new(1);
    let model = random(&mut source, 8, 3, 2);
    let mut options = options(Tests::RandomWp);
    options.budget.symbols = 100;
    let tested = test(&model, stored(Simulated::new(&model)), options, &LIMITS, false, &mut Quiet);
    assert!(matches!(tested.ending, TestOutcome::Symbols), "{:?}", tested.ending);
    assert!((100..200).contains(&tested.costs.symbols), "{:?}", tested.costs);
}
