//! Runs a session against a device until the session is done, or a limit, a fault or Ctrl-C ends
//! it.
//!
//! The session decides what to ask. A [`Teacher`] answers: a device, or the store around one. The
//! loop of the core ([`serve::ask`]) asks the words, lane by lane. This module adds what else a run
//! needs: memory that grows ([`Limits::memory_bytes`]), words asked again when the link fails, a
//! new session when an answer is no longer believed, a time limit, and Ctrl-C. An [`ObserveRun`]
//! displays or counts what happens, or supplies knowledge beyond the device.

mod counted;
mod explained;
mod failures;
mod oracle;
mod published;
mod session;
mod teacher;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mealybug_core::serve::{self, Grow};
use mealybug_core::{
    Action, AnyLearner, CapacityError, Contradiction, EndReason, Hypothesis, Input, Misuse,
    Purpose, Reply, ServeError, SessionError,
};

pub use counted::Counted;
pub use failures::{Attempt, LinkFailures};
pub use oracle::Oracle;
pub use published::PublishedCosts;
pub(crate) use session::larger_memory;
pub use session::{FIRST_MEMORY_BYTES, HostSession, grow, new_session, set_noise};
pub(crate) use teacher::announce;
pub use teacher::{Scope, Tally, Teacher};

use explained::Explained;

use crate::store::{AnswerTree, NoAnswer, Prices, StoreError, Unsettled};

/// Limits of a run, in addition to the budget of its session.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The most memory that the session may use; it starts with less and grows.
    pub memory_bytes: usize,
    /// How long the run may take.
    pub time: Option<Duration>,
    /// The run ends as soon as this is true.
    pub interrupted: &'a AtomicBool,
}

/// The flag of a run that nobody interrupts.
static GOES_ON: AtomicBool = AtomicBool::new(false);

impl Limits<'static> {
    /// No limits.
    pub const UNLIMITED: Self =
        Self { memory_bytes: usize::MAX, time: None, interrupted: &GOES_ON };
}

/// Observes a run: displays it, counts it, or knows the right model.
pub trait ObserveRun<E> {
    /// The run begins. It ends at `until`, if it may take only so long.
    fn begins(&mut self, until: Option<Instant>) {
        let _ = until;
    }

    /// A symbol is about to be asked. Called for each symbol, so it must be quick.
    fn asking(&mut self, session: &HostSession, tally: &Tally) {
        let _ = (session, tally);
    }

    /// A word is about to be asked, starting with a reset; `answers` are all answers up to now, if
    /// they are kept.
    fn word(&mut self, session: &HostSession, answers: Option<&AnswerTree>) {
        let _ = (session, answers);
    }

    /// The device's output to the input at `position` of the word being asked. A word that is asked
    /// again starts again at position 0.
    fn heard(&mut self, position: usize, output: &[u8]) {
        let _ = (position, output);
    }

    /// A word was answered. Learners with a tree may have extended it since [`word`](Self::word).
    fn answered(&mut self, purpose: Purpose, word: &[Input]) {
        let _ = (purpose, word);
    }

    /// A hypothesis is ready: a new one, or the same one again because the last verdict's word was
    /// not a counterexample.
    fn hypothesis(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
        let _ = (session, hypothesis);
        Verdict::Test
    }

    /// The number of random tests in a row that the session's hypothesis must pass; `None` for the
    /// number in the session's options.
    fn tests_in_a_row(&mut self, session: &HostSession) -> Option<u64> {
        let _ = session;
        None
    }

    /// An answer is no longer believed. The session starts again, and soon catches up from known
    /// answers.
    fn begins_anew(&mut self, tally: &Tally) {
        let _ = tally;
    }

    /// The device or its link failed. Returns whether to ask the word again, starting with a reset;
    /// `attempts` counts the attempts so far.
    fn retry(&mut self, failure: &Failure<E>, attempts: u32) -> bool {
        let _ = (failure, attempts);
        false
    }
}

