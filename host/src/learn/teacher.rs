//! What a session is answered by: a device, or the store around one.

use std::error::Error;

use mealybug_core::{Costs, Input, Sul};

use super::{Counted, HostSession};
use crate::store::{Prices, Refusal, StoreError, Tried};

/// Answers the words of a session, and knows what it has answered.
///
/// (In the literature a learner's questions are put to a *minimally adequate teacher*: Angluin,
/// *Learning regular sets from queries and counterexamples*, 1987.)
pub trait Teacher {
    /// Why the device or the link to it failed.
    type Error: Error + 'static;

    /// A session begins: it has been told nothing.
    fn begin(&mut self) {}

    /// The word of this lane will be asked, after those of other lanes that were announced before it.
    fn announce(&mut self, session: &HostSession, lane: u32);

    /// The word of this lane is asked from a reset on.
    ///
    /// # Errors
    /// The device failed, or the word has no answer for another reason.
    fn reset(&mut self, session: &HostSession, lane: u32) -> Result<(), Refusal<Self::Error>>;

    /// The answer to the next input of the lane's word. What takes long asks `is_over` now and then
    /// whether the run is to end.
    ///
    /// # Errors
    /// The device failed, or the word has no answer for another reason.
    fn step(
        &mut self,
        session: &HostSession,
        lane: u32,
        input: Input,
        is_over: &dyn Fn() -> bool,
    ) -> Result<&[u8], Refusal<Self::Error>>;

    /// A shortest word whose answer is known and is not that of the session's hypothesis.
    fn refute(&mut self, session: &HostSession, scope: Scope) -> Option<Vec<Input>> {
        let _ = (session, scope);
        None
    }

    /// What a reset and each input cost beside each other, where that matters; asked when there is a
    /// hypothesis.
    ///
    /// # Errors
    /// What was measured cannot be kept.
    fn prices(&mut self, session: &HostSession) -> Result<Option<Prices>, StoreError> {
        let _ = session;
        Ok(None)
    }

    /// What was answered, and how.
    fn tally(&self) -> Tally;
}

/// Which answers a hypothesis is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those that the session was given, so that it asks the same words whatever else is known.
    Session,
    /// All that are known.
    All,
}

/// What was answered, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// What was asked of the device, words that were asked again included.
    pub device: Costs,
    /// Symbols that were answered from memory.
    pub recalled: u64,
    /// Answers of the device that are not believed, since others came more often.
    pub strays: u64,
    /// Whether the session has not needed the device yet.
    pub is_replay: bool,
    /// How much of the last hypothesis the answers have tried, if they are kept and it is not too
    /// large.
    pub tried: Option<Tried>,
}

/// A device that is believed, and asked every time.
impl<S: Sul<Error: Error + 'static>> Teacher for Counted<S> {
    type Error = S::Error;

    fn announce(&mut self, session: &HostSession, lane: u32) {
        Sul::announce(self, &session.word(lane).collect::<Vec<_>>());
    }

    fn reset(&mut self, session: &HostSession, lane: u32) -> Result<(), Refusal<S::Error>> {
        let word: Vec<_> = session.word(lane).collect();
        self.reset_for(&word).map_err(|error| Refusal::Device { error, sent: 0 })
    }

    fn step(
        &mut self,
        session: &HostSession,
        lane: u32,
        input: Input,
        _: &dyn Fn() -> bool,
    ) -> Result<&[u8], Refusal<S::Error>> {
        let sent = || session.word(lane).count() - session.ahead(lane).count();
        Sul::step(self, input).map_err(|error| Refusal::Device { error, sent: sent() })
    }

    fn tally(&self) -> Tally {
        Tally { device: self.costs(), ..Tally::default() }
    }
}
