//! The run: a session and a device, served until one of them has had enough.
//!
//! The session decides what to ask; a [`Teacher`] answers: a device, or the store around one. What
//! else a run needs stands around the loop: memory that grows ([`Limits::memory_bytes`]), words that
//! are asked again when the link failed, a session that begins anew when an answer is no longer
//! believed, time, and Ctrl-C. What a run shows and knows beyond its device is a [`Watch`].

mod counted;
mod oracle;
mod published;
mod teacher;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mealybug_core::{
    Action, CapacityError, Contradiction, Hypothesis, Input, Misuse, Reply, Session, SessionError,
    Why,
};

pub use counted::Counted;
pub use oracle::Oracle;
pub use published::PublishedCosts;
pub use teacher::{Scope, Tally, Teacher};

use crate::store::{Refusal, StoreError, Unsettled};

/// A session as the host has it: its memory can grow.
pub type HostSession = Session<Vec<u32>>;

/// How much memory a session begins with.
pub const FIRST_MEMORY_BYTES: usize = 16 * 1024;

/// When a run ends, beside the budget of its session.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// How much memory the session may have; it begins with less and grows.
    pub memory_bytes: usize,
    /// How long the run may take.
    pub time: Option<Duration>,
    /// The run ends as soon as this is true.
    pub interrupted: &'a AtomicBool,
}

/// What happens during a run, for those who show it, count it, or know the right model.
pub trait Watch<E> {
    /// Something is about to be asked; this comes for each symbol and must be quick.
    fn asking(&mut self, session: &HostSession, tally: &Tally) {
        let _ = (session, tally);
    }

    /// The session's word is about to be asked, from a reset on.
    fn word(&mut self, session: &HostSession) {
        let _ = session;
    }

    /// There is a hypothesis: a new one, or again that for which the last verdict was a counterexample
    /// that is none.
    fn hypothesis(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
        let _ = (session, hypothesis);
        Verdict::Test
    }

    /// An answer is no longer believed: the session begins anew, and is soon where it was.
    fn begins_anew(&mut self, tally: &Tally) {
        let _ = tally;
    }

    /// The device or its link failed; whether to ask the word again, from a reset on. `attempts` is
    /// how often this word was tried.
    fn retry(&mut self, failure: &Failure<E>, attempts: u32) -> bool {
        let _ = (failure, attempts);
        false
    }
}

/// What is known about a hypothesis before it is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: it must be tested.
    Test,
    /// It is right.
    Equivalent,
    /// It is wrong on this word.
    Counterexample(Vec<Input>),
}

/// The device or its link failed while a word was being asked.
#[derive(Clone, Debug)]
pub struct Failure<E> {
    /// What went wrong.
    pub error: E,
    /// The word.
    pub word: Vec<Input>,
    /// How many inputs of it were sent; the failure is at the last of these, or at the reset.
    pub sent: usize,
}

/// Why a run is over.
#[derive(Debug)]
pub enum Ending<E> {
    /// The session says so.
    Session(Why),
    /// Its time is over.
    Time,
    /// Its owner stopped it.
    Interrupted,
    /// It needs more memory than it may have.
    Memory(CapacityError),
    /// The device gave several outputs to the same word, and asking again did not settle it.
    Contradiction(Unsettled),
    /// The device or its link failed.
    Failure(Failure<E>),
    /// The answers cannot be kept.
    Store(StoreError),
}

impl<E> Ending<E> {
    /// Whether the hypothesis withstood all that was to be tried.
    pub fn is_converged(&self) -> bool {
        matches!(self, Self::Session(why) if why.is_converged())
    }
}

/// Serves `session` with `teacher` until the run is over; the session keeps what was learned.
///
/// # Panics
/// The session has several lanes, or has begun.
pub fn learn<T: Teacher>(
    session: &mut HostSession,
    teacher: &mut T,
    limits: &Limits<'_>,
    watch: &mut impl Watch<T::Error>,
) -> Ending<T::Error> {
    assert_eq!(session.options().lanes, 1, "one device, one lane");
    let fresh = session.clone();
    let mut former = None;
    let started = Instant::now();
    let ending = loop {
        teacher.begin();
        match serve(session, teacher, limits, started, watch) {
            Ok(why) => break Ending::Session(why),
            Err(Stop::Over(ending)) => break ending,
            Err(Stop::Overturned) => {
                watch.begins_anew(&teacher.tally());
                let overturned = std::mem::replace(session, fresh.clone());
                former =
                    Some(overturned).filter(|session| session.hypothesis().is_some()).or(former);
            }
        }
    };
    // A hypothesis that rests on a wrong answer is better than none, where the run did not converge.
    if let Some(former) = former.filter(|_| session.hypothesis().is_none()) {
        *session = former;
    }
    if matches!(ending, Ending::Time | Ending::Interrupted) {
        session.stop();
    }
    ending
}

/// Why a session is served no longer.
enum Stop<E> {
    Over(Ending<E>),
    /// It was told something that is no longer believed.
    Overturned,
}