/// Nobody observes: all hypotheses are tested.
impl<E> ObserveRun<E> for () {}

/// What the observer knows about a hypothesis before it is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: the hypothesis must be tested.
    Test,
    /// The hypothesis is right.
    Equivalent,
    /// The hypothesis is wrong on this word.
    Counterexample(Vec<Input>),
    /// The hypothesis may be wrong on this word, which counts as learning: see [`Reply::Advice`].
    Advice(Vec<Input>),
}

/// A failure of the device or its link while a word was being asked.
#[derive(Clone, Debug)]
pub struct Failure<E> {
    /// The error.
    pub error: E,
    /// The word.
    pub word: Vec<Input>,
    /// How many inputs of the word were sent. The failure is at the last of these, or at the reset.
    pub sent: usize,
}

/// Why a run ended.
#[derive(Debug)]
pub enum Outcome<E> {
    /// The session ended it.
    Session(EndReason),
    /// The time limit is reached.
    Time,
    /// The user interrupted it.
    Interrupted,
    /// The session needs more memory than it is allowed.
    Memory(CapacityError),
    /// The device gave different outputs to the same word, and asking again did not settle it.
    Contradiction(Unsettled),
    /// The device or its link failed.
    Failure(Failure<E>),
    /// The answers cannot be stored.
    Store(StoreError),
}

impl<E> Outcome<E> {
    /// Whether the hypothesis passed all tests.
    pub fn is_converged(&self) -> bool {
        matches!(self, Self::Session(why) if why.is_converged())
    }
}

/// Serves `session` with `teacher` until the run ends. The session keeps what was learned.
///
/// The teacher may answer the word of each lane ahead. The answers are taken in an order that does
/// not depend on the number of lanes.
pub fn learn<T: Teacher>(
    session: &mut HostSession,
    teacher: &mut T,
    limits: &Limits<'_>,
    watch: &mut impl ObserveRun<T::Error>,
) -> Outcome<T::Error> {
    let fresh = session.clone();
    let mut former = None;
    let started = Instant::now();
    watch.begins(limits.time.and_then(|time| started.checked_add(time)));
    let ending = loop {
        teacher.begin();
        match Service::new(session, teacher, limits, started, watch).serve() {
            Ok(why) => break Outcome::Session(why),
            Err(Stop::Over(ending)) => break ending,
            Err(Stop::Overturned) => {
                watch.begins_anew(&teacher.tally());
                let overturned = std::mem::replace(session, fresh.clone());
                former =
                    Some(overturned).filter(|session| session.hypothesis().is_some()).or(former);
            }
        }
    };
    // If the run did not converge, a hypothesis based on a wrong answer is better than none.
    if let Some(former) = former.filter(|_| session.hypothesis().is_none()) {
        *session = former;
    }
    if !ending.is_converged() {
        sketch(session, limits);
    }
    if matches!(ending, Outcome::Time | Outcome::Interrupted) {
        session.stop();
    }
    ending
}

/// Makes a model of all answers, if the learner can, whatever ended the run. The last hypothesis stays if it explains more
/// of them, as it does where a new division into components has just begun, or if memory is short.
fn sketch(session: &mut HostSession, limits: &Limits<'_>) {
    let last = session.clone();
    while let Err(SessionError::Capacity(error)) = session.sketch() {
        if grow(session, limits.memory_bytes, error).is_err() {
            break;
        }
    }
    if Explained::new(&last).answers > Explained::new(session).answers {
        *session = last;
    }
}

/// Whether an answer contradicts the last hypothesis of a run that did not converge.
pub fn is_contradicted(session: &HostSession) -> bool {
    session.is_refuted() || Explained::new(session).is_contradicted
}

/// Why serving a session stopped.
enum Stop<E> {
    Over(Outcome<E>),
    /// The session was given an answer that is no longer believed.
    Overturned,
}

