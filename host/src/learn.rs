//! The run: a session and a device, served until one of them has had enough.
//!
//! The session decides what to ask; this asks it. What else a run needs stands around the loop:
//! memory that grows ([`Limits::memory_bytes`]), words that are asked again when the link failed,
//! time, and Ctrl-C. What a run shows and knows beyond its device is a [`Watch`].

mod counted;
mod oracle;
mod published;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mealybug_core::{
    Action, CapacityError, Contradiction, Hypothesis, Input, Misuse, Reply, Session, SessionError,
    Sul, Why,
};

pub use counted::Counted;
pub use oracle::Oracle;
pub use published::PublishedCosts;

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
    fn asking(&mut self, session: &HostSession) {
        let _ = session;
    }

    /// The session's word is about to be asked, from a reset on.
    fn word(&mut self, session: &HostSession) {
        let _ = session;
    }

    /// There is a new hypothesis.
    fn hypothesis(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
        let _ = (session, hypothesis);
        Verdict::Test
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
#[derive(Clone, Debug)]
pub enum Ending<E> {
    /// The session says so.
    Session(Why),
    /// Its time is over.
    Time,
    /// Its owner stopped it.
    Interrupted,
    /// It needs more memory than it may have.
    Memory(CapacityError),
    /// The device gave another output than before to the same word.
    Contradiction(Contradiction),
    /// The device or its link failed.
    Failure(Failure<E>),
}

impl<E> Ending<E> {
    /// Whether the hypothesis withstood all that was to be tried.
    pub fn is_converged(&self) -> bool {
        matches!(self, Self::Session(why) if why.is_converged())
    }
}

/// Serves `session` with `sul` until the run is over; the session keeps what was learned.
///
/// # Panics
/// The session has several lanes.
pub fn learn<S: Sul>(
    session: &mut HostSession,
    sul: &mut S,
    limits: &Limits<'_>,
    watch: &mut impl Watch<S::Error>,
) -> Ending<S::Error>
where
    S::Error: Error,
{
    assert_eq!(session.options().lanes, 1, "one device, one lane");
    let ending = serve(session, sul, limits, watch).map_or_else(|ending| ending, Ending::Session);
    if matches!(ending, Ending::Time | Ending::Interrupted) {
        session.stop();
    }
    ending
}

fn serve<S: Sul>(
    session: &mut HostSession,
    sul: &mut S,
    limits: &Limits<'_>,
    watch: &mut impl Watch<S::Error>,
) -> Result<Why, Ending<S::Error>> {
    let started = Instant::now();
    let mut attempts = 0;
    let mut again = false;
    let mut verdict;
    let mut reply = Reply::Ready;
    loop {
        let action = next(session, limits, reply)?;
        limits.check(started)?;
        watch.asking(session);
        let result = match action {
            Action::Reset => {
                if !again {
                    watch.word(session);
                    attempts = 0;
                }
                attempts += 1;
                again = false;
                sul.reset().map(|()| Reply::Ready)
            }
            Action::Input(input) => sul.step(input).map(Reply::Output),
            Action::Hypothesis => {
                let hypothesis = session.hypothesis();
                verdict = hypothesis.map_or(Verdict::Test, |h| watch.hypothesis(session, h));
                Ok(verdict.reply())
            }
            Action::Idle => Ok(Reply::Ready),
            Action::Done(why) => return Ok(why),
        };
        reply = match result {
            Ok(reply) => reply,
            Err(error) => {
                retry(session, limits, watch, error, attempts)?;
                again = true;
                Reply::Ready
            }
        };
    }
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
                return Err(Ending::Contradiction(contradiction));
            }
            Err(SessionError::Misuse(misuse)) => unreachable!("{}", unexpected(misuse)),
        }
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
    error: E,
    attempts: u32,
) -> Result<(), Ending<E>> {
    // Ctrl-C reaches the commands that reset a device, too: then they fail, and not the device.
    if limits.interrupted.load(Ordering::Relaxed) {
        return Err(Ending::Interrupted);
    }
    let word: Vec<_> = session.word(0).collect();
    let sent = word.len() - session.ahead(0).count();
    let failure = Failure { error, word, sent };
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
