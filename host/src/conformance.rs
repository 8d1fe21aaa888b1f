//! A golden model against a device: does the device still do what the model says?
//!
//! The tests are those with which learning tests a hypothesis, by the same code: a session of the model
//! learns nothing, and what it asks to test the model is asked of the device, a word at a time. The
//! session is always told what the model says, so that it goes on when the device says something else.
//!
//! A partial model is a judge as far as it knows. A test ends where the model does not know what follows,
//! and after an open transition, where only the output is known; what is left of a test is asked once.

mod junit;
mod partial;
mod shorten;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use mealybug_core::serve;
use mealybug_core::{
    Budget, CapacityError, Costs, EndReason, Input, KnownModel, LearnError, Mealy, Options,
    Session, SessionError, Sul,
};

pub use junit::junit;

use crate::learn::{Counted, FIRST_MEMORY_BYTES, Failure, Limits, larger_memory};
use crate::learned::output_name;
use crate::machine::{Machine, Transition};

/// A session that tests a model.
type ModelSession = Session<Vec<u32>, KnownModel>;

/// What was found out about a device.
#[derive(Clone, Debug)]
pub struct Tested<E> {
    /// Why it ended.
    pub ending: TestOutcome<E>,
    /// How many tests were asked to their end or to their first difference.
    pub tests: u64,
    /// What was asked of the device.
    pub costs: Costs,
    /// Where the device differs from the model; no two at the same transition.
    pub differences: Vec<Deviation>,
    /// How often each transition of the model was taken, state by state and input by input.
    pub taken: Vec<u64>,
    /// How often a word was asked again because the link had failed.
    pub retries: u64,
    /// When it began.
    pub began: SystemTime,
    /// How long it took.
    pub time: Duration,
    /// For each state of the model, how long the device took to answer there; for the initial one, to
    /// reset, too.
    pub times: Vec<Duration>,
}

/// Why testing ended.
#[derive(Clone, Debug)]
pub enum TestOutcome<E> {
    /// There are no more tests.
    Over(EndReason),
    /// The first difference, and more were not wanted.
    Deviation,
    /// As many symbols as wanted were asked.
    Symbols,
    /// The time is over.
    Time,
    /// Its owner stopped it.
    Interrupted,
    /// The tests need more memory than they may have.
    Memory(CapacityError),
    /// The device differed from the model and then, on the same word, not or in another way.
    Unstable {
        /// The word.
        word: Vec<Input>,
        /// What the model says to its last input.
        expected: String,
        /// What the device said the first time.
        said: String,
    },
    /// The device or its link failed.
    Failure(Failure<E>),
}

/// A word on which the device differs from the model: no part of it can be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The word, up to the first output that differs.
    pub word: Vec<Input>,
    /// What the model says to its last input.
    pub expected: String,
    /// What the device says.
    pub said: String,
    /// The state of the model before the last input.
    pub state: u32,
    /// How many tests met a difference at this transition.
    pub tests: u64,
}

impl<E> Tested<E> {
    /// How many transitions of the model were taken, and how many it knows that can be reached.
    pub fn covered(&self, model: &Machine) -> (u64, u64) {
        let taken = self.taken.iter().filter(|&&times| times > 0).count() as u64;
        let inputs = u64::from(Mealy::inputs(model));
        let known = |(state, _)| inputs - model.gaps_of(state).unknown;
        (taken, model.access_words().into_iter().map(known).sum())
    }

    /// Whether a test left this state of the model by some input.
    pub fn is_visited(&self, model: &Machine, state: u32) -> bool {
        let mut row = self.taken.chunks(model.inputs().len().max(1)).skip(state as usize);
        row.next().is_some_and(|row| row.iter().any(|&times| times > 0))
    }
}

/// What happens during a test run.
pub trait ObserveTests<E> {
    /// So many tests have been asked at this cost.
    fn tests(&mut self, tests: u64, costs: Costs) {
        let _ = (tests, costs);
    }

