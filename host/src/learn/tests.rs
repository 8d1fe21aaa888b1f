//! The loop, with various devices and limits.

use std::fmt;
use std::sync::atomic::AtomicBool;

use mealybug_core::{Budget, Observations, Options, Projections, Sul, Tests};

use super::*;
use crate::advice::{Advice, OlderModel};
use crate::demo_lock::DemoLock;
use crate::learned_components::LearnedComponents;
use crate::machine::{Builder, Machine, separate};
use crate::simulate::Simulated;
use crate::store::{Store, Stored};

/// A device that fails at every `fails_every`-th symbol.
struct Flaky<'m> {
    lock: Simulated<'m>,
    symbols: u32,
    fails_every: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SymbolFailed;

impl fmt::Display for SymbolFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broken")
    }
}

impl Error for SymbolFailed {}

impl Sul for Flaky<'_> {
    type Error = SymbolFailed;

    fn reset(&mut self) -> Result<(), SymbolFailed> {
        self.lock.reset().map_err(|never| match never {})
    }

    fn step(&mut self, input: Input) -> Result<&[u8], SymbolFailed> {
        self.symbols += 1;
        if self.symbols.is_multiple_of(self.fails_every) {
            return Err(SymbolFailed);
        }
        self.lock.step(input).map_err(|never| match never {})
    }
}

/// Asks a failing word up to `attempts` times. Compares hypotheses with the model, if there is one.
struct Patient<'m> {
    attempts: u32,
    retries: u32,
    oracle: Option<Oracle<'m>>,
    /// The number of symbols in the answered words.
    symbols: u64,
}

impl<'m> Patient<'m> {
    fn new(attempts: u32, oracle: Option<Oracle<'m>>) -> Self {
        Self { attempts, retries: 0, oracle, symbols: 0 }
    }
}

impl<E> ObserveRun<E> for Patient<'_> {
    fn answered(&mut self, _: Purpose, word: &[Input]) {
        self.symbols += word.len() as u64;
    }

    fn hypothesis(&mut self, _: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
        let Some(oracle) = &self.oracle else { return Verdict::Test };
        oracle.counterexample(hypothesis).map_or(Verdict::Equivalent, Verdict::Counterexample)
    }

    fn retry(&mut self, failure: &Failure<E>, attempts: u32) -> bool {
        assert!(failure.sent <= failure.word.len());
        self.retries += 1;
        attempts < self.attempts
    }
}

fn session(memory_bytes: usize, tests: Tests) -> HostSession {
    let options = Options::new().tests(tests);
    new_session(vec![0; memory_bytes / 4], 5, options).expect("five inputs")
}

fn learned(session: &HostSession, lock: &Machine) -> Machine {
    let hypothesis = session.hypothesis().expect("a hypothesis");
    LearnedComponents::new(hypothesis, lock.inputs(), Projections::PerOutput)
        .product(1000)
        .expect("a model")
}

#[test]
fn a_run_in_memory_that_grows_is_that_in_memory_that_had_not_to() {
    let lock = DemoLock::machine();
    let run = |observations, memory_bytes: usize| {
        let oracle = Some(Oracle::new(&lock));
        let mut watch = Patient::new(0, oracle);
        let options = Options::new().tests(Tests::External).observations(observations);
        let memory = vec![0; memory_bytes / 4];
        let mut session = new_session(memory, 5, options).expect("five inputs");
        let mut sul = Counted::new(Simulated::new(&lock));
        let ending = learn(&mut session, &mut sul, &Limits::UNLIMITED, &mut watch);
        assert!(matches!(ending, Outcome::Session(EndReason::Equivalent)), "{ending:?}");
        assert_eq!(separate(&learned(&session, &lock), &lock), Ok(None));
        let costs = (session.progress().learning, session.progress().testing, sul.costs());
        assert_eq!(costs.0.symbols + costs.1.symbols, costs.2.symbols);
        // This also holds where the learner extended a word.
        assert_eq!(watch.symbols, costs.2.symbols);
        costs
    };
    let table = run(Observations::Table, 1 << 20);
    let tree = run(Observations::Tree, 1 << 20);
    for memory_bytes in [0, 512] {
        assert_eq!(run(Observations::Table, memory_bytes), table);
        assert_eq!(run(Observations::Tree, memory_bytes), tree);
    }
    assert!(tree.0.symbols < table.0.symbols, "{tree:?}, {table:?}");
}

