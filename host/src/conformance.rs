//! Tests a device against a golden model: does the device still do what the model says?
//!
//! The tests are the same as in learning, made by the same code. A session that already knows the
//! model asks its tests, one word at a time, and each is put to the device. The session always
//! hears the model's answer, so that it continues when the device gives a different one.
//!
//! A partial model judges only as far as it knows. A test is cut before the first unknown
//! transition, and after an open transition, whose target is a guess. Tests that are cut to the
//! same word are asked once.
//!
//! An answer that differs from the model is asked for again before it counts, as in learning
//! ([`Stored`]).

mod junit;
mod partial;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use mealybug_core::serve;
use mealybug_core::{
    Budget, CapacityError, Costs, EndReason, Input, KnownModel, Mealy, Options, ServeError,
    Session, SessionError, Sul,
};

pub use junit::{junit, junit_of_no_tests};

use crate::learn::{FIRST_MEMORY_BYTES, Failure, Limits, Tally, Teacher, larger_memory};
use crate::learned_components::output_name;
use crate::machine::{AccessWords, Machine, Transition};
use crate::shorten::shorten;
use crate::store::{NoAnswer, StoreError, Stored, Unsettled};

/// A session that tests a model.
type ModelSession = Session<Vec<u32>, KnownModel>;

/// The result of testing a device.
#[derive(Debug)]
pub struct Tested<E> {
    /// Why it ended.
    pub ending: TestOutcome<E>,
    /// The number of tests that passed or found a difference.
    pub tests: u64,
    /// What the tests cost.
    pub costs: Costs,
    /// The differences from the model, at most one for each transition.
    pub differences: Vec<Deviation>,
    /// How often each transition of the model was taken, state by state and input by input.
    pub taken: Vec<u64>,
    /// How often a word was asked again because the link failed.
    pub retries: u64,
    /// How many answers the device did not repeat when it was asked again.
    pub contradictions: u64,
    /// When testing began.
    pub began: SystemTime,
    /// How long testing took.
    pub time: Duration,
    /// For each state of the model, how long the device took to answer there. The initial state
    /// includes resets.
    pub times: Vec<Duration>,
}

/// Why testing ended.
#[derive(Debug)]
pub enum TestOutcome<E> {
    /// There are no more tests.
    Over(EndReason),
    /// A difference was found, and the run was to stop at the first.
    Deviation,
    /// The limit on symbols is reached.
    Symbols,
    /// The time limit is reached.
    Time,
    /// The user interrupted it.
    Interrupted,
    /// The model cannot be tested: it has too many inputs.
    Refused(SessionError),
    /// The tests need more memory than they are allowed.
    Memory(CapacityError),
    /// The device contradicts itself, and asking again does not settle it.
    Unstable(Unsettled),
    /// The device or its link failed.
    Failure(Failure<E>),
    /// The answers cannot be kept.
    Store(StoreError),
}

/// A shortest found word on which the device differs from the model: no single input can be left
/// out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The word, up to the first output that differs.
    pub word: Vec<Input>,
    /// The model's output for the last input.
    pub expected: String,
    /// The device's output.
    pub said: String,
    /// The state of the model before the last input.
    pub state: u32,
    /// How many tests found a difference at this transition; a test whose word was shortened found what that showed, too.
    pub tests: u64,
}

impl<E> Tested<E> {
    /// How many transitions of the model were taken, and how many known transitions are reachable.
    pub fn covered(&self, model: &Machine) -> (u64, u64) {
        let taken = self.taken.iter().filter(|&&times| times > 0).count() as u64;
        let inputs = u64::from(Mealy::inputs(model));
        let known = |&state| inputs - model.gaps_of(state).unknown;
        (taken, model.access_words().states().iter().map(known).sum())
    }

    /// Whether a test took some transition from this state of the model.
    pub fn is_visited(&self, model: &Machine, state: u32) -> bool {
        let mut row = self.taken.chunks(model.inputs().len().max(1)).skip(state as usize);
        row.next().is_some_and(|row| row.iter().any(|&times| times > 0))
    }
}

/// Observes a test run.
pub trait ObserveTests<E> {
    /// Called with the number of tests so far and their cost.
    fn tests(&mut self, tests: u64, costs: Costs) {
        let _ = (tests, costs);
    }

    /// The device has answered a word, of a test or of those that shorten one.
    fn answered(&mut self) {}

