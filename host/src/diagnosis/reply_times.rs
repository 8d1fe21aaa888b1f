//! How long an input's replies take, measured on the link.

use std::time::Duration;

use super::exchange::ObservedExchange;
use crate::device::ReplySection;

/// How long the replies to one input took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// How often the input was given.
    pub count: u32,
    /// How often nothing came, not even while the check listened longer.
    pub silences: u32,
    /// How often bytes came only after the end of the reply or of the wait for it.
    pub late: u32,
    /// How often a reply met none of its ends and was ended by silence.
    pub unmet: u32,
    /// How many replies neither met an end nor were ended by silence: the connection ended, or a wait was over.
    pub broken_off: u32,
    /// The time to the first byte, with `echo` to the first byte behind it. To the last byte where that is not known.
    pub wait: Spread,
    /// The longest pause between two bytes of a reply.
    pub gap: Spread,
    /// The longest silence before a reply was over: before its first byte or, where silence as long as `within_ms` ends a
    /// reply that does not meet its end, between two of its bytes, too.
    pub patience: Spread,
    /// The pause after bytes at which the pattern fitted before the end.
    pub after_match: Spread,
    /// The time until the reply was known to have ended, or until its last byte if that came later.
    pub whole: Spread,
}

/// A time that was measured several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// The number of measurements.
    pub count: u32,
    /// The longest time.
    pub longest: Duration,
    /// The second longest time; 0 if there is none.
    pub second: Duration,
}

impl Spread {
    pub(super) fn add(&mut self, time: Duration) {
        self.count += 1;
        self.second = self.second.max(time.min(self.longest));
        self.longest = self.longest.max(time);
    }
}

impl Timing {
    /// Counts an input of which only the time until its output is known.
    pub(super) fn add_whole(&mut self, took: Duration) {
        self.count += 1;
        self.whole.add(took);
    }

    /// Counts one exchange.
    pub(super) fn add(&mut self, rule: &ReplySection, exchange: &ObservedExchange) {
        let exchange = &exchange.without_stripped(rule);
        let ObservedExchange { reply, late, end, .. } = exchange;
        self.silences += u32::from(reply.is_empty() && late.is_empty());
        let times: Vec<_> = exchange.all().map(|(at, _)| *at).collect();
        self.add_whole(times.last().copied().unwrap_or_default().max(*end));
        if let (Some(first), Some(last)) = (times.first(), times.last()) {
            let wait = match rule.echo {
                true => exchange.answer_after_echo().unwrap_or(*last),
                false => *first,
            };
            self.wait.add(wait);
            self.gap.add(longest_gap(&times));
            let needs_end = rule.has_end() && rule.quiet.is_none();
            let awaited = &times[..exchange.count_to_end(rule)];
            self.patience.add(if needs_end { wait.max(longest_gap(awaited)) } else { wait });
        }
        if let Some((last, _)) = reply.last() {
            let silence = end.saturating_sub(*last);
            let needs_end = rule.has_end() && rule.quiet.is_none();
            self.unmet += u32::from(needs_end && silence >= rule.within);
            let is_broken_off = needs_end && silence < rule.within && !exchange.meets_end(rule);
            self.broken_off += u32::from(is_broken_off);
        }
        if let Some(pause) = exchange.pause_after_match(rule) {
            self.after_match.add(pause);
        }
    }
}

/// The longest time between one and the next.
fn longest_gap(times: &[Duration]) -> Duration {
    times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max().unwrap_or_default()
}

#[cfg(test)]
pub(super) mod tests {
    use regex::bytes::Regex;

    use super::*;
    use crate::serial::{Passed, TraceEvent};

    const MS: Duration = Duration::from_millis(1);

    fn event(ms: u64, what: Passed) -> TraceEvent {
        TraceEvent { at: Duration::from_millis(ms), what }
    }

    /// The event for a sent input.
    pub(crate) fn sent(ms: u64) -> TraceEvent {
        event(ms, Passed::Sent(b"go\n".to_vec()))
    }

    /// The event for received bytes.
    pub(crate) fn received(ms: u64, text: &str) -> TraceEvent {
        event(ms, Passed::Received(text.as_bytes().to_vec()))
    }