/// A session being served.
struct Service<'r, T, W> {
    session: &'r mut HostSession,
    teacher: &'r mut T,
    limits: &'r Limits<'r>,
    started: Instant,
    watch: &'r mut W,
    /// The lanes that have a word, in the order in which the words were handed out and are asked.
    busy: VecDeque<u32>,
    free: Vec<u32>,
    /// The lanes whose words were not asked, since the session knows the answers, and whose turn has not come.
    recalled: Vec<u32>,
    /// The inputs of the last word that were asked.
    asked: Vec<Input>,
}

impl<'r, T: Teacher, W: ObserveRun<T::Error>> Service<'r, T, W> {
    fn new(
        session: &'r mut HostSession,
        teacher: &'r mut T,
        limits: &'r Limits<'r>,
        started: Instant,
        watch: &'r mut W,
    ) -> Self {
        let free = (0..session.options().lanes).collect();
        let (busy, recalled, asked) = (VecDeque::new(), Vec::new(), Vec::new());
        Self { session, teacher, limits, started, watch, busy, free, recalled, asked }
    }

    fn serve(&mut self) -> Result<EndReason, Stop<T::Error>> {
        loop {
            let session = &*self.session;
            let is_taken = |lane: &mut u32| session.word(*lane).next().is_none();
            self.free.extend(self.recalled.extract_if(.., is_taken));
            while let Some(lane) = self.free.pop() {
                let action = next(self.session, lane, self.limits, self.started, Reply::Ready)?;
                if let Some(why) = self.place(lane, action)? {
                    return Ok(why);
                }
                // The session has no further words until some of the pending ones are answered.
                if self.free.last() == Some(&lane) {
                    break;
                }
            }
            let Some(lane) = self.busy.pop_front() else { continue };
            if self.session.word(lane).next().is_none() {
                // A test before this one found a counterexample, so the session dropped this word.
                self.free.push(lane);
                continue;
            }
            let action = self.ask(lane)?;
            if let Some(why) = self.place(lane, action)? {
                return Ok(why);
            }
        }
    }

    /// Handles an action for a lane without a word: the lane gets a word, waits, or the run ends.
    fn place(&mut self, lane: u32, action: Action) -> Result<Option<EndReason>, Stop<T::Error>> {
        let Self { session, teacher, limits, started, watch, busy, free, recalled, .. } = self;
        let mut action = action;
        loop {
            watch.asking(session, &teacher.tally());
            let verdict = match action {
                Action::Reset => {
                    teacher.announce(session, lane);
                    busy.push_back(lane);
                    return Ok(None);
                }
                Action::Idle | Action::Input(_) => {
                    let is_recalled = session.word(lane).next().is_some();
                    if is_recalled { recalled } else { free }.push(lane);
                    return Ok(None);
                }
                Action::Hypothesis => {
                    follow_prices(session, *teacher, limits)?;
                    follow_faults(session, *teacher)?;
                    if let Some(tests) = watch.tests_in_a_row(session) {
                        session.set_passing_tests(tests);
                    }
                    judge(session, *teacher, *watch)
                }
                Action::Done(why) => match refuted_after(why, session, *teacher) {
                    Some(word) => Verdict::Counterexample(word),
                    None => return Ok(Some(why)),
                },
            };
            action = next(session, lane, limits, *started, verdict.reply())?;
        }
    }

    /// Asks the word of a lane, and asks it again if that may help. Returns the next action.
    fn ask(&mut self, lane: u32) -> Result<Action, Stop<T::Error>> {
        let Self { session, teacher, limits, started, watch, asked, .. } = self;
        let (limits, started) = (*limits, *started);
        watch.word(session, teacher.answers());
        let purpose = session.purpose();
        let mut asking = Asking { teacher: *teacher, limits, started, watch: *watch, asked };
        let action = serve::ask(session, lane, &mut asking, &mut grow_within(limits));
        let action = action.map_err(|error| match error {
            ServeError::Sul(stop) => stop,
            ServeError::Session(error) => stopped(session, error),
        })?;
        watch.answered(purpose, asked);
        limits.check(started).map_err(Stop::Over)?;
        Ok(action)
    }
}