    /// A difference was found and shortened.
    fn difference(&mut self, difference: &Deviation) {
        let _ = difference;
    }

    /// The device or its link failed; `tally` says what the device was asked by then. Returns whether
    /// to ask the word again.
    fn retry(&mut self, failure: &Failure<E>, tally: &Tally) -> bool {
        let _ = (failure, tally);
        false
    }
}

/// Tests `device` against `model`. Both number the inputs alike. What the store of the device knows is
/// asked all the same.
///
/// Of `options`, the tests, their seed and number, and the budget of symbols matter. If
/// `keeps_going`, testing continues after the first difference.
///
/// # Panics
/// If the options have several lanes.
pub fn test<S: Sul>(
    model: &Machine,
    device: Stored<S>,
    options: Options,
    limits: &Limits<'_>,
    keeps_going: bool,
    watch: &mut impl ObserveTests<S::Error>,
) -> Tested<S::Error>
where
    S::Error: Error + 'static,
{
    let symbols = options.budget.symbols;
    let taken = vec![0; model.states() as usize * model.inputs().len()];
    let total = partial::total(model);
    // The completed model has one more state than the model.
    let more = u32::from(matches!(total, Cow::Owned(_)));
    let options = options.product_states(options.product_states.saturating_add(more));
    let mut run = TestRun {
        model,
        total: &total,
        cut: HashSet::new(),
        device,
        limits,
        watch,
        symbols,
        keeps_going,
        began: SystemTime::now(),
        started: Instant::now(),
        times: vec![Duration::ZERO; model.states() as usize],
        state: total.initial(),
        tests: 0,
        taken,
        differences: Vec::new(),
        known: HashMap::new(),
        met: Vec::new(),
        access: model.access_words(),
        retries: 0,
    };
    let ending = match session(&total, options, limits) {
        Ok(mut session) => run.serve(&mut session),
        Err(SessionError::Capacity(error)) => TestOutcome::Memory(error),
        Err(error) => TestOutcome::Refused(error),
    };
    let TestRun { device, tests, taken, differences, retries, began, started, times, .. } = run;
    let (costs, time) = (device.costs(), started.elapsed());
    let contradictions = device.store().tree().strays();
    Tested { ending, tests, costs, differences, taken, retries, contradictions, began, time, times }
}

/// A session for the model, with as much memory as it needs.
fn session(
    model: &Machine,
    options: Options,
    limits: &Limits<'_>,
) -> Result<ModelSession, SessionError> {
    // The budget of symbols is checked where the device is asked, not in the session.
    let options = options.budget(Budget::UNLIMITED);
    let mut memory = vec![0; limits.memory_bytes.min(FIRST_MEMORY_BYTES) / size_of::<u32>()];
    loop {
        let capacity_bytes = size_of_val(memory.as_slice());
        match Session::of_model(memory, model, options) {
            Ok(session) => return Ok(session),
            Err(SessionError::Capacity(error)) => {
                memory = larger_memory(capacity_bytes, limits.memory_bytes, error)
                    .map_err(SessionError::Capacity)?;
            }
            Err(error) => return Err(error),
        }
    }
}

struct TestRun<'a, S: Sul, W> {
    model: &'a Machine,
    /// The completed model, which the session tests.
    total: &'a Machine,
    /// The words to which tests were cut.
    cut: HashSet<Vec<Input>>,
    device: Stored<S>,
    limits: &'a Limits<'a>,
    watch: &'a mut W,
    symbols: u64,
    keeps_going: bool,
    began: SystemTime,
    started: Instant,
    /// For each state of the model, how long the device took to answer there.
    times: Vec<Duration>,
    /// The state of the model in the test whose answer the session reads.
    state: u32,
    tests: u64,
    taken: Vec<u64>,
    differences: Vec<Deviation>,
    /// The index of each difference, by its transition.
    known: HashMap<(u32, Input), usize>,
    /// New differences whose words are not shortened yet.
    met: Vec<WrongWord>,
    access: AccessWords,
    retries: u64,
}

/// The device answered a word differently from the model.
struct WrongWord {
    /// The word, up to the differing output.
    word: Vec<Input>,
    expected: String,
    said: String,
    state: u32,
}

impl WrongWord {
    /// The state of the model and the input that differ.
    fn transition(&self) -> (u32, Input) {
        (self.state, self.word[self.word.len() - 1])
    }
}