#[test]
fn too_little_memory_ends_the_run_and_leaves_the_last_hypothesis() {
    let lock = DemoLock::machine();
    let limits = Limits { memory_bytes: 2048, ..Limits::UNLIMITED };
    let mut watch = Patient::new(0, None);
    let mut session = session(64, Tests::RandomWp);
    let ending = learn(&mut session, &mut Counted::new(Simulated::new(&lock)), &limits, &mut watch);
    let Outcome::Memory(error) = ending else { panic!("{ending:?}") };
    assert!(error.needed > limits.memory_bytes, "{error:?}");
    assert_eq!(session.capacity_bytes(), limits.memory_bytes, "it had all that it may have");
    assert!(session.hypothesis().is_some());
}

#[test]
fn words_that_fail_are_asked_again_and_the_result_is_the_same() {
    let lock = DemoLock::machine();
    let mut watch = Patient::new(2, None);
    let mut session = session(1 << 16, Tests::RandomWp);
    let lock_sul = Simulated::new(&lock);
    let mut sul = Counted::new(Flaky { lock: lock_sul, symbols: 0, fails_every: 1000 });
    let ending = learn(&mut session, &mut sul, &Limits::UNLIMITED, &mut watch);
    assert!(ending.is_converged(), "{ending:?}");
    assert!(watch.retries > 10, "{}", watch.retries);
    assert_eq!(separate(&learned(&session, &lock), &lock), Ok(None));
    let standing = session.progress();
    let asked = standing.learning.resets + standing.testing.resets;
    assert_eq!(asked, sul.costs().resets, "words that were asked again are counted");
}

/// The questions and the result of a run do not depend on the number of words known ahead.
#[test]
fn lanes_change_nothing_but_what_is_known_ahead() {
    let lock = DemoLock::machine();
    let run = |observations, lanes, fails_every| {
        let options = Options::new().observations(observations).lanes(lanes).seed(3);
        let mut session = new_session(vec![0; 1 << 14], 5, options).expect("five inputs");
        let mut watch = Patient::new(2, None);
        let device = Flaky { lock: Simulated::new(&lock), symbols: 0, fails_every };
        let mut sul = Stored::new(
            Announced { device, words: VecDeque::new(), go_on: observations == Observations::Tree },
            Store::in_memory(),
        );
        let ending = learn(&mut session, &mut sul, &Limits::UNLIMITED, &mut watch);
        assert!(ending.is_converged(), "{ending:?}");
        assert_eq!(separate(&learned(&session, &lock), &lock), Ok(None));
        let tree = sul.store().tree();
        let words: Vec<_> = tree.nodes().map(|node| tree.word(node)).collect();
        (words, session.progress().passing_tests)
    };
    for observations in [Observations::Table, Observations::Tree] {
        for fails_every in [u32::MAX, 500] {
            let run = |lanes| run(observations, lanes, fails_every);
            let one = run(1);
            for lanes in [2, 7, 300] {
                let what = format!("{observations:?}, {lanes} lanes, a failure in {fails_every}");
                assert!(run(lanes) == one, "{what}");
            }
        }
    }
}

/// Checks that words are asked in the order in which they were announced; some are never asked.
struct Announced<S> {
    device: S,
    words: VecDeque<Vec<Input>>,
    /// Whether words may have grown after their announcement.
    go_on: bool,
}

impl<S: Sul> Sul for Announced<S> {
    type Error = S::Error;

    fn reset(&mut self) -> Result<(), S::Error> {
        self.device.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], S::Error> {
        self.device.step(input)
    }

    fn announce(&mut self, word: &[Input]) {
        self.words.push_back(word.to_vec());
    }

    fn reset_for(&mut self, word: &[Input]) -> Result<(), S::Error> {
        // A word that failed is asked twice.
        if let Some(at) = self.words.iter().position(|announced| announced == word) {
            self.words.drain(..at);
        } else {
            assert!(self.go_on, "{word:?} was not announced");
        }
        self.device.reset()
    }
}

#[test]
fn a_device_that_always_fails_ends_the_run() {
    let lock = DemoLock::machine();
    let mut watch = Patient::new(3, None);
    let mut session = session(1 << 16, Tests::RandomWp);
    let mut sul = Counted::new(Flaky { lock: Simulated::new(&lock), symbols: 0, fails_every: 1 });
    let ending = learn(&mut session, &mut sul, &Limits::UNLIMITED, &mut watch);
    let Outcome::Failure(failure) = ending else { panic!("{ending:?}") };
    assert_eq!((failure.error, failure.sent, watch.retries), (SymbolFailed, 1, 3));
}

