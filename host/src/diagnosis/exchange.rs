//! One input and its reply, as they passed over the link.

use std::borrow::Cow;
use std::time::Duration;

use crate::device::{DeviceFile, DeviceStep, InputRule, ReplySection};
use crate::serial::{Passed, ReplyParser, TraceEvent, clean, clean_finished};

/// Bytes, and the time from the end of the input until they came.
type TracePiece = (Duration, Vec<u8>);

/// One input and its reply. Times count from the last byte of the input.
#[derive(Clone, Debug, Default)]
pub(super) struct ObservedExchange {
    /// The input as it was sent.
    pub(super) sent: Vec<u8>,
    /// The reply.
    pub(super) reply: Vec<TracePiece>,
    /// The bytes that came after the end of the reply while the check listened.
    pub(super) late: Vec<TracePiece>,
    /// When the reply was known to have ended.
    pub(super) end: Duration,
    /// Whether the check listened for late bytes.
    pub(super) is_heard_out: bool,
}

impl ObservedExchange {
    /// Builds the exchange from the events `during` the input, its `end`, and the events `later`.
    /// `None` if nothing was done to the device, because then there is no time to count from.
    pub(super) fn new(during: &[TraceEvent], end: Duration, later: &[TraceEvent]) -> Option<Self> {
        let is_act =
            |event: &TraceEvent| !matches!(event.what, Passed::Received(_) | Passed::Resumed(_));
        let last_act = during.iter().rposition(is_act)?;
        let start = during[last_act].at;
        let pieces = |events: &[TraceEvent]| {
            let pieces = events.iter().filter_map(|event| match &event.what {
                Passed::Received(bytes) | Passed::Resumed(bytes) => {
                    Some((event.at.saturating_sub(start), bytes.clone()))
                }
                _ => None,
            });
            pieces.collect()
        };
        let sent = match &during[last_act].what {
            Passed::Sent(bytes) => bytes.clone(),
            _ => Vec::new(),
        };
        let (reply, late) = (pieces(&during[last_act + 1..]), pieces(later));
        let end = end.saturating_sub(start);
        Some(Self { sent, reply, late, end, is_heard_out: false })
    }

    /// The exchange without what `strip` removes before the reply, or after its end.
    pub(super) fn without_stripped(&self, rule: &ReplySection) -> Self {
        let is_nothing = |pieces: &[TracePiece]| {
            let bytes: Vec<u8> = pieces.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
            clean(&rule.strip, &bytes).is_empty()
        };
        let mut counts = self.clone();
        let first = (0..counts.reply.len()).find(|&at| !is_nothing(&counts.reply[..=at]));
        counts.reply.drain(..first.unwrap_or(counts.reply.len()));
        let late: Vec<u8> = self.late.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        counts.late.retain(|_| !clean_finished(&rule.strip, &late).is_empty());
        counts
    }

    /// Whether bytes came so long after the end of the reply.
    pub(super) fn goes_on_late(&self, time: Duration) -> bool {
        self.late.last().is_some_and(|(at, _)| at.saturating_sub(self.end) >= time)
    }