/// Asks the device each test as a whole; the session then hears the model's answer.
impl<S: Sul<Error: Error + 'static>, W: ObserveTests<S::Error>>
    serve::Answerer<Vec<u32>, KnownModel> for TestRun<'_, S, W>
{
    type Error = TestOutcome<S::Error>;

    fn reset(&mut self, session: &mut ModelSession, lane: u32) -> Result<(), Self::Error> {
        let word: Vec<_> = session.word(lane).collect();
        if let Some(wrong) = self.ask_test(&word)? {
            self.differ(wrong)?;
            if !self.keeps_going {
                return Err(TestOutcome::Deviation);
            }
        }
        self.state = self.total.initial();
        Ok(())
    }

    fn step(&mut self, _: &mut ModelSession, _: u32, input: Input) -> Result<&[u8], Self::Error> {
        let (next, output) = self.total.expect_transition(self.state, input);
        self.state = next;
        Ok(self.total.output_name(output).as_bytes())
    }
}

impl<S: Sul<Error: Error + 'static>, W: ObserveTests<S::Error>> TestRun<'_, S, W> {
    fn serve(&mut self, session: &mut ModelSession) -> TestOutcome<S::Error> {
        let limit_bytes = self.limits.memory_bytes;
        let mut grow = |session: &mut ModelSession, error| {
            let memory = larger_memory(session.capacity_bytes(), limit_bytes, error);
            memory.is_ok_and(|memory| session.move_into(memory).is_ok())
        };
        match serve::serve(session, self, &mut grow) {
            Ok(why) => match self.settle_last() {
                Ok(()) => TestOutcome::Over(why),
                Err(ending) => ending,
            },
            Err(ServeError::Sul(ending)) => ending,
            Err(ServeError::Session(SessionError::Capacity(error))) => TestOutcome::Memory(error),
            Err(ServeError::Session(error)) => unreachable!("a model contradicts nothing: {error}"),
        }
    }

    /// Asks the last word again if the device has said something after its answers: no reset looks after it.
    fn settle_last(&mut self) -> Result<(), TestOutcome<S::Error>> {
        let Some(word) = self.device.followed_word() else { return Ok(()) };
        let Some(wrong) = self.ask(&word)? else { return Ok(()) };
        self.differ(wrong)?;
        if self.keeps_going { Ok(()) } else { Err(TestOutcome::Deviation) }
    }

    /// Asks and counts a test.
    fn ask_test(&mut self, word: &[Input]) -> Result<Option<WrongWord>, TestOutcome<S::Error>> {
        self.check_limits()?;
        let judged = partial::judged(self.model, word);
        if judged.len() < word.len() && (judged.is_empty() || !self.cut.insert(judged.to_vec())) {
            return Ok(None);
        }
        let wrong = self.ask(judged)?;
        self.tests += 1;
        let asked = wrong.as_ref().map_or(judged, |wrong| &wrong.word);
        let mut state = self.model.initial();
        for &input in asked {
            let at = state as usize * self.model.inputs().len() + input.index() as usize;
            self.taken[at] += 1;
            state = self.model.expect_transition(state, input).0;
        }
        self.watch.tests(self.tests, self.device.costs());
        Ok(wrong)
    }

    /// Asks a word up to the first output that differs from the model's, and asks it again if the
    /// link fails. A word that leaves the known part of the model is cut first.
    fn ask(&mut self, word: &[Input]) -> Result<Option<WrongWord>, TestOutcome<S::Error>> {
        let word = partial::judged(self.model, word);
        if word.is_empty() {
            return Ok(None);
        }
        loop {
            let refusal = match self.try_to_ask(word) {
                Ok(wrong) => {
                    self.watch.answered();
                    return Ok(wrong);
                }
                Err(refusal) => refusal,
            };
            self.check_limits()?;
            let failure = match refusal {
                NoAnswer::Device { error, word, sent } => Failure { error, word, sent },
                NoAnswer::Unsettled(unsettled) => return Err(TestOutcome::Unstable(unsettled)),
                NoAnswer::Stopped => continue,
                NoAnswer::Store(error) => return Err(TestOutcome::Store(error)),
                NoAnswer::Overturned => unreachable!("no learner was given an answer"),
            };
            if !self.watch.retry(&failure, &self.device.tally()) {
                return Err(TestOutcome::Failure(failure));
            }
            self.retries += 1;
        }
    }