/// The teacher, while it is asked one word. Checks limits, and repeats the word if the observer
/// wants that.
struct Asking<'r, T, W> {
    teacher: &'r mut T,
    limits: &'r Limits<'r>,
    started: Instant,
    watch: &'r mut W,
    /// The inputs of the word that were asked.
    asked: &'r mut Vec<Input>,
}

impl<T: Teacher, W: ObserveRun<T::Error>> serve::Answerer<Vec<u32>, AnyLearner>
    for Asking<'_, T, W>
{
    type Error = Stop<T::Error>;

    fn reset(&mut self, session: &mut HostSession, lane: u32) -> Result<(), Self::Error> {
        let Self { teacher, limits, started, asked, .. } = self;
        limits.check(*started).map_err(Stop::Over)?;
        asked.clear();
        let reset = teacher.reset(session, lane);
        reset.map_err(|refusal| refused(limits, *started, refusal))
    }

    fn step(
        &mut self,
        session: &mut HostSession,
        lane: u32,
        input: Input,
    ) -> Result<&[u8], Self::Error> {
        let Self { teacher, limits, started, watch, asked } = self;
        limits.check(*started).map_err(Stop::Over)?;
        watch.asking(session, &teacher.tally());
        asked.push(input);
        let mut is_over = |tally: &Tally| {
            watch.asking(session, tally);
            limits.check::<T::Error>(*started).is_err()
        };
        match teacher.step(session, lane, input, &mut is_over) {
            Ok(output) => {
                watch.heard(asked.len() - 1, output);
                Ok(output)
            }
            Err(refusal) => Err(refused(limits, *started, refusal)),
        }
    }

    fn retry(
        &mut self,
        _: &mut HostSession,
        _: u32,
        stop: Self::Error,
        attempts: u32,
    ) -> Result<(), Self::Error> {
        let Stop::Over(Outcome::Failure(failure)) = stop else { return Err(stop) };
        // A wait that Ctrl-C or the end of the time ends is no failure of the device.
        self.limits.check(self.started).map_err(Stop::Over)?;
        if !self.watch.retry(&failure, attempts) {
            return Err(Stop::Over(Outcome::Failure(failure)));
        }
        Ok(())
    }
}

/// Sets the costs of the session's words to the measured costs of the device.
fn follow_prices<T: Teacher>(
    session: &mut HostSession,
    teacher: &mut T,
    limits: &Limits<'_>,
) -> Result<(), Stop<T::Error>> {
    let prices = teacher.prices(session).map_err(|error| Stop::Over(Outcome::Store(error)))?;
    let Some(Prices { reset, inputs }) = prices else { return Ok(()) };
    let price = |input: Input| inputs.get(input.index() as usize).copied().unwrap_or(1);
    loop {
        match session.set_costs(reset, price) {
            Ok(()) => return Ok(()),
            Err(SessionError::Capacity(error)) => grow(session, limits.memory_bytes, error)
                .map_err(|error| Stop::Over(Outcome::Memory(error)))?,
            Err(error) => unreachable!("prices only take memory: {error}"),
        }
    }
}

/// Makes the session's tests as long as the device and its line let them be.
fn follow_faults<T: Teacher>(
    session: &mut HostSession,
    teacher: &mut T,
) -> Result<(), Stop<T::Error>> {
    let measured = teacher.symbols_per_fault(session);
    let measured = measured.map_err(|error| Stop::Over(Outcome::Store(error)))?;
    if let Some(symbols) = measured {
        session.set_noise(symbols);
    }
    Ok(())
}

