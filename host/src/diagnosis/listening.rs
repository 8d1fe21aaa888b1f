//! What a check hears while nothing is asked: which lines does the device say by itself?
//!
//! A late part of an answer comes then, too. But it comes once for each input that was asked. A line that a device says by itself
//! comes again and again.

use std::collections::BTreeSet;
use std::time::Duration;

use regex::bytes::Regex;

use super::unasked::UnaskedLine;
use crate::line_kind::{LineEnd, kind_of};

/// What was heard while nothing was asked, and for how long it was listened to.
#[derive(Debug, Default)]
pub(super) struct HeardIdle {
    /// How long the check has listened.
    lasted: Duration,
    /// The lines, and after how much of this time each ended.
    heard: Vec<(Duration, Vec<u8>)>,
    /// The beginning of a line.
    begun: Vec<u8>,
    /// How lines end.
    end: LineEnd,
    /// The kinds of lines that would have come in this time if the device said them by itself.
    awaited: BTreeSet<Vec<u8>>,
    /// The lines that came again and again.
    by_itself: Vec<UnaskedLine>,
}

impl HeardIdle {
    /// The check has listened for this time, at the end of which these bytes came.
    pub(super) fn add(&mut self, time: Duration, bytes: &[u8]) {
        self.lasted += time;
        self.begun.extend(bytes);
        let Some(end) = self.begun.iter().rposition(|&byte| byte == self.end.byte()) else {
            return;
        };
        let rest = self.begun.split_off(end + 1);
        let lines = self.end.lines(&self.begun);
        self.heard.extend(lines.map(|line| (self.lasted, self.end.whole(line))));
        self.begun = rest;
    }

    /// The check begins to listen again, for lines that end like this: the next bytes begin one.
    pub(super) fn begin(&mut self, end: LineEnd) {
        self.begun.clear();
        self.end = end;
    }

    /// Whether a line came, and again at least so long later.
    pub(super) fn has_again(&self, line: &UnaskedLine, later: Duration) -> bool {
        let Ok(pattern) = Regex::new(&line.pattern) else { return false };
        let mut times = self.heard.iter().filter(|(_, it)| pattern.is_match(it)).map(|(at, _)| *at);
        let first = times.next();
        first.zip(times.next_back()).is_some_and(|(first, last)| last - first >= later)
    }

    /// The check has listened long enough for these lines: each came again at least so long later, or the device does not say it
    /// by itself.
    pub(super) fn judge(&mut self, lines: Vec<UnaskedLine>, later: Duration) {
        self.awaited.extend(lines.iter().map(|line| kind_of(&line.example)));
        let (again, _): (Vec<_>, Vec<_>) =
            lines.into_iter().partition(|line| self.has_again(line, later));
        self.by_itself.extend(again);
    }

    /// The lines that came again and again while nothing was asked.
    pub(super) fn by_itself(&self) -> &[UnaskedLine] {
        &self.by_itself
    }

    /// How often a line came, and in which time, if that was long enough to tell that the device does not say it by itself.
    pub(super) fn times(&self, line: &UnaskedLine) -> Option<(usize, Duration)> {
        let pattern = Regex::new(&line.pattern).ok()?;
        let times = self.heard.iter().filter(|(_, it)| pattern.is_match(it)).count();
        self.awaited.contains(&kind_of(&line.example)).then_some((times, self.lasted))
    }

    /// Whether the check has listened for lines of this kind.
    pub(super) fn is_awaited(&self, line: &UnaskedLine) -> bool {
        self.awaited.contains(&kind_of(&line.example))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn line() -> UnaskedLine {
        let pattern = r"RX \d+\r?\n".to_owned();
        let inputs = [0].into();
        let example = b"RX 1".to_vec();
        UnaskedLine {
            example,
            end: LineEnd::Newline,
            pattern,
            follows_blank: false,
            inputs,
            times: 3,
            follows: None,
            is_of_its_answer: false,
            as_answer: 0,
        }
    }

    #[test]
    fn a_line_comes_again_only_if_it_comes_long_after_the_first() {
        let mut listening = HeardIdle::default();
        for bytes in [&b"RX 1\r\nRX"[..], b" 2\n", b"on\n", b"RX 3\n"] {
            listening.add(2 * SECOND, bytes);
        }
        // Heard after 2 s, 4 s and 8 s.
        assert!(listening.has_again(&line(), 6 * SECOND));
        assert!(!listening.has_again(&line(), 7 * SECOND));
        assert_eq!(listening.times(&line()), None);
        listening.judge(vec![line()], 7 * SECOND);
        assert!(listening.by_itself().is_empty());
        assert_eq!(listening.times(&line()), Some((3, 8 * SECOND)));
        listening.judge(vec![line()], SECOND);
        assert_eq!(listening.by_itself(), [line()]);
    }

    #[test]
    fn lines_may_end_with_returns_alone() {
        let mut listening = HeardIdle::default();
        listening.begin(LineEnd::Return);
        listening.add(SECOND, b"RX 1\rRX ");
        listening.add(2 * SECOND, b"2\r");
        let pattern = r"RX \d+\r".to_owned();
        let line = UnaskedLine { end: LineEnd::Return, pattern, ..line() };
        assert!(listening.has_again(&line, 2 * SECOND));
        assert!(!listening.has_again(&line, 3 * SECOND));
    }

    #[test]
    fn an_end_of_the_connection_ends_a_line() {
        let mut listening = HeardIdle::default();
        listening.add(SECOND, b"RX 1\nRX ");
        listening.begin(LineEnd::Newline);
        listening.add(SECOND, b"2\n");
        listening.judge(vec![line()], SECOND);
        assert_eq!(listening.times(&line()).map(|(times, _)| times), Some(1));
    }
}
