//! Fields of replies that change from time to time: a counter, an address, a clock.

use crate::escape::{excerpt, pattern};

/// So many bytes around a field tell where it is.
const CONTEXT_BYTES: usize = 12;

/// The part in which replies differ that are otherwise the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varying {
    /// Two of the replies, one after the other, for people.
    pub shown: String,
    /// A pattern for the field with what stands around it, as the device file takes it in `strip`.
    pub pattern: String,
}

impl Varying {
    /// What varies in these replies; `None` when they have too little in common, or are the same.
    ///
    /// ```
    /// use mealybug::hints::Varying;
    ///
    /// let varying = Varying::find(&[b"up 99 s\r\nok", b"up 100 s\r\nok"]).expect("a field");
    /// assert_eq!(varying.pattern, r"up \d+ s");
    /// ```
    pub fn find(replies: &[&[u8]]) -> Option<Self> {
        let (first, others) = replies.split_first()?;
        let other = others.iter().find(|other| *other != first)?;
        let common = |next: fn(&[u8], &[u8]) -> usize| {
            others.iter().map(|other| next(first, other)).min().unwrap_or(0)
        };
        let shortest = replies.iter().map(|reply| reply.len()).min().unwrap_or(0);
        let mut start = common(common_start);
        let mut end = common(common_end).min(shortest - start);
        let class = class(replies, start, end);
        // The digits that happen to be the same belong to the number, too.
        while start > 0 && class.holds(first[start - 1]) {
            start -= 1;
        }
        while end > 0 && class.holds(first[first.len() - end]) {
            end -= 1;
        }
        let longest = replies.iter().map(|reply| reply.len() - start - end).max().unwrap_or(0);
        let is_number = matches!(class, Class::Digits | Class::Hex);
        if !is_number && start + end < longest || start + end == 0 {
            return None;
        }
        let before = line_end(&first[..start]);
        let after = line_start(&first[first.len() - end..]);
        let field = class.pattern(replies, start, end);
        Some(Self {
            shown: format!("`{}`, `{}`", excerpt(first), excerpt(other)),
            pattern: pattern(before) + &field + &pattern(after),
        })
    }

    /// The line for the device file.
    pub fn strip_line(&self) -> String {
        if self.pattern.contains('\'') {
            return format!("strip = [{:?}]", self.pattern);
        }
        format!("strip = ['{}']", self.pattern)
    }
}

/// What a field is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Digits,
    Hex,
    /// Printable, within a line.
    Text,
    Bytes,
}

fn class(replies: &[&[u8]], start: usize, end: usize) -> Class {
    let all = |holds: fn(&u8) -> bool| {
        replies.iter().all(|reply| reply[start..reply.len() - end].iter().all(holds))
    };
    if all(u8::is_ascii_digit) {
        Class::Digits
    } else if all(u8::is_ascii_hexdigit) {
        Class::Hex
    } else if all(|byte| (b' '..=b'~').contains(byte)) {
        Class::Text
    } else {
        Class::Bytes
    }
}

impl Class {
    fn holds(self, byte: u8) -> bool {
        match self {
            Self::Digits => byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Text | Self::Bytes => false,
        }
    }

    fn pattern(self, replies: &[&[u8]], start: usize, end: usize) -> String {
        let mut lens = replies.iter().map(|reply| reply.len() - start - end);
        let len = lens.next().unwrap_or(0);
        match self {
            Self::Digits => r"\d+".to_owned(),
            Self::Hex => "[0-9A-Fa-f]+".to_owned(),
            Self::Text => r"[^\r\n]*".to_owned(),
            Self::Bytes if lens.all(|other| other == len) => format!("(?s-u:.{{{len}}})"),
            Self::Bytes => "(?s-u:.*)".to_owned(),
        }
    }
}

fn common_start(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

fn common_end(one: &[u8], other: &[u8]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}

/// The end of `bytes` that stands in one line.
fn line_end(bytes: &[u8]) -> &[u8] {
    let line = bytes.iter().rposition(|byte| b"\r\n".contains(byte)).map_or(0, |at| at + 1);
    &bytes[line.max(bytes.len().saturating_sub(CONTEXT_BYTES))..]
}

/// The beginning of `bytes` that stands in one line.
fn line_start(bytes: &[u8]) -> &[u8] {
    let line = bytes.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(bytes.len());
    &bytes[..line.min(CONTEXT_BYTES)]
}

#[cfg(test)]
mod tests {
    use regex::bytes::Regex;

    use super::*;

    fn pattern(replies: &[&[u8]]) -> Option<String> {
        let varying = Varying::find(replies)?;
        let regex = Regex::new(&varying.pattern).expect("a regex");
        let cleaned = replies.iter().map(|reply| regex.replace_all(reply, &b""[..]));
        let mut cleaned: Vec<_> = cleaned.collect();
        cleaned.dedup();
        assert_eq!(cleaned.len(), 1, "{} leaves a difference: {cleaned:?}", varying.pattern);
        Some(varying.pattern)
    }

    #[test]
    fn a_field_is_found_with_what_stands_around_it() {
        let cases: [(&[&[u8]], &str); 6] = [
            (&[b"uptime 123 s", b"uptime 124 s", b"uptime 9 s"], r"uptime \d+ s"),
            (&[b"ok\r\nat 0x3fa0\r\n> ", b"ok\r\nat 0x3fb8\r\n> "], "at 0x[0-9A-Fa-f]+"),
            (
                &[b"a much longer line: 1.5 V", b"a much longer line: 2.5 V"],
                r"onger line: \d+\.5 V",
            ),
            (
                &[b"\x06\x01\x00\xff\x10", b"\x06\x01\x00\xfe\x10"],
                r"(?-u:\x06)(?-u:\x01)(?-u:\x00)(?s-u:.{1})(?-u:\x10)",
            ),
            (
                &[b"<Idle|MPos:0.0,1.0|FS:0>", b"<Idle|MPos:3.7,1.2|FS:0>"],
                r"<Idle\|MPos:[^\r\n]*\|FS:0>",
            ),
            (&[b"n=1", b"n=22"], r"n=\d+"),
        ];
        for (replies, expected) in cases {
            assert_eq!(pattern(replies).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_replies_are_no_field() {
        for replies in [&[&b"open"[..], b"closed"][..], &[b"1", b"2"], &[b"same", b"same"], &[]] {
            assert_eq!(Varying::find(replies), None);
        }
    }

    #[test]
    fn a_pattern_with_a_quote_is_still_toml() {
        let varying = Varying::find(&[b"it's 5", b"it's 6"]).expect("a field");
        let table: toml::Table = varying.strip_line().parse().expect("TOML");
        assert_eq!(table["strip"][0].as_str(), Some(varying.pattern.as_str()));
    }
}
