//! How long an input's replies take: from what passed over the link.

use std::time::Duration;

use crate::device::ReplyRule;
use crate::serial::{Event, Passed, Reply};

/// How long the replies to one input took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// How often it was given.
    pub count: u32,
    /// How often nothing came, not even while it was listened for longer.
    pub silences: u32,
    /// How often something came only when its patience was over, or after its end.
    pub late: u32,
    /// How often it met none of its ends, but silence.
    pub unmet: u32,
    /// How often its pattern fitted before its end.
    pub early_matches: u32,
    /// The time to the first byte; with an echo, to the last.
    pub wait: Spread,
    /// The longest pause between two bytes.
    pub gap: Spread,
    /// The time to the end of the reply, as far as the learner waits for it.
    pub whole: Spread,
}

/// A time that was measured several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    count: u32,
    total: Duration,
    /// The longest.
    pub longest: Duration,
}

impl Spread {
    fn add(&mut self, time: Duration) {
        self.count += 1;
        self.total += time;
        self.longest = self.longest.max(time);
    }

    /// The average; `None` when nothing was measured.
    pub fn mean(&self) -> Option<Duration> {
        (self.count > 0).then(|| self.total / self.count)
    }
}

impl Timing {
    /// Counts one exchange: what passed in it, when it ended, and what came afterwards, while the
    /// device was listened to.
    pub(super) fn add(
        &mut self,
        rule: &ReplyRule,
        during: &[Event],
        end: Duration,
        later: &[Event],
    ) {
        self.count += 1;
        let acts = during.iter().rposition(|event| !matches!(event.what, Passed::Received(_)));
        let Some(last_act) = acts else { return };
        let sent = during[last_act].at;
        let received = |events: &[Event]| -> Vec<(Duration, Vec<u8>)> {
            let bytes = events.iter().filter_map(|event| match &event.what {
                Passed::Received(bytes) => Some((event.at, bytes.clone())),
                _ => None,
            });
            bytes.collect()
        };
        let (reply, late) = (received(&during[last_act + 1..]), received(later));
        self.whole.add(end.saturating_sub(sent));
        self.silences += u32::from(reply.is_empty() && late.is_empty());

        let all: Vec<_> = reply.iter().chain(&late).collect();
        if let (Some((first, _)), Some((last, _))) = (all.first(), all.last()) {
            let waited = if rule.echo { last } else { first };
            self.wait.add(waited.saturating_sub(sent));
            let gaps = all.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0));
            self.gap.add(gaps.max().unwrap_or_default());
        }
        if let Some((last, _)) = reply.last() {
            let has_end = rule.has_end();
            let silence = end.saturating_sub(*last);
            self.unmet += u32::from(has_end && rule.quiet.is_none() && silence >= rule.within);
            let bytes: Vec<u8> = reply.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
            self.early_matches += u32::from(matches_early(rule, during, last_act, &bytes));
        }
    }
}

/// Whether the pattern fits before the end of the reply, so that only its grace finds the end.
fn matches_early(rule: &ReplyRule, during: &[Event], last_act: usize, bytes: &[u8]) -> bool {
    if rule.patterns.is_empty() {
        return false;
    }
    let at_once = ReplyRule {
        grace: Duration::ZERO,
        last_line: None,
        lines: None,
        length: None,
        ..rule.clone()
    };
    let sent = match &during[last_act].what {
        Passed::Sent(sent) => sent.as_slice(),
        _ => b"",
    };
    let mut reply = Reply::new(&at_once, sent);
    reply.take(bytes, Duration::ZERO).is_ok() && !reply.excess().is_empty()
}

#[cfg(test)]
pub(super) mod tests {
    use regex::bytes::Regex;

    use super::*;

    fn event(ms: u64, what: Passed) -> Event {
        Event { at: Duration::from_millis(ms), what }
    }

    /// An input is sent.
    pub(crate) fn sent(ms: u64) -> Event {
        event(ms, Passed::Sent(b"go\n".to_vec()))
    }

    /// This comes.
    pub(crate) fn received(ms: u64, text: &str) -> Event {
        event(ms, Passed::Received(text.as_bytes().to_vec()))
    }

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn waits_and_pauses_are_measured_from_the_last_byte_sent() {
        let rule = ReplyRule { lines: Some(2), quiet: None, ..ReplyRule::default() };
        let sent = sent(100);
        let mut timing = Timing::default();
        let during =
            [sent.clone(), received(105, "on"), received(125, "e\n"), received(128, "two\n")];
        timing.add(&rule, &during, 128 * MS, &[]);
        assert_eq!((timing.wait.longest, timing.gap.longest), (5 * MS, 20 * MS));
        assert_eq!((timing.whole.longest, timing.unmet), (28 * MS, 0));
        // A reply that came when it was no longer waited for, and one without its end.
        timing.add(&rule, std::slice::from_ref(&sent), 1100 * MS, &[received(1300, "one\ntwo\n")]);
        assert_eq!((timing.wait.longest, timing.silences), (1200 * MS, 0));
        timing.add(&rule, &[sent.clone(), received(105, "one\n")], 1105 * MS, &[]);
        timing.add(&rule, &[sent], 1100 * MS, &[]);
        assert_eq!((timing.unmet, timing.silences, timing.count), (1, 1, 4));
        assert_eq!(timing.wait.mean(), Some((5 + 1200 + 5) * MS / 3));
    }

    #[test]
    fn a_pattern_that_fits_too_early_is_seen() {
        let patterns = vec![Regex::new("> $").expect("a pattern")];
        let rule = ReplyRule { patterns, quiet: None, ..ReplyRule::default() };
        let sent = sent(0);
        for (text, early) in [("a > b\r\n> ", 1), ("ready> ", 0)] {
            let mut timing = Timing::default();
            timing.add(&rule, &[sent.clone(), received(5, text)], 25 * MS, &[]);
            assert_eq!(timing.early_matches, early, "{text}");
        }
    }
}
