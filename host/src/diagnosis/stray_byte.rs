//! A control byte that comes into replies now and then and means nothing, such as the NUL bytes of ELM327 adapters.
//!
//! It may be anywhere in a reply. That tells it from a mark of a state, such as a bell while an alarm is on: a mark is always at
//! the same place, and a reset that does not clear the state makes it come and go, too. After a prompt it also hides the end of
//! the reply from `match = '>$'`. Then silence ends the reply, and its name may be all that came.

use std::collections::BTreeSet;

use mealybug_core::Input;
use regex::bytes::Regex;

use super::answers::bytes;
use super::field::is_text;

/// A control byte in answers that also come without it.
#[derive(Clone, Debug)]
pub(super) struct StrayByte {
    pub(super) byte: u8,
    /// The pattern that takes the byte out.
    pub(super) strip: Regex,
    /// How many answers held it.
    pub(super) times: u32,
    /// A word that was answered with it and without it, with both answers.
    pub(super) word: Vec<Input>,
    pub(super) usual: String,
    pub(super) odd: String,
}

/// Where such a byte is in an answer: the number of bytes before the first one and after it, without blanks and line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StrayPlace {
    before: usize,
    after: usize,
}

impl StrayPlace {
    pub(super) fn of(byte: u8, name: &str) -> Option<Self> {
        let mut bytes = bytes(name);
        bytes.retain(|byte| !byte.is_ascii_whitespace());
        let before = bytes.iter().position(|it| *it == byte)?;
        Some(Self { before, after: bytes.len() - before - 1 })
    }

    /// Whether a byte that is always at one place, seen from the start or from the end of an answer, cannot be at both.
    pub(super) const fn is_elsewhere(self, other: Self) -> bool {
        self.before != other.before && self.after != other.after
    }
}

/// Whether `odd` is the name of an answer that `usual` names without this byte. Only text can be the same without it: in binary
/// replies each byte tells something.
pub(super) fn is_with(byte: u8, odd: &str, usual: &str) -> bool {
    let held = |name: &str| bytes(name).contains(&byte);
    if !held(odd) || held(usual) {
        return false;
    }
    let odd: Vec<_> = bytes(odd).into_iter().filter(|it| *it != byte).collect();
    let usual = bytes(usual);
    // Where a byte at an end of the reply hid what surrounds a name, the name holds that, too.
    let rest = odd.trim_ascii_start().strip_prefix(usual.trim_ascii_start());
    let is_same = odd == usual || rest.is_some_and(is_around_a_name);
    is_same && !usual.is_empty() && is_text(&odd)
}

/// Whether this may be left out of a name: line ends, a prompt.
fn is_around_a_name(rest: &[u8]) -> bool {
    !rest.iter().any(u8::is_ascii_alphanumeric)
}

/// The control bytes in the answer with this name, without those of ordinary text and of colours.
pub(super) fn control_bytes(name: &str) -> BTreeSet<u8> {
    if !name.contains(r"\x") {
        return BTreeSet::new();
    }
    let is_control = |byte: &u8| byte.is_ascii_control() && !b"\t\n\r\x1b".contains(byte);
    bytes(name).into_iter().filter(is_control).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_may_hold_the_byte_anywhere() {
        for (odd, usual, is_so) in [
            (r"O\x00K", "OK", true),
            (r"\r\nOK\r\n\r\n>\x00", "OK", true),
            (r"\x00\r\nOK", "OK", true),
            (r"OK", "OK", false),
            (r"OKAY\r\n>\x00", "OK", false),
            (r"\r\n>\x00", "", false),
            (r"O\x01K", "OK", false),
            // An acknowledgement alone, and with data; nothing, and a byte.
            (r"\x06\x00\x12", r"\x06", false),
            (r"\x06\x00", r"\x06", false),
            (r"\x00", "", false),
        ] {
            assert_eq!(is_with(0, odd, usual), is_so, "{odd} {usual}");
        }
    }
}