    /// A difference was found, and shortened.
    fn difference(&mut self, difference: &Deviation) {
        let _ = difference;
    }

    /// The device or its link failed; whether to ask the word again. `attempts` is how often it was
    /// tried.
    fn retry(&mut self, failure: &Failure<E>, attempts: u32) -> bool {
        let _ = (failure, attempts);
        false
    }
}

/// Tests `device` against `model`, whose inputs have the same numbers.
///
/// Of `options`, the tests, their seed and number, and the budget of symbols matter; `keeps_going`
/// after the first difference.
///
/// # Panics
/// The options have several lanes.
pub fn test<S: Sul>(
    model: &Machine,
    device: S,
    options: Options,
    limits: &Limits<'_>,
    keeps_going: bool,
    watch: &mut impl ObserveTests<S::Error>,
) -> Tested<S::Error>
where
    S::Error: Error,
{
    let symbols = options.budget.symbols;
    let device = Counted::new(device);
    let taken = vec![0; model.states() as usize * model.inputs().len()];
    let total = partial::total(model);
    // Where the model ends there is one more state.
    let more = u32::from(matches!(total, Cow::Owned(_)));
    let options = options.product_states(options.product_states.saturating_add(more));
    let mut run = Run {
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
        retries: 0,
    };
    let ending = match session(&total, options, limits) {
        Ok(mut session) => run.serve(&mut session),
        Err(error) => TestOutcome::Memory(error),
    };
    let Run { device, tests, taken, differences, retries, began, started, times, .. } = run;
    let (costs, time) = (device.costs(), started.elapsed());
    Tested { ending, tests, costs, differences, taken, retries, began, time, times }
}

/// A session of the model, in as much memory as that takes.
fn session(
    model: &Machine,
    options: Options,
    limits: &Limits<'_>,
) -> Result<ModelSession, CapacityError> {
    // Symbols are counted where the device is touched.
    let options = options.budget(Budget::UNLIMITED);
    let mut memory = vec![0; limits.memory_bytes.min(FIRST_MEMORY_BYTES) / size_of::<u32>()];
    loop {
        let capacity_bytes = size_of_val(memory.as_slice());
        match Session::of_model(memory, model, options) {
            Ok(session) => return Ok(session),
            Err(SessionError::Capacity(error)) => {
                memory = larger_memory(capacity_bytes, limits.memory_bytes, error)?;
            }
            Err(error) => unreachable!("a machine has no more inputs than are counted: {error}"),
        }
    }
}

struct Run<'a, S, W> {
    model: &'a Machine,
    /// What the session takes for the model.
    total: &'a Machine,
    /// What was asked of tests that the model ended.
    cut: HashSet<Vec<Input>>,
    device: Counted<S>,
    limits: &'a Limits<'a>,
    watch: &'a mut W,
    symbols: u64,
    keeps_going: bool,
    began: SystemTime,
    started: Instant,
    /// For each state of the model, how long the device took to answer there.
    times: Vec<Duration>,
    /// The state of the model in the test that the session is told the answer to.
    state: u32,
    tests: u64,
    taken: Vec<u64>,
    differences: Vec<Deviation>,
    /// The differences by their transitions.
    known: HashMap<(u32, Input), usize>,
    retries: u64,
}

/// A word was asked and the device said something else than the model.
struct Wrong {
    /// The word up to there.
    word: Vec<Input>,
    expected: String,
    said: String,
    state: u32,
}

/// Each test is asked of the device as a whole; the session hears what the model says.
impl<S: Sul<Error: Error>, W: ObserveTests<S::Error>> serve::Answerer<Vec<u32>, KnownModel>
    for Run<'_, S, W>
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