/// What is known about the session's hypothesis. A counterexample of the observer may turn out not
/// to be one; a counterexample from known answers always is.
fn judge<T: Teacher>(
    session: &HostSession,
    teacher: &mut T,
    watch: &mut impl ObserveRun<T::Error>,
) -> Verdict {
    let hypothesis = session.hypothesis();
    let verdict = hypothesis.map_or(Verdict::Test, |h| watch.hypothesis(session, h));
    if matches!(verdict, Verdict::Counterexample(_) | Verdict::Advice(_)) {
        return verdict;
    }
    teacher.refute(session, Scope::Session).map_or(verdict, Verdict::Counterexample)
}

/// After all tests passed: a word whose answer from an earlier session contradicts the hypothesis.
fn refuted_after<T: Teacher>(
    why: EndReason,
    session: &HostSession,
    teacher: &mut T,
) -> Option<Vec<Input>> {
    let passed = matches!(why, EndReason::TestsPassed | EndReason::SuitePassed);
    if passed { teacher.refute(session, Scope::All) } else { None }
}

/// Turns a refusal of the teacher into the reason to stop.
fn refused<E: Error + 'static>(
    limits: &Limits<'_>,
    started: Instant,
    refusal: NoAnswer<E>,
) -> Stop<E> {
    Stop::Over(match refusal {
        NoAnswer::Device { error, word, sent } => Outcome::Failure(Failure { error, word, sent }),
        NoAnswer::Overturned => return Stop::Overturned,
        NoAnswer::Store(error) => Outcome::Store(error),
        NoAnswer::Unsettled(unsettled) => Outcome::Contradiction(unsettled),
        NoAnswer::Stopped => limits.check(started).err().unwrap_or(Outcome::Interrupted),
    })
}

/// The next action of a lane. Grows the session's memory if needed.
fn next<E>(
    session: &mut HostSession,
    lane: u32,
    limits: &Limits<'_>,
    started: Instant,
    reply: Reply<'_>,
) -> Result<Action, Stop<E>> {
    let action = serve::next(session, lane, reply, &mut grow_within(limits));
    let action = action.map_err(|error| stopped(session, error))?;
    limits.check(started).map_err(Stop::Over)?;
    Ok(action)
}

/// Why a session cannot go on.
fn stopped<E>(session: &HostSession, error: SessionError) -> Stop<E> {
    Stop::Over(match error {
        SessionError::Capacity(error) => Outcome::Memory(error),
        SessionError::Contradiction(contradiction) => {
            Outcome::Contradiction(unsettled(session, contradiction))
        }
        SessionError::Misuse(misuse) => unreachable!("{}", unexpected(misuse)),
    })
}

/// The contradiction of a device that is asked each word anew.
fn unsettled(session: &HostSession, contradiction: Contradiction) -> Unsettled {
    let Contradiction { lane, position, before, now, .. } = contradiction;
    let answers = [before, now].map(|output| (session.output_name(output).to_vec(), 1));
    Unsettled {
        word: session.word(lane).take(position as usize + 1).collect(),
        answers: answers.into(),
    }
}

/// The loops reply as each action requires, so the session never reports misuse.
fn unexpected(misuse: Misuse) -> String {
    format!("the session was misused: {misuse}")
}

/// Grows a session within the limits.
fn grow_within(limits: &Limits<'_>) -> impl Grow<Vec<u32>, AnyLearner> {
    move |session: &mut HostSession, error| grow(session, limits.memory_bytes, error).is_ok()
}

impl Limits<'_> {
    fn check<E>(&self, started: Instant) -> Result<(), Outcome<E>> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Outcome::Interrupted);
        }
        match self.time {
            Some(time) if started.elapsed() >= time => Err(Outcome::Time),
            _ => Ok(()),
        }
    }
}

impl Verdict {
    fn reply(&self) -> Reply<'_> {
        match self {
            Self::Test => Reply::Ready,
            Self::Equivalent => Reply::Equivalent,
            Self::Counterexample(word) => Reply::Counterexample(word),
            Self::Advice(word) => Reply::Advice(word),
        }
    }
}
