//! When a reply has ended, and which part of it counts.

mod end_bytes;

use std::time::Duration;

use end_bytes::EndBytes;

use super::echo::EchoFilter;
use super::framed_text::FramedText;
use crate::device::{ReplySection, Stuffing};

/// The first bytes of a reply are looked at one by one, up to this number. Most replies are shorter, and it takes time to find
/// out which bytes can end one.
const SHORT: usize = 256;

/// A reply as it comes in.
///
/// A pure state machine: bytes and their times go in, and the time until which to wait for more
/// comes out. It does not matter how the bytes were split into pieces. An end that needs no silence
/// (`lines`, `length`, `match` without grace) is found byte by byte where it is first met. Bytes
/// after it are [`excess`](Self::excess), whether they came in the same piece or later.
///
/// Times count from the moment when the input was completely sent.
///
/// ```
/// use std::time::Duration;
/// use mealybug::{device::ReplySection, serial::ReplyParser};
///
/// let rule = ReplySection { lines: Some(1), ..ReplySection::default() };
/// let mut reply = ReplyParser::new(&rule, b"MEAS?\n");
/// assert_eq!(reply.deadline(), Some(rule.within));
/// reply.take(b"1.25", Duration::from_millis(7)).unwrap();
/// assert_eq!(reply.deadline(), Some(Duration::from_millis(57)));
/// reply.take(b"\n", Duration::from_millis(8)).unwrap();
/// assert_eq!(reply.deadline(), None);
/// assert_eq!(reply.output(), Some(&b"1.25\n"[..]));
/// ```
#[derive(Clone, Debug)]
pub struct ReplyParser<'r> {
    rule: &'r ReplySection,
    /// For a wait, the time at which the reply ends.
    waits_until: Option<Duration>,
    echo: Option<EchoFilter>,
    /// Everything that was received.
    raw: Vec<u8>,
    /// The part that counts.
    body: FramedText,
    /// How many line feeds it has.
    line_ends: usize,
    /// The time of the last byte that counts.
    last: Duration,
    state: ReplyState,
    /// Whether silence ended it, though the rule describes another end.
    is_unmet: bool,
    /// See [`Self::has_expired`].
    has_expired: bool,
    excess: Vec<u8>,
    /// The bytes at which it can end, once it is long.
    end_bytes: Option<EndBytes>,
}

/// How far a reply has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplyState {
    /// No end was met yet.
    Open,
    /// `match` fits, and `grace_ms` is not over.
    Matched,
    /// The reply has ended.
    Ended,
}

/// A reply exceeded a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unending {
    /// More than `max_bytes` came.
    Bytes,
    /// Bytes still came after `max_ms`.
    Time,
}

impl<'r> ReplyParser<'r> {
    /// The reply to `sent`, before its first byte.
    pub fn new(rule: &'r ReplySection, sent: &[u8]) -> Self {
        let sent = Stuffing::contents(rule.stuffing, sent);
        let echo = (rule.echo && !sent.is_empty()).then(|| EchoFilter::of(&sent, &rule.strip));
        Self {
            rule,
            waits_until: None,
            echo,
            raw: Vec::new(),
            body: FramedText::default(),
            line_ends: 0,
            last: Duration::ZERO,
            state: ReplyState::Open,
            is_unmet: false,
            has_expired: false,
            excess: Vec::new(),
            end_bytes: None,
        }
    }

    /// A reply that ends when `time` is over; the ends of the rule do not apply.
    pub fn while_waiting(rule: &'r ReplySection, sent: &[u8], time: Duration) -> Self {
        Self { waits_until: Some(time), ..Self::new(rule, sent) }
    }

    /// Until when to wait for more; `None` if the reply has ended.
    ///
    /// If nothing more came by then, call [`expire`](Self::expire).
    pub fn deadline(&self) -> Option<Duration> {
        let rule = self.rule;
        if self.state == ReplyState::Ended {
            return None;
        }
        if self.waits_until.is_some() {
            return self.waits_until;
        }
        if self.body.bytes.is_empty() {
            return Some(rule.within);
        }
        let silence = match self.state {
            ReplyState::Matched => rule.silence().min(rule.grace),
            _ => rule.silence(),
        };
        Some(self.last + silence)
    }

    /// Takes bytes that arrived at this time.
    ///
    /// # Errors
    /// The reply is longer than the rule allows, or takes longer.
    pub fn take(&mut self, bytes: &[u8], at: Duration) -> Result<(), Unending> {
        if self.state == ReplyState::Ended {
            self.excess.extend_from_slice(bytes);
            return Ok(());
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(self.piece(rest));
            rest = after;
            self.raw.extend_from_slice(piece);
            if self.raw.len() > self.rule.max_bytes {
                return Err(Unending::Bytes);
            }
            let before = self.body.bytes.len();
            self.look(piece);
            // Bytes that do not count are silence, however many there are.
            if self.body.bytes.len() != before {
                self.last = at;
            }
            if self.state == ReplyState::Ended {
                self.excess.extend_from_slice(after);
                return Ok(());
            }
        }
        match self.waits_until {
            // The clock ends a wait, not silence.
            Some(time) if at >= time => self.state = ReplyState::Ended,
            None if at > self.rule.max => return Err(Unending::Time),
            _ => {}
        }
        Ok(())
    }