impl<S: Sul<Error: Error>, W: ObserveTests<S::Error>> Run<'_, S, W> {
    fn serve(&mut self, session: &mut ModelSession) -> TestOutcome<S::Error> {
        let limit_bytes = self.limits.memory_bytes;
        let mut grow = |session: &mut ModelSession, error| {
            let memory = larger_memory(session.capacity_bytes(), limit_bytes, error);
            memory.is_ok_and(|memory| session.move_into(memory).is_ok())
        };
        match serve::serve(session, self, &mut grow) {
            Ok(why) => TestOutcome::Over(why),
            Err(LearnError::Sul(ending)) => ending,
            Err(LearnError::Session(SessionError::Capacity(error))) => TestOutcome::Memory(error),
            Err(LearnError::Session(error)) => unreachable!("a model contradicts nothing: {error}"),
        }
    }

    /// Asks a test, and counts it.
    fn ask_test(&mut self, word: &[Input]) -> Result<Option<Wrong>, TestOutcome<S::Error>> {
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

    /// Asks a word up to the first output that differs from the model's, again where the link fails; of a
    /// word that leaves what the model knows, the part before.
    fn ask(&mut self, word: &[Input]) -> Result<Option<Wrong>, TestOutcome<S::Error>> {
        let word = partial::judged(self.model, word);
        if word.is_empty() {
            return Ok(None);
        }
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mut sent = 0;
            let error = match self.try_to_ask(word, &mut sent) {
                Ok(wrong) => return Ok(wrong),
                Err(error) => error,
            };
            if self.limits.interrupted.load(Ordering::Relaxed) {
                return Err(TestOutcome::Interrupted);
            }
            let failure = Failure { error, word: word.to_vec(), sent };
            if !self.watch.retry(&failure, attempts) {
                return Err(TestOutcome::Failure(failure));
            }
            self.retries += 1;
        }
    }

    fn try_to_ask(&mut self, word: &[Input], sent: &mut usize) -> Result<Option<Wrong>, S::Error> {
        let mut state = self.model.initial();
        let mut asked = Instant::now();
        let mut spent = |times: &mut [Duration], state: u32| {
            times[state as usize] += asked.elapsed();
            asked = Instant::now();
        };
        self.device.reset_for(word)?;
        spent(&mut self.times, state);
        for &input in word {
            *sent += 1;
            let Some(Transition { target, output, .. }) = self.model.transition(state, input)
            else {
                return Ok(None);
            };
            let expected = self.model.output_name(output);
            let said = output_name(self.device.step(input)?);
            spent(&mut self.times, state);
            if said != expected {
                let (word, expected) = (word[..*sent].to_vec(), expected.to_owned());
                return Ok(Some(Wrong { word, expected, said, state }));
            }
            state = target;
        }
        Ok(None)
    }

    /// A test was answered wrongly: where it is a new difference, finds a short word for it.
    fn differ(&mut self, wrong: Wrong) -> Result<(), TestOutcome<S::Error>> {
        if self.count(&wrong) {
            return Ok(());
        }
        let again = self.ask(&wrong.word)?;
        if again.is_none_or(|again| (&again.word, &again.said) != (&wrong.word, &wrong.said)) {
            let Wrong { word, expected, said, .. } = wrong;
            return Err(TestOutcome::Unstable { word, expected, said });
        }
        let Wrong { word, expected, said, state } = self.shorten(wrong)?;
        // What is left may be a difference that is known.
        let wrong = Wrong { word, expected, said, state };
        if self.count(&wrong) {
            return Ok(());
        }
        let Wrong { word, expected, said, state } = wrong;
        let last = word[word.len() - 1];
        self.known.insert((state, last), self.differences.len());
        let difference = Deviation { word, expected, said, state, tests: 1 };
        self.watch.difference(&difference);
        self.differences.push(difference);
        Ok(())
    }

    /// Counts a difference, if it is known.
    fn count(&mut self, wrong: &Wrong) -> bool {
        let last = wrong.word[wrong.word.len() - 1];
        let known = self.known.get(&(wrong.state, last));
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