fn serve<T: Teacher>(
    session: &mut HostSession,
    teacher: &mut T,
    limits: &Limits<'_>,
    started: Instant,
    watch: &mut impl Watch<T::Error>,
) -> Result<Why, Stop<T::Error>> {
    let is_over = || limits.check::<T::Error>(started).is_err();
    let mut attempts = 0;
    let mut again = false;
    let mut verdict;
    let mut reply = Reply::Ready;
    loop {
        let action = next(session, limits, reply).map_err(Stop::Over)?;
        limits.check(started).map_err(Stop::Over)?;
        watch.asking(session, &teacher.tally());
        let result = match action {
            Action::Reset => {
                if !again {
                    watch.word(session);
                    attempts = 0;
                }
                attempts += 1;
                again = false;
                teacher.reset(session).map(|()| Reply::Ready)
            }
            Action::Input(input) => teacher.step(session, input, &is_over).map(Reply::Output),
            Action::Hypothesis => {
                verdict = judge(session, teacher, watch);
                Ok(verdict.reply())
            }
            Action::Idle => Ok(Reply::Ready),
            Action::Done(why) => {
                let Some(word) = refuted_after(why, session, teacher) else { return Ok(why) };
                verdict = Verdict::Counterexample(word);
                Ok(verdict.reply())
            }
        };
        reply = match result {
            Ok(reply) => reply,
            Err(refusal) => {
                let failure = failure(session, limits, started, refusal)?;
                retry(session, limits, watch, failure, attempts).map_err(Stop::Over)?;
                again = true;
                Reply::Ready
            }
        };
    }
}

/// What is known about the session's hypothesis. A counterexample by the watch may be none, one by the
/// answers is one.
fn judge<T: Teacher>(
    session: &HostSession,
    teacher: &mut T,
    watch: &mut impl Watch<T::Error>,
) -> Verdict {
    let hypothesis = session.hypothesis();
    let verdict = hypothesis.map_or(Verdict::Test, |h| watch.hypothesis(session, h));
    if matches!(verdict, Verdict::Counterexample(_)) {
        return verdict;
    }
    teacher.refute(session, Scope::Session).map_or(verdict, Verdict::Counterexample)
}

/// The hypothesis has passed all tests: a word to which another answer is known, from a session before.
fn refuted_after<T: Teacher>(
    why: Why,
    session: &HostSession,
    teacher: &mut T,
) -> Option<Vec<Input>> {
    let passed = matches!(why, Why::TestsPassed | Why::SuitePassed);
    if passed { teacher.refute(session, Scope::All) } else { None }
}

/// The failure of the device, if it is one.
fn failure<E: Error + 'static>(
    session: &HostSession,
    limits: &Limits<'_>,
    started: Instant,
    refusal: Refusal<E>,
) -> Result<Failure<E>, Stop<E>> {
    Err(match refusal {
        Refusal::Device { error, sent } => {
            return Ok(Failure { error, word: session.word(0).collect(), sent });
        }
        Refusal::Overturned => Stop::Overturned,
        Refusal::Store(error) => Stop::Over(Ending::Store(error)),
        Refusal::Unsettled(unsettled) => Stop::Over(Ending::Contradiction(unsettled)),
        Refusal::Stopped => Stop::Over(limits.check(started).err().unwrap_or(Ending::Interrupted)),
    })
}

/// The session's next action, in larger memory if it needs that.
fn next<E>(
    session: &mut HostSession,
    limits: &Limits<'_>,
    reply: Reply<'_>,
) -> Result<Action, Ending<E>> {
    loop {
        match session.next(0, reply) {
            Ok(action) => return Ok(action),
            Err(SessionError::Capacity(error)) => {
                grow(session, limits.memory_bytes, error).map_err(Ending::Memory)?;
            }
            Err(SessionError::Contradiction(contradiction)) => {
                return Err(Ending::Contradiction(unsettled(session, contradiction)));
            }
            Err(SessionError::Misuse(misuse)) => unreachable!("{}", unexpected(misuse)),
        }
    }
}

/// The contradiction of a device that is asked every time.
fn unsettled(session: &HostSession, contradiction: Contradiction) -> Unsettled {
    let Contradiction { lane, position, before, now, .. } = contradiction;
    let answers = [before, now].map(|output| (session.output_name(output).to_vec(), 1));
    Unsettled {
        word: session.word(lane).take(position as usize + 1).collect(),
        answers: answers.into(),
    }
}

/// The loop above replies what each action asks for, so a session never complains about it.
fn unexpected(misuse: Misuse) -> String {
    format!("the session was misused: {misuse}")
}

/// Moves `session` into twice the memory that it has, or into what it needs if that is more.
///
/// # Errors
/// It needs more than `limit_bytes`; it stays where it is.
pub fn grow(
    session: &mut HostSession,
    limit_bytes: usize,
    error: CapacityError,
) -> Result<(), CapacityError> {
    let capacity = session.capacity_bytes();
    let wanted = capacity.saturating_mul(2).max(error.needed).min(limit_bytes);
    let words = wanted / size_of::<u32>();
    if words * size_of::<u32>() <= capacity || error.needed > limit_bytes {
        return Err(error);
    }
    session.move_into(vec![0; words]).map(drop).map_err(|_| error)
}

/// Has the word that failed asked again, if the watch wants that.
fn retry<E>(
    session: &mut HostSession,
    limits: &Limits<'_>,
    watch: &mut impl Watch<E>,
    failure: Failure<E>,
    attempts: u32,
) -> Result<(), Ending<E>> {
    // Ctrl-C reaches the commands that reset a device, too: then they fail, and not the device.
    if limits.interrupted.load(Ordering::Relaxed) {
        return Err(Ending::Interrupted);
    }
    if !watch.retry(&failure, attempts) {
        return Err(Ending::Failure(failure));
    }
    session.failed(0);
    Ok(())
}

impl Limits<'_> {
    fn check<E>(&self, started: Instant) -> Result<(), Ending<E>> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Ending::Interrupted);
        }
        match self.time {
            Some(time) if started.elapsed() >= time => Err(Ending::Time),
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
        }
    }
}
