//! Advice that is right, nearly right and wrong, and what it costs.

use std::convert::Infallible;

use mealybug_core::{EndReason, Options, Projections, Purpose, Tests};

use super::*;
use crate::algorithm::Algorithm;
use crate::demo_lock::DemoLock;
use crate::learn::{
    Counted, HostSession, Limits, ObserveRun, Oracle, Outcome, Verdict, learn, new_session,
};
use crate::learned_components::LearnedComponents;
use crate::machine::testing::{Random, partial, random};
use crate::machine::{Builder, separate};
use crate::simulate::Simulated;

/// What a run asked until its hypothesis was right.
struct RunUntilRight {
    symbols: u64,
    /// All words that were asked.
    words: Vec<Vec<Input>>,
    advised: Vec<Advised>,
    news: Vec<String>,
}

/// Follows advice and ends the run when the hypothesis is right.
struct AdvisedRun<'m> {
    advice: Advice,
    oracle: Oracle<'m>,
    has_perfect_tests: bool,
    words: Vec<Vec<Input>>,
}

impl ObserveRun<Infallible> for AdvisedRun<'_> {
    fn heard(&mut self, position: usize, output: &[u8]) {
        self.advice.hear(position, output);
    }

    fn answered(&mut self, _: Purpose, word: &[Input]) {
        self.advice.answered(word);
        self.words.push(word.to_vec());
    }

    fn hypothesis(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
        let round = session.progress().rounds;
        self.advice.settle(round);
        let Some(cex) = self.oracle.counterexample(hypothesis) else { return Verdict::Equivalent };
        match self.advice.word(round, hypothesis) {
            Some(word) => Verdict::Advice(word),
            None if self.has_perfect_tests => Verdict::Counterexample(cex),
            None => Verdict::Test,
        }
    }
}

/// Learns a machine with advice until the hypothesis is right. Returns the session and the run.
fn learn_with<'m>(
    machine: &'m Machine,
    advice: Advice,
    options: Options,
) -> (HostSession, AdvisedRun<'m>) {
    let inputs = Mealy::inputs(machine);
    let mut session = new_session(vec![0; 1 << 12], inputs, options).expect("inputs");
    let mut device = Counted::new(Simulated::new(machine));
    let has_perfect_tests = options.tests == Tests::External;
    let oracle = Oracle::new(machine);
    let mut run = AdvisedRun { advice, oracle, has_perfect_tests, words: Vec::new() };
    let ending = learn(&mut session, &mut device, &Limits::UNLIMITED, &mut run);
    assert!(matches!(ending, Outcome::Session(EndReason::Equivalent)), "{ending:?}");
    (session, run)
}

/// Learns a machine with the given older models, until the hypothesis is right and there is no more
/// advice.
fn run(machine: &Machine, older: &[&Machine], algorithm: Algorithm, tests: Tests) -> RunUntilRight {
    let options = algorithm.options().tests(tests).passing_tests(u64::MAX);
    let named = (1..).zip(older).map(|(number, &machine)| OlderModel {
        name: format!("old {number}"),
        machine: machine.clone(),
    });
    let advice = Advice::new(machine.inputs(), named);
    let (session, AdvisedRun { mut advice, words, .. }) = learn_with(machine, advice, options);
    let hypothesis = session.hypothesis().expect("it is right");
    let learned = LearnedComponents::new(hypothesis, machine.inputs(), Projections::PerOutput)
        .product(10_000)
        .expect("a machine");
    assert_eq!(separate(&learned, machine), Ok(None));
    let symbols = words.iter().map(|word| word.len() as u64).sum();
    RunUntilRight { symbols, words, advised: advice.advised().collect(), news: advice.take_news() }
}

/// A safe whose code random words do not find: a right key is answered like a wrong one.
fn safe(code: &str, keys: &str, closed: &str) -> Machine {
    let mut safe = Builder::default();
    let opened = format!("no longer {closed}");
    let states = u32::try_from(code.len()).expect("few");
    for (state, right) in (0..states).zip(code.chars()) {
        for key in keys.chars() {
            let is_last = state + 1 == states;
            let (to, output) = match key == right {
                true if is_last => (0, opened.as_str()),
                true => (state + 1, closed),
                false => (0, closed),
            };
            safe.add(state, &key.to_string(), to, output).expect("new");
        }
    }
    safe.build(0).expect("complete")
}

fn of_all(mut check: impl FnMut(Algorithm)) {
    Algorithm::ALL.into_iter().for_each(&mut check);
}

#[test]
fn the_same_model_is_all_that_is_needed() {
    let safe = safe("abccba", "abc", "shut");
    of_all(|algorithm| {
        let [without, with] = [&[][..], &[&safe]]
            .map(|older: &[&Machine]| run(&safe, older, algorithm, Tests::RandomWords));
        assert!(with.symbols * 2 < without.symbols, "{algorithm}: {}", with.symbols);
        let [Advised { asked, helped, is_followed, .. }] = &with.advised[..] else { panic!() };
        assert!(*helped > 0 && *helped == asked.resets, "{algorithm}: {:?}", with.advised);
        assert!(*is_followed && with.news.is_empty(), "{:?}", with.news);
    });
}

#[test]
fn a_changed_model_helps_and_is_not_believed() {
    let older = safe("abccba", "abc", "shut");
    // A wrong key beeps; another wrong key leads to a different state.
    let mut device = Builder::default();
    for (from, input, to, output) in older.named_transitions() {
        let (to, output) = match (from, input) {
            (2, "a") => (2, "beep"),
            (4, "c") => (1, output),
            _ => (to, output),
        };
        device.add(from, input, to, output).expect("new");
    }
    let device = device.build(0).expect("complete");
    of_all(|algorithm| {
        let [without, with] = [&[][..], &[&older]]
            .map(|older: &[&Machine]| run(&device, older, algorithm, Tests::RandomWords));
        assert!(with.advised[0].helped > 0, "{algorithm}: {:?}", with.advised);
        let symbols = (with.symbols, without.symbols);
        assert!(symbols.0 * 4 < symbols.1 * 3, "{algorithm}: {symbols:?}");
    });
}

