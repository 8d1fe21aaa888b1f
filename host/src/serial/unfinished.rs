//! The beginning of what `strip` removes, at the end of what has come so far.
//!
//! A device that speaks unasked is cut short by the end of a reset, by the clock that ends a wait, or by the next input: one
//! half of its line comes before, the other one after. The first half is held back. Where the second one follows, the whole
//! line is taken out. Where something else follows, or nothing for [`LINE_PAUSE`], the first half is what it is.

use std::time::Duration;

use regex::bytes::Regex;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use super::strip::clean;

/// A device does not pause for longer within a line.
pub(super) const LINE_PAUSE: Duration = Duration::from_millis(200);
/// No longer beginning is held back, in bytes.
const HELD_BYTES: usize = 1024;

/// Where the bytes begin that may become a match of one of the patterns, which are applied in turn. The number of all bytes
/// if there are none.
pub(crate) fn unfinished(strip: &[Regex], bytes: &[u8]) -> usize {
    let starts = (0..strip.len()).filter_map(|number| {
        let (before, pattern) = (&strip[..number], &strip[number]);
        let text = clean(before, bytes);
        let tail = &text[open_tail(pattern, &text)?..];
        let earliest = bytes.len().saturating_sub(HELD_BYTES);
        // The same among bytes that the patterns before have not cleaned yet.
        (earliest..=bytes.len() - tail.len())
            .rev()
            .find(|&at| clean(before, &bytes[at..]).as_ref() == tail)
    });
    starts.min().unwrap_or(bytes.len())
}

/// `bytes` without the matches of the patterns, and without the beginning of one at the end.
pub(crate) fn clean_finished(strip: &[Regex], bytes: &[u8]) -> Vec<u8> {
    clean(strip, &bytes[..unfinished(strip, bytes)]).into_owned()
}

/// Where the first bytes begin that may become a match, after all matches.
fn open_tail(pattern: &Regex, text: &[u8]) -> Option<usize> {
    let matched = pattern.find_iter(text).last().map_or(0, |last| last.end());
    let from = matched.max(text.len().saturating_sub(HELD_BYTES));
    if from == text.len() {
        return None;
    }
    let dfa = DFA::builder()
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(thompson::Config::new().utf8(false))
        .build(pattern.as_str())
        .ok()?;
    let mut cache = dfa.create_cache();
    (from..text.len()).find(|&at| may_match(&dfa, &mut cache, text, at).unwrap_or(false))
}

/// Whether the text from there on is the beginning of a match; `None` if that is not found out.
fn may_match(dfa: &DFA, cache: &mut Cache, text: &[u8], at: usize) -> Option<bool> {
    let input = Input::new(text).range(at..).anchored(Anchored::Yes);
    let mut state = dfa.start_state_forward(cache, &input).ok()?;
    for &byte in &text[at..] {
        state = dfa.next_state(cache, state, byte).ok()?;
        if state.is_dead() || state.is_quit() {
            return Some(false);
        }
    }
    Some(true)
}

/// Bytes that may be the beginning of what `strip` removes.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldBytes {
    pub(super) bytes: Vec<u8>,
    /// How many of them came before what is heard now.
    pub(super) before: usize,
    /// When the last of them came.
    pub(super) last: Duration,
}

/// What bytes have become with those that followed them.
#[derive(Debug, Default)]
pub(super) struct ResumedText {
    /// The bytes from before that did not become a match.
    pub(super) broken: Vec<u8>,
    /// The text that has come since. `strip` is applied to it where it completes a match.
    pub(super) text: Vec<u8>,
}

impl HeldBytes {
    /// Takes out all that is decided, and keeps the beginning of a match at the end.
    pub(super) fn resume(&mut self, strip: &[Regex]) -> ResumedText {
        let open = self.bytes.split_off(unfinished(strip, &self.bytes));
        let head = std::mem::replace(&mut self.bytes, open);
        let (broken, text) = head.split_at(self.before.min(head.len()));
        let rest = clean(strip, text);
        let whole = clean(strip, &head);
        let is_whole = whole.len() < clean(strip, broken).len() + rest.len();
        self.before -= broken.len();
        match is_whole {
            true => ResumedText { broken: Vec::new(), text: whole.into_owned() },
            false => ResumedText { broken: broken.to_vec(), text: text.to_vec() },
        }
    }

    /// Whether the device has paused for too long to go on with the line.
    pub(super) fn is_old(&self, now: Duration) -> bool {
        now.saturating_sub(self.last) >= LINE_PAUSE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(strip: &[&str]) -> Vec<Regex> {
        let pattern = |pattern: &&str| {
            regex::bytes::RegexBuilder::new(pattern).unicode(false).build().expect("a pattern")
        };
        strip.iter().map(pattern).collect()
    }

    #[test]
    fn the_beginning_of_a_match_at_the_end_is_found() {
        let lines = &[r"\$GP[^\r\n]*\r\n"][..];
        let both = &[r"\r", r"RING\n", r"\+CREG: \d\n"][..];
        for (strip, text, held) in [
            (lines, "ok\r\n$GPGGA,0333", "$GPGGA,0333"),
            (lines, "ok\r\n$GPGGA,0333\r", "$GPGGA,0333\r"),
            (lines, "$GPGGA,1\r\n$", "$"),
            (lines, "$GPGGA,1\r\n", ""),
            (lines, "ok\r\n$PMTK", ""),
            (lines, "ok\r\n$ ", ""),
            (lines, "", ""),
            (both, "ok\nRIN", "RIN"),
            (both, "ok\nRING\r", "RING\r"),
            (both, "RING\r\n+CR", "+CR"),
            (&[r"\r\n\+URC\r\n"], "\r\n+URC\r\n", ""),
            (&[r"\r\n\+URC\r\n"], "OK\r\n", "\r\n"),
            (&[r"\x1b\[[0-9;]*m"], "ok\x1b[3", "\x1b[3"),
            (&[r" *"], "ok", ""),
        ] {
            let at = unfinished(&patterns(strip), text.as_bytes());
            assert_eq!(&text[at..], held, "{strip:?} {text:?}");
        }
    }

    #[test]
    fn a_half_becomes_whole_or_is_what_it_was() {
        let strip = patterns(&[r"\$GP[^\r\n]*\r\n"]);
        for (bytes, before, broken, text, held) in [
            ("$GPA,1\r\nok\r\n", 4, "", "ok\r\n", ""),
            ("$GPA,1\r\nok\r\n$G", 4, "", "ok\r\n", "$G"),
            ("$GPA,1", 4, "", "", "$GPA,1"),
            ("$Gok\r\n", 2, "$G", "ok\r\n", ""),
            ("$G$GPA", 2, "$G", "", "$GPA"),
            // The rest looks the same.
            ("$GPA,1\r\n$PMTK\r\n", 1, "", "$PMTK\r\n", ""),
        ] {
            let mut bytes = HeldBytes { bytes: bytes.into(), before, ..HeldBytes::default() };
            let resumed = bytes.resume(&strip);
            let found = [resumed.broken, resumed.text, bytes.bytes];
            assert_eq!(found, [broken, text, held].map(|it| it.as_bytes().to_vec()));
        }
    }
}