    /// The longest pause between two bytes of the reply, and the bytes before it.
    pub(super) fn longest_pause(&self) -> (Duration, Vec<u8>) {
        let pauses = self.reply.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0));
        let longest = pauses.zip(1..).max_by_key(|(pause, _)| *pause);
        let (pause, pieces) = longest.unwrap_or_default();
        (pause, self.reply[..pieces].iter().flat_map(|(_, bytes)| bytes).copied().collect())
    }

    /// All bytes that came, including late ones.
    pub(super) fn all(&self) -> impl Iterator<Item = &TracePiece> {
        self.reply.iter().chain(&self.late)
    }

    /// When the first byte behind the echo came that is no line end; `None` if none came, or what came is no echo.
    pub(super) fn answer_after_echo(&self) -> Option<Duration> {
        let echo = self.sent.trim_ascii_end();
        let mut came = Vec::new();
        for (at, bytes) in self.all() {
            came.extend_from_slice(bytes);
            match came.strip_prefix(echo) {
                Some(rest) if !rest.trim_ascii().is_empty() => return Some(*at),
                None if !echo.starts_with(&came) => return None,
                _ => {}
            }
        }
        None
    }

    /// The bytes of the reply.
    pub(super) fn reply_bytes(&self) -> Vec<u8> {
        self.reply.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect()
    }

    /// Whether nothing more came in the time in which a reply may begin.
    pub(super) fn ends_by_silence(&self, rule: &ReplySection) -> bool {
        self.reply.last().is_some_and(|(last, _)| self.end.saturating_sub(*last) >= rule.within)
    }

    /// Whether the reply has met an end of the rule.
    pub(super) fn meets_end(&self, rule: &ReplySection) -> bool {
        let mut reply = ReplyParser::new(rule, &self.sent);
        self.reply.iter().any(|piece| takes_end(&mut reply, piece))
    }

    /// How many pieces came until the reply had met an end of the rule: all, if it met none.
    pub(super) fn count_to_end(&self, rule: &ReplySection) -> usize {
        let mut reply = ReplyParser::new(rule, &self.sent);
        self.all()
            .position(|piece| takes_end(&mut reply, piece))
            .map_or(self.all().count(), |last| last + 1)
    }

    /// What came with the end of the reply and is behind it.
    pub(super) fn excess(&self, rule: &ReplySection) -> Vec<u8> {
        let mut reply = ReplyParser::new(rule, &self.sent);
        let is_read = self.reply.iter().all(|(at, bytes)| reply.take(bytes, *at).is_ok());
        if is_read { reply.excess().to_vec() } else { Vec::new() }
    }

    /// What `lines` and `length` count of all that came: not the echo, nor what `strip` and stuffing remove.
    pub(super) fn counted(&self, rule: &ReplySection) -> Vec<u8> {
        let endless = ReplySection { patterns: Vec::new(), ..only_by_match(rule, Duration::ZERO) };
        let mut reply = ReplyParser::new(&endless, &self.sent);
        let is_read = self.all().all(|(at, bytes)| reply.take(bytes, *at).is_ok());
        reply.output().filter(|_| is_read).map_or_else(Vec::new, <[u8]>::to_vec)
    }

    /// The bytes that a new `[[replace]]` would see: the reply without what `strip`, `echo`,
    /// `checksum` and the existing replacements remove.
    pub(super) fn body(&self, device: &DeviceFile, input: &InputRule) -> Vec<u8> {
        let mut reply = match input.steps.last() {
            Some(DeviceStep::Wait(time)) => {
                ReplyParser::while_waiting(&input.reply, &self.sent, *time)
            }
            _ => ReplyParser::new(&input.reply, &self.sent),
        };
        for (at, bytes) in &self.reply {
            if reply.take(bytes, *at).is_err() {
                break;
            }
        }
        reply.expire();
        let body = reply.output().unwrap_or_default();
        let checksum = input.reply.checksum.as_ref();
        let body = checksum.and_then(|sum| sum.verify(body)).unwrap_or(Cow::Borrowed(body));
        let replaced = |body: Vec<u8>, rule: &crate::device::Replacement| rule.apply(&body);
        device.replacements.iter().fold(body.into_owned(), replaced)
    }

    /// The longest pause after bytes at which `match` fits, if more bytes follow: `grace_ms` must
    /// be longer. 0 if such bytes arrived together with more; `None` if `match` fits only at the
    /// end.
    pub(super) fn pause_after_match(&self, rule: &ReplySection) -> Option<Duration> {
        if rule.patterns.is_empty() {
            return None;
        }
        let patient = only_by_match(rule, Duration::MAX);
        let mut reply = ReplyParser::new(&patient, &self.sent);
        let mut longest = None;
        let mut fitted = None;
        for (at, bytes) in self.all() {
            longest = longest.max(fitted.map(|fitted| at.saturating_sub(fitted)));
            if reply.take(bytes, *at).is_err() {
                break;
            }
            fitted = (reply.is_matched() == Some(true)).then_some(*at);
        }
        // Bytes that came in one piece may come in two the next time.
        let is_early = self.rest_after_match(rule).is_some_and(|rest| !rest.is_empty());
        longest.max(is_early.then_some(Duration::ZERO))
    }

    /// What follows the bytes at which `match` fits first, without what `strip` removes; nothing if it fits only at the end.
    /// `None` if it never fits.
    pub(super) fn rest_after_match(&self, rule: &ReplySection) -> Option<Vec<u8>> {
        let hasty = only_by_match(rule, Duration::ZERO);
        let mut reply = ReplyParser::new(&hasty, &self.sent);
        let bytes: Vec<u8> = self.all().flat_map(|(_, bytes)| bytes.clone()).collect();
        reply.take(&bytes, Duration::ZERO).ok()?;
        let rest = || clean_finished(&rule.strip, reply.excess());
        (reply.is_matched() == Some(true)).then(rest)
    }
}

/// Whether a piece ends a reply.
fn takes_end(reply: &mut ReplyParser<'_>, (at, bytes): &TracePiece) -> bool {
    let is_too_long = reply.take(bytes, *at).is_err();
    is_too_long || reply.deadline().is_none() || reply.is_matched() == Some(true)
}

/// The rule for replies that only `match` and the time after it end.
fn only_by_match(rule: &ReplySection, grace: Duration) -> ReplySection {
    ReplySection {
        grace,
        max: Duration::MAX,
        last_line: None,
        lines: None,
        length: None,
        frames: None,
        ..rule.clone()
    }
}