    impl Timing {
        /// Counts an exchange with these events.
        pub(crate) fn passed(
            &mut self,
            rule: &ReplySection,
            during: &[TraceEvent],
            end_ms: u32,
            later: &[TraceEvent],
        ) {
            let exchange = ObservedExchange::new(during, end_ms * MS, later);
            self.add(rule, &exchange.expect("an input that was sent"));
        }
    }

    #[test]
    fn the_wait_for_an_answer_ends_behind_the_echo() {
        let rule = ReplySection { echo: true, ..ReplySection::default() };
        for (pieces, wait) in [
            (&[(1, "g"), (2, "o\r\n"), (10, "OK\r\n"), (310, "DONE\r\n")][..], 10),
            (&[(3, "go\r\nOK\r\n"), (40, "> ")], 3),
            // No echo, and nothing behind it.
            (&[(5, "OK\r\n"), (40, "> ")], 40),
            (&[(5, "go"), (7, "\r\n")], 7),
        ] {
            let events = pieces.iter().map(|(ms, text)| received(100 + ms, text));
            let during: Vec<_> = std::iter::once(sent(100)).chain(events).collect();
            let mut timing = Timing::default();
            timing.passed(&rule, &during, 500, &[]);
            assert_eq!(timing.wait.longest, wait * MS, "{pieces:?}");
        }
    }

    #[test]
    fn waits_and_pauses_are_measured_from_the_last_byte_sent() {
        let rule = ReplySection { lines: Some(2), quiet: None, ..ReplySection::default() };
        let sent = sent(100);
        let mut timing = Timing::default();
        let during =
            [sent.clone(), received(105, "on"), received(125, "e\n"), received(128, "two\n")];
        timing.passed(&rule, &during, 128, &[]);
        assert_eq!((timing.wait.longest, timing.gap.longest), (5 * MS, 20 * MS));
        assert_eq!((timing.whole.longest, timing.unmet), (28 * MS, 0));
        // A reply that came too late, and one that did not meet its end.
        timing.passed(&rule, std::slice::from_ref(&sent), 1100, &[received(1300, "one\ntwo\n")]);
        assert_eq!((timing.wait.longest, timing.silences), (1200 * MS, 0));
        assert_eq!(timing.whole.longest, 1200 * MS, "no pause is longer than the whole");
        timing.passed(&rule, &[sent.clone(), received(105, "one\n")], 1105, &[]);
        timing.passed(&rule, &[sent], 1100, &[]);
        assert_eq!((timing.unmet, timing.silences, timing.count), (1, 1, 4));
        assert_eq!(timing.wait.count, 3);
    }

    #[test]
    fn what_strip_removes_is_neither_a_slow_reply_nor_a_late_one() {
        let strip = vec![Regex::new(r"\$GP[^\n]*\n").expect("a pattern")];
        let rule = ReplySection { strip, lines: Some(1), quiet: None, ..ReplySection::default() };
        let (sent, sentence) = (sent(0), |ms| received(ms, "$GPRMC,1\n"));
        let mut timing = Timing::default();
        timing.passed(&rule, std::slice::from_ref(&sent), 500, &[sentence(700)]);
        assert_eq!((timing.silences, timing.wait.count), (1, 0));
        timing.passed(&rule, &[sent, sentence(5), received(30, "ok\n")], 30, &[sentence(700)]);
        let seen = (timing.silences, timing.wait.longest, timing.gap.longest);
        assert_eq!(seen, (1, 30 * MS, Duration::ZERO));
    }

    #[test]
    fn only_pauses_after_bytes_that_the_pattern_fits_count_as_pauses_after_a_match() {
        let patterns = vec![Regex::new("> $").expect("a pattern")];
        let rule = ReplySection { patterns, quiet: None, ..ReplySection::default() };
        let cases: [(&[TraceEvent], Option<Duration>); 4] = [
            (&[received(5, "ready> ")], None),
            (&[received(5, "a > b\r\n> ")], Some(Duration::ZERO)),
            (&[received(5, "a> "), received(17, "b\n> ")], Some(12 * MS)),
            (&[received(5, "a> "), received(17, "b"), received(900, "\n> ")], Some(12 * MS)),
        ];
        for (pieces, pause) in cases {
            let mut timing = Timing::default();
            timing.passed(&rule, &[&[sent(0)], pieces].concat(), 1000, &[]);
            let seen = (timing.after_match.count > 0).then_some(timing.after_match.longest);
            assert_eq!(seen, pause, "{pieces:?}");
        }
    }
}