#[test]
fn time_and_interruption_end_the_run_before_the_next_symbol() {
    let lock = DemoLock::machine();
    let interrupted = AtomicBool::new(true);
    let cases = [
        Limits { interrupted: &interrupted, ..Limits::UNLIMITED },
        Limits { time: Some(Duration::ZERO), ..Limits::UNLIMITED },
    ];
    for limits in cases {
        let mut watch = Patient::new(0, None);
        let mut session = session(1 << 16, Tests::RandomWp);
        let mut sul = Counted::new(Simulated::new(&lock));
        let ending = learn(&mut session, &mut sul, &limits, &mut watch);
        assert!(matches!(ending, Outcome::Interrupted | Outcome::Time), "{ending:?}");
        assert_eq!(sul.costs().resets, 0);
        assert_eq!(session.summary().end, Some(EndReason::Stopped));
    }
}

/// Learns the lock with the model of an older lock; the device fails at times.
struct AdvisedLock {
    advice: Advice,
    /// The advised word at each hypothesis.
    given: Vec<Option<Vec<Input>>>,
}

impl<E> ObserveRun<E> for AdvisedLock {
    fn heard(&mut self, position: usize, output: &[u8]) {
        self.advice.hear(position, output);
    }

    fn answered(&mut self, _: Purpose, word: &[Input]) {
        self.advice.answered(word);
    }

    fn hypothesis(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
        let word = self.advice.word(session.progress().rounds, hypothesis);
        self.given.push(word.clone());
        word.map_or(Verdict::Test, Verdict::Advice)
    }

    fn retry(&mut self, _: &Failure<E>, _: u32) -> bool {
        true
    }
}

/// Advice depends on the answers alone, neither on lanes nor on words that failed.
#[test]
fn advice_is_the_same_with_any_lanes_and_failures() {
    let lock = DemoLock::machine();
    // Change some of the outputs and targets.
    let mut older = Builder::default();
    for (at, (from, input, to, output)) in lock.named_transitions().enumerate() {
        let output = if at % 11 == 3 { "beep" } else { output };
        let to = if at % 13 == 5 { 0 } else { to };
        older.add(from, input, to, output).expect("new");
    }
    let machine = older.build(0).expect("complete");
    let run = |observations, lanes, fails_every| {
        let options = Options::new().observations(observations).lanes(lanes).seed(3);
        let mut session = new_session(vec![0; 1 << 14], 5, options).expect("five inputs");
        let older = OlderModel { name: "old".into(), machine: machine.clone() };
        let mut watch =
            AdvisedLock { advice: Advice::new(lock.inputs(), [older]), given: Vec::new() };
        let mut sul = Counted::new(Flaky { lock: Simulated::new(&lock), symbols: 0, fails_every });
        let ending = learn(&mut session, &mut sul, &Limits::UNLIMITED, &mut watch);
        assert!(ending.is_converged(), "{ending:?}");
        assert_eq!(separate(&learned(&session, &lock), &lock), Ok(None));
        let total = watch.advice.total();
        assert!(0 < total.helped && total.helped < total.asked.resets, "{total:?}");
        let progress = session.progress();
        assert!(progress.learning.symbols > total.asked.symbols);
        (watch.given, total)
    };
    for observations in [Observations::Table, Observations::Tree] {
        let one = run(observations, 1, u32::MAX);
        for (lanes, fails_every) in [(1, 300), (2, u32::MAX), (7, 300), (300, u32::MAX)] {
            let what = format!("{observations:?}, {lanes} lanes, a failure in {fails_every}");
            assert!(run(observations, lanes, fails_every) == one, "{what}");
        }
    }
}

#[test]
fn a_run_that_ends_early_keeps_the_model_that_explains_more_answers() {
    let lock = DemoLock::machine();
    let (mut kept, mut sketched) = (0, 0);
    for symbols in (100..3000).step_by(100) {
        let options = Options::new()
            .observations(Observations::Tree)
            .projections(Projections::Chosen)
            .tests(Tests::Mixture)
            .budget(Budget::UNLIMITED.symbols(symbols));
        let mut session = new_session(vec![0; 1 << 10], 5, options).expect("five inputs");
        let mut sul = Counted::new(Simulated::new(&lock));
        let ending = learn(&mut session, &mut sul, &Limits::UNLIMITED, &mut Patient::new(0, None));
        assert!(!ending.is_converged(), "{ending:?}");
        let explained = Explained::new(&session);
        let mut sketch = session.clone();
        sketch.sketch().expect("there is room");
        let of_sketch = Explained::new(&sketch);
        assert!(explained.answers >= of_sketch.answers, "{symbols}: {explained:?} {of_sketch:?}");
        if session.is_refuted() {
            assert!(is_contradicted(&session));
            kept += u32::from(explained.answers > of_sketch.answers);
        } else {
            sketched += 1;
        }
    }
    assert!(kept > 0 && sketched > 0, "{kept} kept, {sketched} sketched");
}