    fn try_to_ask(&mut self, word: &[Input]) -> Result<Option<WrongWord>, NoAnswer<S::Error>> {
        let Self { model, device, limits, started, times, .. } = self;
        let mut is_over = |_: &Tally| {
            limits.interrupted.load(Ordering::Relaxed)
                || limits.time.is_some_and(|time| started.elapsed() >= time)
        };
        let mut state = model.initial();
        Sul::reset(device)?;
        for (at, &input) in word.iter().enumerate() {
            let Some(Transition { target, output, .. }) = model.transition(state, input) else {
                return Ok(None);
            };
            let expected = model.output_name(output);
            let is_expected = |said: &[u8]| output_name(said) == expected;
            let asked = Instant::now();
            let said = device.test(input, &word[at + 1..], is_expected, &mut is_over);
            times[state as usize] += asked.elapsed();
            let said = output_name(said?);
            if said != expected {
                let (word, expected) = (word[..=at].to_vec(), expected.to_owned());
                return Ok(Some(WrongWord { word, expected, said, state }));
            }
            state = target;
        }
        Ok(None)
    }

    /// Makes a word that fails as short as it can be. If testing goes on after it, only words that fail at the same
    /// transition will do: each transition that is wrong is to be told of.
    fn shorten(&mut self, wrong: &mut WrongWord) -> Result<(), TestOutcome<S::Error>> {
        let (state, input) = wrong.transition();
        let shortest = [&self.access.word(state)[..], &[input]].concat();
        if shortest.len() < wrong.word.len() {
            self.ask_instead(&shortest, wrong)?;
        }
        let mut word = wrong.word.clone();
        shorten(&mut word, |shorter| self.ask_instead(shorter, wrong))
    }

    /// Asks a shorter word than that of a difference, and takes it if it shows one, too. If testing goes on, a difference at
    /// another transition is kept for later.
    fn ask_instead(
        &mut self,
        word: &[Input],
        wrong: &mut WrongWord,
    ) -> Result<Option<Vec<Input>>, TestOutcome<S::Error>> {
        self.check_limits()?;
        let Some(shorter) = self.ask(word)? else { return Ok(None) };
        let transition = shorter.transition();
        if self.keeps_going && transition != wrong.transition() {
            let is_met = self.met.iter().any(|met| met.transition() == transition);
            if !is_met && !self.known.contains_key(&transition) {
                self.met.push(shorter);
            }
            return Ok(None);
        }
        *wrong = shorter;
        Ok(Some(wrong.word.clone()))
    }

    /// Handles a failed test: if the difference is new, finds a short word for it, and for those that come to light
    /// meanwhile. Whatever ends the search, all of them are differences.
    fn differ(&mut self, wrong: WrongWord) -> Result<(), TestOutcome<S::Error>> {
        if self.count(&wrong) {
            return Ok(());
        }
        self.met.push(wrong);
        let mut shortened = Ok(());
        while let Some(mut wrong) = self.met.pop() {
            if shortened.is_ok() {
                shortened = self.shorten(&mut wrong);
            }
            self.report(wrong);
        }
        match shortened {
            // It ends the tests before the next one, if there is one.
            Err(TestOutcome::Symbols | TestOutcome::Time) => Ok(()),
            shortened => shortened,
        }
    }

    /// Tells of a new difference.
    fn report(&mut self, wrong: WrongWord) {
        self.known.insert(wrong.transition(), self.differences.len());
        let WrongWord { word, expected, said, state } = wrong;
        let difference = Deviation { word, expected, said, state, tests: 1 };
        self.watch.difference(&difference);
        self.differences.push(difference);
    }

    /// Counts another test for a known difference. Returns whether the difference is known.
    fn count(&mut self, wrong: &WrongWord) -> bool {
        let known = self.known.get(&wrong.transition());
        if let Some(&known) = known {
            self.differences[known].tests += 1;
        }
        known.is_some()
    }

    fn check_limits(&self) -> Result<(), TestOutcome<S::Error>> {
        if self.limits.interrupted.load(Ordering::Relaxed) {
            return Err(TestOutcome::Interrupted);
        }
        if self.device.costs().symbols >= self.symbols {
            return Err(TestOutcome::Symbols);
        }
        match self.limits.time {
            Some(time) if self.started.elapsed() >= time => Err(TestOutcome::Time),
            _ => Ok(()),
        }
    }
}