    /// Ends the reply: nothing more came by the [`deadline`](Self::deadline).
    pub fn expire(&mut self) {
        let text = self.text();
        if self.echo.as_ref().is_some_and(|echo| echo.may_follow(&text.bytes)) {
            // The body looked like the beginning of the echo, but nothing followed: it is the
            // reply.
            self.body = text;
        }
        let is_open = self.state == ReplyState::Open && self.waits_until.is_none();
        self.is_unmet = is_open && self.rule.has_end() && !self.body.bytes.is_empty();
        self.has_expired = self.waits_until.is_none();
        self.state = ReplyState::Ended;
    }

    /// The part of the reply that counts; `None` if the device was silent.
    pub fn output(&self) -> Option<&[u8]> {
        Some(self.body.bytes.as_slice()).filter(|body| !body.is_empty())
    }

    /// This part without its checksums; `None` if a checksum is wrong.
    pub fn verified(&self) -> Option<Vec<u8>> {
        self.body.verified(self.rule)
    }

    /// Everything received up to the end.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The time of the last byte that counts.
    pub fn last(&self) -> Duration {
        self.last
    }

    /// Whether `match` or `last_line` matches what was received; `None` for a wait, and for a rule
    /// that has neither.
    pub fn is_matched(&self) -> Option<bool> {
        let rule = self.rule;
        let counts =
            self.waits_until.is_none() && !(rule.patterns.is_empty() && rule.last_line.is_none());
        counts.then(|| self.matches_pattern() || self.matches_line())
    }

    /// Whether silence ended the reply, though the rule describes another end.
    pub fn is_unmet(&self) -> bool {
        self.is_unmet
    }

    /// Whether a time of the rule ended the reply: a longer one might have shown more of it.
    pub fn has_expired(&self) -> bool {
        self.has_expired
    }

    /// What stands in the place of the echo, if it is nearly the echo. Call it after the end.
    pub fn odd_echo(&self) -> Option<Vec<u8>> {
        self.echo.as_ref().and_then(|echo| Some(echo.odd(&self.text().bytes)?.to_vec()))
    }

    /// What is wrong with a frame of the reply.
    pub fn fault(&self) -> Option<&'static str> {
        self.body.fault.or(self.body.is_open.then_some("it has no end"))
    }

    /// The bytes after the end.
    pub fn excess(&self) -> &[u8] {
        &self.excess
    }

    /// How many of these bytes to look at together: after the last of them the reply may have ended.
    fn piece(&mut self, bytes: &[u8]) -> usize {
        if !self.ends_within_a_piece() {
            return bytes.len();
        }
        // What looked like the echo becomes the body at once.
        if self.raw.len() < SHORT || self.body.bytes.is_empty() {
            return 1;
        }
        let rule = self.rule;
        self.end_bytes.get_or_insert_with(|| EndBytes::of(rule)).piece(bytes)
    }

    /// Whether the rule has an end that can lie within a piece of input.
    fn ends_within_a_piece(&self) -> bool {
        let rule = self.rule;
        let at_once = rule.last_line.is_some()
            || rule.lines.is_some()
            || rule.length.is_some()
            || rule.frames.is_some()
            || !rule.patterns.is_empty() && rule.grace.is_zero();
        self.waits_until.is_none() && at_once
    }

    /// Updates the body and the state after these new bytes.
    fn look(&mut self, new: &[u8]) {
        let rule = self.rule;
        let is_plain = rule.strip.is_empty() && rule.stuffing.is_none();
        if is_plain && !self.body.bytes.is_empty() {
            // Nothing is taken out after the echo. To look at all bytes again for each new one takes quadratic time.
            let mut bytes = std::mem::take(&mut self.body.bytes);
            bytes.extend_from_slice(new);
            self.body = FramedText::without_stuffing(rule, bytes);
            self.line_ends += line_ends(new);
        } else {
            let text = self.text();
            let echo = self.echo.as_ref().map(|echo| echo.remove(&text.bytes));
            let echoed = echo.map_or(0, |rest| text.bytes.len() - rest.len());
            self.body = text.behind_echo(rule, echoed);
            self.line_ends = line_ends(&self.body.bytes);
        }
        if self.waits_until.is_none() && !self.body.bytes.is_empty() {
            self.state = if self.body.is_open { ReplyState::Open } else { self.judge() };
        }
    }

    /// What was received, without stuffing and without what `strip` removes.
    fn text(&self) -> FramedText {
        FramedText::of(self.rule, &self.raw)
    }

    /// Whether the reply has ended with these bytes.
    fn judge(&self) -> ReplyState {
        let (rule, body) = (self.rule, self.body.bytes.as_slice());
        let is_one_frame = rule.frames.is_none() || rule.frame_length().is_none();
        let length = rule.length.filter(|_| is_one_frame).and_then(|length| length.of(body));
        let matched = self.matches_pattern();
        if self.matches_line()
            || rule.lines.is_some_and(|lines| self.line_ends >= lines)
            || length.is_some_and(|length| body.len() >= length)
            || rule.frames.is_some_and(|enough| self.body.ends.len() >= enough)
            || matched && rule.grace.is_zero()
        {
            ReplyState::Ended
        } else if matched {
            ReplyState::Matched
        } else {
            ReplyState::Open
        }
    }

    fn matches_pattern(&self) -> bool {
        self.rule.patterns.iter().any(|pattern| pattern.is_match(&self.body.bytes))
    }

    fn matches_line(&self) -> bool {
        self.body.bytes.ends_with(b"\n")
            && self.rule.last_line.as_ref().is_some_and(|line| line.is_match(&self.body.bytes))
    }
}

fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests;
