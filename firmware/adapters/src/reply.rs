//! When a reply has ended.

use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::rule::{Length, ReplyRule};

use crate::heard::{Full, Heard};
use crate::rules::Rules;

/// A reply as it comes in. Times count from the moment when the input had been sent.
#[derive(Debug)]
pub(crate) struct Reply {
    rule: ReplyRule,
    /// The end of a reply to mere listening, which nothing else ends.
    listens_ms: Option<u32>,
    /// How many bytes came, whether they count or not.
    came: u32,
    /// When the last byte came that counts.
    last_ms: u32,
    piece: Piece,
    /// More came than `max_ms` after the input, and did not end it.
    is_overdue: bool,
    state: State,
}

/// What came in one millisecond, and how it was before. It counts together, where no end can be in
/// the midst of it: half of what `strip` removes is not yet removed.
#[derive(Clone, Copy, Debug, Default)]
struct Piece {
    at_ms: u32,
    len: usize,
    last_ms: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No end is in sight.
    Open,
    /// The end of a reply is there; the grace runs.
    Matched,
    /// It is over.
    Ended,
}

impl Reply {
    /// Nothing has come yet.
    pub(crate) fn new(rule: ReplyRule, listens_ms: Option<u32>) -> Self {
        let (piece, state) = (Piece::default(), State::Open);
        Self { rule, listens_ms, came: 0, last_ms: 0, piece, is_overdue: false, state }
    }

    /// Until when to wait for more; `None` when the reply has ended.
    pub(crate) fn deadline_ms(&self, heard: &Heard) -> Option<u32> {
        if self.state == State::Ended {
            return None;
        }
        if self.listens_ms.is_some() {
            return self.listens_ms;
        }
        if self.is_overdue {
            // Only what is here already can still end it.
            return Some(0);
        }
        if heard.body().is_empty() {
            return Some(self.rule.within_ms);
        }
        let silence_ms = match self.state {
            State::Matched => self.rule.quiet_ms.min(self.rule.grace_ms),
            _ => self.rule.quiet_ms,
        };
        Some(self.last_ms.saturating_add(silence_ms))
    }

    /// Takes a byte that came at this time.
    ///
    /// # Errors
    /// The reply is longer than it may be.
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
            self.piece = Piece { at_ms, len: heard.body().len(), last_ms: self.last_ms };
        }
        heard.push(rules, byte).map_err(|Full| DeviceError::TooLong)?;
        // Bytes that do not count are silence, however many there are.
        let counts = heard.body().len() != self.piece.len;
        self.last_ms = if counts { at_ms } else { self.piece.last_ms };
        if self.listens_ms.is_none() && !heard.body().is_empty() {
            self.state = self.judge(heard, rules);
        }
        self.is_overdue = self.listens_ms.is_none() && at_ms > self.rule.max_ms;
        Ok(())
    }

    /// Nothing more came by the deadline.
    ///
    /// # Errors
    /// The reply takes longer than it may.
    pub(crate) fn expire(&mut self, heard: &mut Heard, rules: &Rules) -> Result<(), DeviceError> {
        if self.is_overdue {
            return Err(DeviceError::Unending);
        }
        heard.expire(rules);
        self.state = State::Ended;
        Ok(())
    }

    /// When the last byte came that counts.
    pub(crate) fn last_ms(&self) -> u32 {
        self.last_ms
    }

    /// Whether an end can be met in the midst of what comes at once.
    fn ends_within_a_piece(&self) -> bool {
        let rule = &self.rule;
        let at_once = rule.line.len > 0
            || rule.lines > 0
            || rule.length.is_some()
            || rule.ends.len > 0 && rule.grace_ms == 0;
        self.listens_ms.is_none() && at_once
    }

    fn judge(&self, heard: &Heard, rules: &Rules) -> State {
        let rule = &self.rule;
        let length = rule.length.and_then(|length| frame_length(length, heard.body()));
        let has_end = heard.has_end(rules);
        if heard.has_line(rules)
            || rule.lines > 0 && heard.lines() >= rule.lines
            || length.is_some_and(|length| heard.body().len() >= length)
            || has_end && rule.grace_ms == 0
        {
            State::Ended
        } else if has_end {
            State::Matched
        } else {
            State::Open
        }
    }
}

/// How long a reply that begins so is, as soon as that can be told.
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
