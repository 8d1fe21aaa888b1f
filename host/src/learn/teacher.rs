//! What answers a session: a device, or the store around one.

use std::error::Error;

use mealybug_core::{Costs, Input, Observations, Purpose, Sul};

use super::{Counted, HostSession};
use crate::store::{AnswerTree, NoAnswer, Prices, StoreError, Tried};

/// Answers the words of a session and counts the answers.
///
/// (The literature calls it a *minimally adequate teacher*: Angluin, *Learning regular sets from
/// queries and counterexamples*, 1987.)
pub trait Teacher {
    /// An error of the device or the link to it.
    type Error: Error + 'static;

    /// A new session begins, which knows no answers.
    fn begin(&mut self) {}

    /// The word of this lane will be asked, after the words that other lanes announced before.
    fn announce(&mut self, session: &HostSession, lane: u32);

    /// Starts asking the word of this lane, with a reset.
    ///
    /// # Errors
    /// The device failed, or the word has no answer for another reason.
    fn reset(&mut self, session: &HostSession, lane: u32) -> Result<(), NoAnswer<Self::Error>>;

    /// The answer to the next input of the lane's word. `is_over` says whether the run is to end; it
    /// is told of the symbols that are asked beyond this one.
    ///
    /// # Errors
    /// The device failed, or the word has no answer for another reason.
    fn step(
        &mut self,
        session: &HostSession,
        lane: u32,
        input: Input,
        is_over: &mut dyn FnMut(&Tally) -> bool,
    ) -> Result<&[u8], NoAnswer<Self::Error>>;

    /// A shortest word whose known answer differs from that of the session's hypothesis.
    fn refute(&mut self, session: &HostSession, scope: Scope) -> Option<Vec<Input>> {
        let _ = (session, scope);
        None
    }

    /// The relative costs of a reset and each input, if the tests are to follow them. Called at
    /// each hypothesis.
    ///
    /// # Errors
    /// The measured costs cannot be stored.
    fn prices(&mut self, session: &HostSession) -> Result<Option<Prices>, StoreError> {
        let _ = session;
        Ok(None)
    }

    /// One of how many symbols is lost or wrong, if the tests are to follow it. Called at each hypothesis.
    ///
    /// # Errors
    /// What was measured cannot be stored.
    fn symbols_per_fault(&mut self, session: &HostSession) -> Result<Option<u32>, StoreError> {
        let _ = session;
        Ok(None)
    }

    /// All answers of the device, if they are kept.
    fn answers(&self) -> Option<&AnswerTree> {
        None
    }

    /// The counts so far.
    fn tally(&self) -> Tally;
}

/// The answers with which a hypothesis is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The answers that the session was given. The session then asks the same words whatever else
    /// is known.
    Session,
    /// All known answers.
    All,
}

/// Counts of answers, by their origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The cost at the device, including words that were asked again.
    pub device: Costs,
    /// Symbols answered from memory.
    pub recalled: u64,
    /// Answers of the device that are not believed, because other answers were more frequent.
    pub strays: u64,
    /// Answers that were lost on their way, where they were known and the word went on.
    pub garbled: u64,
    /// While answers are confirmed: how many words were asked again, and of how many.
    pub confirming: Option<(usize, usize)>,
    /// Whether the session has not needed the device yet.
    pub is_replay: bool,
    /// How much of the last hypothesis the answers have tried, if answers are kept and the
    /// hypothesis is not too large.
    pub tried: Option<Tried>,
}

impl Tally {
    /// Whether the session takes in what is known already.
    pub fn replays(&self) -> bool {
        self.is_replay && self.recalled > 0
    }
}

/// Announces the word of a lane. Learners with a tree go on with some words, depending on the answers.
pub(crate) fn announce(sul: &mut impl Sul, session: &HostSession, word: &[Input]) {
    let has_tree = session.options().observations == Observations::Tree;
    if has_tree && session.purpose() == Purpose::Learning {
        sul.announce_open(word);
    } else {
        sul.announce(word);
    }
}

/// A device whose answers are all believed, and which is asked each word anew.
impl<S: Sul<Error: Error + 'static>> Teacher for Counted<S> {
    type Error = S::Error;

    fn announce(&mut self, session: &HostSession, lane: u32) {
        announce(self, session, &session.word(lane).collect::<Vec<_>>());
    }

    fn reset(&mut self, session: &HostSession, lane: u32) -> Result<(), NoAnswer<S::Error>> {
        let word: Vec<_> = session.word(lane).collect();
        self.reset_for(&word).map_err(|error| NoAnswer::Device { error, word, sent: 0 })
    }

    fn step(
        &mut self,
        session: &HostSession,
        lane: u32,
        input: Input,
        _: &mut dyn FnMut(&Tally) -> bool,
    ) -> Result<&[u8], NoAnswer<S::Error>> {
        let sent = || session.word(lane).count() - session.ahead(lane).count();
        Sul::step(self, input).map_err(|error| {
            let word = session.word(lane).collect();
            NoAnswer::Device { error, word, sent: sent() }
        })
    }

    fn tally(&self) -> Tally {
        Tally { device: self.costs(), ..Tally::default() }
    }
}
