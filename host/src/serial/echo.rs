//! What a device repeats of what is sent to it.
//!
//! A device repeats what it has received. So an echo that is nearly what was sent is a fault of the
//! line, in one direction or the other: perhaps the device did something else than it was told, and
//! what it answers says nothing. Two things are no fault. What is not repeated at all, as passwords
//! are not, has no echo. And what a device makes of an echo itself, such as a line end where the
//! terminal would be full, comes the same way each time ([`OddEchoes`]).

use std::collections::HashSet;

use regex::bytes::Regex;

use super::strip::clean;

/// An echo that is this much shorter or longer than what was sent may still be one.
const MAX_SHIFT: usize = 2;
/// In so many bytes of an echo one more may be wrong.
const BYTES_PER_FAULT: usize = 6;

/// What the device repeats.
#[derive(Clone, Debug)]
pub(super) struct EchoFilter {
    text: Vec<u8>,
    /// The message ended a line; the device may repeat that with another line end.
    line_end: bool,
    /// Whether `strip` leaves the line end.
    shows_line_end: bool,
}

/// The echo of `sent`, after `strip`, and whether a line end follows it.
pub(crate) fn echo(sent: &[u8], strip: &[Regex]) -> (Vec<u8>, bool) {
    let end = sent.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |at| at + 1);
    let text = &sent[..end];
    (clean(strip, text).into_owned(), text.len() < sent.len())
}

impl EchoFilter {
    pub(super) fn of(sent: &[u8], strip: &[Regex]) -> Self {
        let (text, line_end) = echo(sent, strip);
        let shows_line_end = line_end && !clean(strip, b"\r\n").is_empty();
        Self { text, line_end, shows_line_end }
    }

    /// Whether `text` is only a beginning of the echo.
    pub(super) fn may_follow(&self, text: &[u8]) -> bool {
        text.len() < self.text.len() && self.text.starts_with(text)
    }

    /// `text` without the echo; empty while `text` may still become the echo.
    pub(super) fn remove<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        if self.may_follow(text) {
            return b"";
        }
        let Some(rest) = text.strip_prefix(self.text.as_slice()) else {
            return text;
        };
        if !self.line_end {
            return rest;
        }
        let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
        rest.strip_prefix(b"\n").unwrap_or(rest)
    }

    /// What stands in the place of the echo in a complete reply, if it is nearly the echo.
    pub(super) fn odd<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let len = self.text.len();
        let is_odd = match text.strip_prefix(self.text.as_slice()) {
            Some(rest) => {
                // Forth systems show a blank for the line end. It stays in the reply.
                let is_end = matches!(rest.first(), Some(b'\r' | b'\n' | b' '));
                self.shows_line_end && len > 0 && !is_end
            }
            None => len > 1 && !text.is_empty() && self.is_like(text),
        };
        is_odd.then(|| &text[..text.len().min(len + 1)])
    }

    /// Whether `text` begins with nearly the echo.
    fn is_like(&self, text: &[u8]) -> bool {
        let len = self.text.len();
        let faults = 1 + len / BYTES_PER_FAULT;
        let lens = len.saturating_sub(MAX_SHIFT)..=text.len().min(len + MAX_SHIFT);
        lens.into_iter().any(|len| {
            let begins: Vec<u8> = text[..len.min(text.len())].to_vec();
            strsim::generic_levenshtein(&begins, &self.text) <= faults
        })
    }
}

/// The odd echoes of a device, which are faults of the line unless they come twice.
#[derive(Debug, Default)]
pub(super) struct OddEchoes {
    /// The last one, and the input.
    last: Option<(String, Vec<u8>)>,
    /// Those that came twice one after the other.
    known: HashSet<(String, Vec<u8>)>,
}

impl OddEchoes {
    /// Whether this odd echo of an input is a fault of the line.
    pub(super) fn is_fault(&mut self, input: &str, odd: &[u8]) -> bool {
        let odd = (input.to_owned(), odd.to_vec());
        if self.known.contains(&odd) {
            return false;
        }
        let is_twice = self.last.as_ref() == Some(&odd);
        if is_twice {
            self.known.insert(odd);
            self.last = None;
        } else {
            self.last = Some(odd);
        }
        !is_twice
    }
}