/// The device has an input that the older model lacks, and lacks one that the older model has.
#[test]
fn models_with_other_inputs_advise_on_those_in_common() {
    let older = safe("abccba", "abcx", "shut");
    let device = safe("abccba", "dabc", "shut");
    of_all(|algorithm| {
        let run = run(&device, &[&older], algorithm, Tests::Mixture);
        let Advised { asked, helped, .. } = &run.advised[0];
        assert!(*helped > 0 && *helped == asked.resets, "{algorithm}: {:?}", run.advised);
    });
}

/// Every random machine is advised by every other one with the same inputs and outputs. Advice that
/// fails costs at most an eighth of the run and one word.
#[test]
fn unrelated_models_cost_little() {
    let mut source = Random::new(5);
    let (mut failed, mut dropped) = (0, 0);
    for number in 0..120 {
        let device = random(&mut source, 30, 3, 2);
        let older = match number % 2 {
            0 => random(&mut source, 30, 3, 2),
            _ => partial(&mut source, 30, 3, 2),
        };
        of_all(|algorithm| {
            let run = run(&device, &[&older], algorithm, Tests::External);
            let Advised { asked, helped, .. } = &run.advised[0];
            failed += asked.resets - helped;
            let says = format!(
                "old 1 is no longer followed, unless the run gets much longer: {helped} of"
            );
            dropped += u32::from(run.news.iter().any(|news| news.starts_with(&says)));
            let words = run.words.len() as u64;
            let allowed = (words / SHARE + 1).max(*helped + 1);
            assert!(asked.resets - helped <= allowed, "{number} {algorithm}: {:?}", run.advised);
        });
    }
    assert!(failed > 300 && dropped > 20, "{failed} words did not help, {dropped} dropped");
}

#[test]
fn without_a_common_input_or_output_nothing_is_asked() {
    let device = safe("abca", "abc", "shut");
    let none = run(&device, &[], Algorithm::OlSharp, Tests::External);
    let other_inputs = safe("xyxx", "xyz", "shut");
    let other_outputs = safe("abca", "abc", "closed");
    let older = [&other_inputs, &other_outputs];
    of_all(|algorithm| {
        let alone = run(&device, &[], algorithm, Tests::External);
        let run = run(&device, &older, algorithm, Tests::External);
        assert_eq!(run.words, alone.words, "{algorithm}");
        assert!(run.advised.iter().all(|advised| !advised.is_followed), "{:?}", run.advised);
        let news = run.news.join("\n");
        assert_eq!(
            news,
            "old 1 gives no advice: it has none of the device's inputs\n\
             old 2 is not followed: the device has said none of its outputs so far"
        );
    });
    assert!(none.news.is_empty() && none.advised.is_empty());
}

/// A transition that a partial model does not know is no difference, and the search follows no
/// guess.
#[test]
fn a_partial_model_advises_what_it_knows() {
    let device = safe("abca", "abc", "shut");
    let whole = |machine: &Machine, is_left: fn(u32, &str) -> Option<bool>| {
        let mut builder = Builder::default();
        for (from, input, to, output) in machine.named_transitions() {
            match is_left(from, input) {
                Some(false) => builder.add(from, input, to, output).expect("new"),
                Some(true) => builder.add_open(from, input, to, output).expect("new"),
                None => {}
            }
        }
        builder.build_partial(0)
    };
    let code = |state: u32| ["a", "b", "c", "a"][state as usize];
    assert_eq!(code(3), "a");
    // Only the way to the end is known.
    let way = whole(&device, |from, input| {
        (["a", "b", "c", "a"][from as usize] == input).then_some(false)
    });
    // A guess stands in the way.
    let guess = whole(&device, |from, _| Some(from == 1));
    of_all(|algorithm| {
        let with = run(&device, &[&way], algorithm, Tests::External);
        assert!(with.advised[0].helped > 0, "{algorithm}: {:?}", with.advised);
        let with = run(&device, &[&guess], algorithm, Tests::External);
        assert_eq!(with.advised[0].asked.resets, 0, "{algorithm}: {:?}", with.advised);
    });
}

#[test]
fn each_of_several_models_has_a_trust_of_its_own() {
    let device = safe("abccba", "abc", "shut");
    let wrong = safe("cbaabccba", "abc", "shut");
    of_all(|algorithm| {
        let run = run(&device, &[&wrong, &device], algorithm, Tests::Mixture);
        let [first, second] = &run.advised[..] else { panic!() };
        assert!(first.asked.resets > first.helped, "{algorithm}: {:?}", run.advised);
        assert!(second.helped > 0 && second.is_followed, "{algorithm}: {:?}", run.advised);
    });
}

/// A session that starts again asks the same words again.
#[test]
fn advice_begins_anew_with_its_session() {
    let lock = DemoLock::machine();
    let older = OlderModel { name: "old".into(), machine: safe("1234", "0123", "shut") };
    let older_lock = OlderModel { name: "lock".into(), machine: lock.clone() };
    let options = Options::new().tests(Tests::External);
    let mut advice = Advice::new(lock.inputs(), [older, older_lock]);
    let mut runs = Vec::new();
    for _ in 0..2 {
        advice.begin_anew();
        let (_, run) = learn_with(&lock, advice, options);
        advice = run.advice;
        assert!(advice.total().helped > 0);
        runs.push((run.words, advice.total()));
    }
    assert_eq!(runs[0], runs[1]);
}
