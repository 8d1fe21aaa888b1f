//! One input and its reply, as they passed over the link.

use std::time::Duration;

use crate::device::{DeviceFile, InputRule, ReplyRule, Step};
use crate::serial::{Passed, Reply, TraceEvent};

/// Bytes, and how long after the input was sent they came.
type Piece = (Duration, Vec<u8>);

/// One input and its reply. Times count from the moment when the last byte of the input was sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    sent: Vec<u8>,
    /// The reply.
    pub(super) reply: Vec<Piece>,
    /// What came after its end, while the device was listened to.
    pub(super) late: Vec<Piece>,
    /// When the reply was known to have ended.
    pub(super) end: Duration,
}

impl Exchange {
    /// The exchange in which `during` passed and which ended at `end`; `later` came afterwards.
    /// `None` where nothing was done to the device, so that no time can be measured.
    pub(super) fn new(during: &[TraceEvent], end: Duration, later: &[TraceEvent]) -> Option<Self> {
        let is_act = |event: &TraceEvent| !matches!(event.what, Passed::Received(_));
        let last_act = during.iter().rposition(is_act)?;
        let start = during[last_act].at;
        let pieces = |events: &[TraceEvent]| {
            let pieces = events.iter().filter_map(|event| match &event.what {
                Passed::Received(bytes) => Some((event.at.saturating_sub(start), bytes.clone())),
                _ => None,
            });
            pieces.collect()
        };
        let sent = match &during[last_act].what {
            Passed::Sent(bytes) => bytes.clone(),
            _ => Vec::new(),
        };
        let (reply, late) = (pieces(&during[last_act + 1..]), pieces(later));
        Some(Self { sent, reply, late, end: end.saturating_sub(start) })
    }

    /// All that came, and what of it came late.
    pub(super) fn all(&self) -> impl Iterator<Item = &Piece> {
        self.reply.iter().chain(&self.late)
    }

    /// What a new `[[replace]]` would be applied to: the reply without what `strip`, `echo`,
    /// `checksum` and the replacements of the file take away.
    pub(super) fn body(&self, device: &DeviceFile, input: &InputRule) -> Vec<u8> {
        let mut reply = match input.steps.last() {
            Some(Step::Wait(time)) => Reply::while_waiting(&input.reply, &self.sent, *time),
            _ => Reply::new(&input.reply, &self.sent),
        };
        for (at, bytes) in &self.reply {
            if reply.take(bytes, *at).is_err() {
                break;
            }
        }
        reply.expire();
        let body = reply.output().unwrap_or_default();
        let body = input.reply.checksum.and_then(|sum| sum.verify(body)).unwrap_or(body);
        let replaced = |body: Vec<u8>, rule: &crate::device::Replacement| rule.apply(&body);
        device.replacements.iter().fold(body.to_vec(), replaced)
    }

    /// The longest pause right after bytes at which `match` fits, and before more bytes: what
    /// `grace_ms` must bear. It is 0 where such bytes came together with more; `None` where `match`
    /// fits nothing but the end.
    pub(super) fn pause_after_match(&self, rule: &ReplyRule) -> Option<Duration> {
        if rule.patterns.is_empty() {
            return None;
        }
        let patient = ReplyRule {
            grace: Duration::MAX,
            max: Duration::MAX,
            last_line: None,
            lines: None,
            length: None,
            ..rule.clone()
        };
        let mut reply = Reply::new(&patient, &self.sent);
        let mut longest = None;
        let mut fitted = None;
        for (at, bytes) in self.all() {
            longest = longest.max(fitted.map(|fitted| at.saturating_sub(fitted)));
            if reply.take(bytes, *at).is_err() {
                break;
            }
            fitted = (reply.is_matched() == Some(true)).then_some(*at);
        }
        // Bytes that came in one piece may come in two another time.
        let hasty = ReplyRule { grace: Duration::ZERO, ..patient };
        let mut reply = Reply::new(&hasty, &self.sent);
        let bytes: Vec<u8> = self.all().flat_map(|(_, bytes)| bytes.clone()).collect();
        let is_early = reply.take(&bytes, Duration::ZERO).is_ok() && !reply.excess().is_empty();
        longest.max(is_early.then_some(Duration::ZERO))
    }
}
