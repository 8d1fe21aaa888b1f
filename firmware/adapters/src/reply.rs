//! Decides when a reply has ended.

use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::rule::{Length, ReplyRule};

use crate::heard::{Heard, HeardFull};
use crate::rules::Rules;

/// A reply while it comes in. Times count from the moment when the input had been sent.
#[derive(Debug)]
pub(crate) struct IncomingReply {
    rule: ReplyRule,
    /// When a step that only listens ends; nothing else ends such a reply.
    listens_ms: Option<u32>,
    /// How many bytes came, whether they count or not.
    came: u32,
    /// When the last byte that counts came.
    last_ms: u32,
    piece: ReplyPiece,
    /// A byte came later than `max_ms` after the input, and the reply did not end with it.
    is_overdue: bool,
    state: MatchState,
}

/// The text and its last time before the current millisecond. Bytes of one millisecond count
/// together, unless the reply can end in the middle of them: a text that `strip` removes may be
/// only half there.
#[derive(Clone, Copy, Debug, Default)]
struct ReplyPiece {
    at_ms: u32,
    len: usize,
    last_ms: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchState {
    /// The end of the reply has not come.
    Open,
    /// The end has come; the grace period runs.
    Matched,
    /// The reply has ended.
    Ended,
}

impl IncomingReply {
    /// A reply of which nothing has come yet.
    pub(crate) fn new(rule: ReplyRule, listens_ms: Option<u32>) -> Self {
        let (piece, state) = (ReplyPiece::default(), MatchState::Open);
        Self { rule, listens_ms, came: 0, last_ms: 0, piece, is_overdue: false, state }
    }

    /// How long to wait for the next byte; `None` when the reply has ended.
    pub(crate) fn deadline_ms(&self, heard: &Heard) -> Option<u32> {
        if self.state == MatchState::Ended {
            return None;
        }
        if self.listens_ms.is_some() {
            return self.listens_ms;
        }
        if self.is_overdue {
            // Only bytes that are already here can still end the reply.
            return Some(0);
        }
        if heard.body().is_empty() {
            return Some(self.rule.within_ms);
        }
        let silence_ms = match self.state {
            MatchState::Matched => self.rule.quiet_ms.min(self.rule.grace_ms),
            _ => self.rule.quiet_ms,
        };
        Some(self.last_ms.saturating_add(silence_ms))
    }

    /// Takes a byte that came at `at_ms`.
    ///
    /// # Errors
    /// The reply is longer than the rule allows.
    pub(crate) fn take(
        &mut self,
        heard: &mut Heard,
        rules: &Rules,
        byte: u8,
        at_ms: u32,
    ) -> Result<(), DeviceError> {
        self.came = self.came.saturating_add(1);
        if self.came > self.rule.max_bytes {
            return Err(DeviceError::TooLong);
        }
        if at_ms != self.piece.at_ms || self.ends_within_a_piece() {
            self.piece = ReplyPiece { at_ms, len: heard.body().len(), last_ms: self.last_ms };
        }
        heard.push(rules, byte).map_err(|HeardFull| DeviceError::TooLong)?;
        // Bytes that do not count are silence, however many come.
        let counts = heard.body().len() != self.piece.len;
        self.last_ms = if counts { at_ms } else { self.piece.last_ms };
        if self.listens_ms.is_none() && !heard.body().is_empty() {
            self.state = self.judge(heard, rules);
        }
        self.is_overdue = self.listens_ms.is_none() && at_ms > self.rule.max_ms;
        Ok(())
    }

    /// The deadline passed without a byte.
    ///
    /// # Errors
    /// The reply takes longer than the rule allows.
    pub(crate) fn expire(&mut self, heard: &mut Heard, rules: &Rules) -> Result<(), DeviceError> {
        if self.is_overdue {
            return Err(DeviceError::Unending);
        }
        heard.expire(rules);
        self.state = MatchState::Ended;
        Ok(())
    }

    /// When the last byte that counts came.
    pub(crate) fn last_ms(&self) -> u32 {
        self.last_ms
    }

    /// Whether the reply can end in the middle of the bytes of one millisecond.
    fn ends_within_a_piece(&self) -> bool {
        let rule = &self.rule;
        let at_once = rule.line.len > 0
            || rule.lines > 0
            || rule.length.is_some()
            || rule.ends.len > 0 && rule.grace_ms == 0;
        self.listens_ms.is_none() && at_once
    }

    fn judge(&self, heard: &Heard, rules: &Rules) -> MatchState {
        let rule = &self.rule;
        let length = rule.length.and_then(|length| frame_length(length, heard.body()));
        let has_end = heard.has_end(rules);
        if heard.has_line(rules)
            || rule.lines > 0 && heard.lines() >= rule.lines
            || length.is_some_and(|length| heard.body().len() >= length)
            || has_end && rule.grace_ms == 0
        {
            MatchState::Ended
        } else if has_end {
            MatchState::Matched
        } else {
            MatchState::Open
        }
    }
}

/// The length of a reply that begins with `body`, once its length field has come.
fn frame_length(length: Length, body: &[u8]) -> Option<usize> {
    let number = body.get(length.at.into()..)?.get(..length.size.into())?;
    let append = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
    let number = if length.is_little_endian {
        number.iter().rev().fold(0, append)
    } else {
        number.iter().fold(0, append)
    };
    usize::try_from(number.checked_add(length.plus)?).ok()
}
