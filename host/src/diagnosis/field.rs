//! Fields of replies that change from one time to the next: a counter, an address, a clock.
//!
//! A field is a number, or a word with digits, in replies that are otherwise the same. Replies are
//! compared piece by piece, so the text around a field or between two is never part of a field.

use crate::draft::{literal, quoted};
use crate::escape::{excerpt, pattern};

/// How much of the text around a field is used to recognise it.
const CONTEXT_BYTES: usize = 12;
/// The text that replaces a field.
const MARK: &str = "#";
/// A class of field contents: the test for a byte, and the pattern.
type FieldClass = (fn(&u8) -> bool, &'static str);
/// All classes, the narrowest first.
const CLASSES: [FieldClass; 4] = [
    (u8::is_ascii_digit, r"\d+"),
    (is_of_number, r"[\d.,:]+"),
    (u8::is_ascii_hexdigit, "[0-9A-Fa-f]+"),
    (is_of_word, "[0-9A-Za-z.,:]+"),
];

/// The fields in which replies differ that are otherwise the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangingField {
    /// Two different replies, for people.
    pub(super) shown: String,
    /// The rule that makes the replies equal.
    pub(super) rule: FieldRule,
    /// The same with less of the text behind the last field: it fits the replies to other inputs, too, if they hold
    /// the field.
    pub(super) wide: Option<FieldRule>,
}

/// A `[[replace]]` that replaces fields by a mark and keeps the text around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRule {
    /// The `match`: the fields, and groups for the text around them.
    pub pattern: String,
    /// The `with`: the groups, and a mark for each field.
    pub with: String,
}

impl FieldRule {
    /// The rule as lines of a device file.
    pub fn toml(&self) -> String {
        let Self { pattern, with } = self;
        format!("[[replace]]\nmatch = {}\nwith = {}", literal(pattern), quoted(with))
    }
}

impl ChangingField {
    /// Finds the fields of these replies. `None` if the replies are equal, differ in anything but
    /// fields, or have no text in common.
    pub(super) fn find(replies: &[&[u8]]) -> Option<Self> {
        let first = *replies.first()?;
        let other = replies.iter().find(|other| **other != first)?;
        let is_text = replies.iter().all(|reply| is_text(reply));
        let rows: Vec<_> = replies.iter().map(|reply| pieces(reply, is_text)).collect();
        let columns = rows[0].len();
        if rows.iter().any(|row| row.len() != columns) {
            return None;
        }
        let varies = |column: &usize| rows.iter().any(|row| row[*column] != rows[0][*column]);
        let (start, end) =
            ((0..columns).find(varies)?, (0..columns).rev().find(varies).map(|last| last + 1)?);
        let write = |behind: &[u8]| {
            let mut writer = PatternWriter::default();
            writer.literal(line_end(&rows[0][..start].concat()));
            for column in start..end {
                if varies(&column) {
                    let values: Vec<_> = rows.iter().map(|row| row[column]).collect();
                    writer.field(&values, is_text)?;
                } else {
                    writer.literal(rows[0][column]);
                }
            }
            writer.literal(behind);
            writer.rule()
        };
        let behind = rows[0][end..].concat();
        let behind = line_start(&behind);
        let rule = write(behind)?;
        let wide = write(marks(behind)).filter(|wide| *wide != rule);
        Some(Self { shown: format!("`{}`, `{}`", excerpt(first), excerpt(other)), rule, wide })
    }
}

/// Writes a rule from left to right.
#[derive(Default)]
struct PatternWriter {
    /// The bytes of the group that is being written.
    group: Vec<u8>,
    groups: usize,
    /// Whether a group contains more than blanks.
    keeps_text: bool,
    pattern: String,
    with: String,
}

impl PatternWriter {
    fn literal(&mut self, bytes: &[u8]) {
        self.group.extend_from_slice(bytes);
    }

    fn end_group(&mut self) {
        if !self.group.is_empty() {
            self.groups += 1;
            self.keeps_text |= !self.group.trim_ascii().is_empty();
            self.pattern += &format!("({})", pattern(&self.group));
            self.with += &format!("${}", self.groups);
            self.group.clear();
        }
    }

    /// Writes a piece that has these values; `None` if it cannot be a field.
    fn field(&mut self, values: &[&[u8]], is_text: bool) -> Option<()> {
        if !is_text {
            self.end_group();
            self.pattern += "(?s-u:.)";
            self.with += MARK;
            return Some(());
        }
        let is_word = |value: &&[u8]| value.iter().all(is_of_word);
        let has_digit = |value: &&[u8]| value.iter().any(u8::is_ascii_digit);
        if !values.iter().all(is_word) || !values.iter().any(has_digit) {
            return None;
        }
        let (first, others) = values.split_first()?;
        let shortest = values.iter().map(|value| value.len()).min()?;
        let starts_same = |at: &usize| others.iter().all(|other| other[*at] == first[*at]);
        let mut start = (0..shortest).take_while(starts_same).count();
        let from_end = |value: &[u8], at: usize| value[value.len() - 1 - at];
        let ends_same =
            |at: &usize| others.iter().all(|other| from_end(other, *at) == from_end(first, *at));
        let mut end = (0..shortest - start).take_while(ends_same).count();
        let class = |start: usize, end: usize| {
            let fields = || values.iter().map(|value| &value[start..value.len() - end]);
            CLASSES.into_iter().find(|(holds, _)| fields().all(|field| field.iter().all(holds)))
        };
        // Digits that happen to be equal belong to the number, too.
        let (holds, _) = class(start, end)?;
        let holds = if holds(&b'a') { holds } else { is_of_number };
        while start > 0 && holds(&first[start - 1]) {
            start -= 1;
        }
        while end > 0 && holds(&from_end(first, end - 1)) {
            end -= 1;
        }
        self.literal(&first[..start]);
        self.end_group();
        self.pattern += class(start, end)?.1;
        self.with += MARK;
        self.literal(&first[first.len() - end..]);
        Some(())
    }

    /// The rule; `None` if all that it keeps is blanks.
    fn rule(mut self) -> Option<FieldRule> {
        self.end_group();
        self.keeps_text.then_some(FieldRule { pattern: self.pattern, with: self.with })
    }
}

pub(super) fn is_text(bytes: &[u8]) -> bool {
    let is_of_text = |c: char| !c.is_control() || "\t\r\n\x1b".contains(c);
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(is_of_text))
}

/// Splits a reply into pieces: text into words, numbers and the single bytes between them; other
/// bytes one by one.
fn pieces(reply: &[u8], is_text: bool) -> Vec<&[u8]> {
    let is_digit = |at: usize| reply.get(at).is_some_and(u8::is_ascii_digit);
    let is_inside = |at: usize| {
        let is_point = b".,:".contains(&reply[at]) && at > 0;
        reply[at].is_ascii_alphanumeric() || is_point && is_digit(at - 1) && is_digit(at + 1)
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    for at in 1..=reply.len() {
        if at == reply.len() || !(is_text && is_inside(at - 1) && is_inside(at)) {
            pieces.push(&reply[start..at]);
            start = at;
        }
    }
    pieces
}

fn is_of_number(byte: &u8) -> bool {
    byte.is_ascii_digit() || b".,:".contains(byte)
}

fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || is_of_number(byte)
}

/// The end of `bytes`, limited to one line.
fn line_end(bytes: &[u8]) -> &[u8] {
    let line = bytes.iter().rposition(|byte| b"\r\n".contains(byte)).map_or(0, |at| at + 1);
    &bytes[line.max(bytes.len().saturating_sub(CONTEXT_BYTES))..]
}

/// The beginning of `bytes`, limited to one line.
fn line_start(bytes: &[u8]) -> &[u8] {
    let line = bytes.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(bytes.len());
    &bytes[..line.min(CONTEXT_BYTES)]
}

/// The marks and blanks with which `bytes` begin, or the word if there are none.
fn marks(bytes: &[u8]) -> &[u8] {
    let is_mark = |byte: &u8| !byte.is_ascii_alphanumeric();
    let len = match bytes.first().is_some_and(is_mark) {
        true => bytes.iter().take_while(|byte| is_mark(byte)).count(),
        false => bytes.iter().take_while(|byte| !is_mark(byte)).count(),
    };
    &bytes[..len]
}

#[cfg(test)]
mod tests {
    use regex::bytes::Regex;

    use super::*;

    fn rule(replies: &[&[u8]]) -> Option<String> {
        let rule = ChangingField::find(replies)?.rule;
        let regex = Regex::new(&rule.pattern).expect("a regex");
        let replaced = |reply: &&[u8]| regex.replace_all(reply, rule.with.as_bytes()).into_owned();
        let mut cleaned: Vec<_> = replies.iter().map(replaced).collect();
        cleaned.dedup();
        assert_eq!(cleaned.len(), 1, "{} leaves a difference: {cleaned:?}", rule.pattern);
        assert!(cleaned[0].len() > MARK.len(), "{} leaves nothing", rule.pattern);
        Some(rule.pattern)
    }

    #[test]
    fn a_field_is_found_with_what_stands_around_it() {
        let cases: [(&[&[u8]], &str); 10] = [
            (&[b"uptime 123 s", b"uptime 124 s", b"uptime 9 s"], r"(uptime )\d+( s)"),
            (&[b"v1 up 12ms\n", b"v1 up 13ms\n"], r"(v1 up )\d+(ms)"),
            (&[b"ok\r\nat 0x3fa0\r\n> ", b"ok\r\nat 0x3fb8\r\n> "], "(at 0x)[0-9A-Fa-f]+"),
            (
                &[b"a much longer line: 1.5 V", b"a much longer line: 2.5 V"],
                r"(onger line: )[\d.,:]+( V)",
            ),
            (&[b"\x06\x01\x00\xff\x10", b"\x06\x01\x00\xfe\x10"], r"(\x06\x01\x00)(?s-u:.)(\x10)"),
            (
                &[b"<Idle|MPos:0.0,1.0|FS:0>", b"<Idle|MPos:3.7,1.2|FS:0>"],
                r"(<Idle\|MPos:)[\d.,:]+(\|FS:0>)",
            ),
            (&[b"n=1", b"n=22"], r"(n=)\d+"),
            (&[b"nonce a8z3k2\n", b"nonce zzzz9\n"], "(nonce )[0-9A-Za-z.,:]+"),
            // The text between two fields is not a field.
            (&[b"t=1 open n=5", b"t=2 open n=7"], r"(t=)\d+( open n=)\d+"),
            (&[b"at 12:59:58", b"at 13:00:01"], r"(at )[\d.,:]+"),
        ];
        for (replies, expected) in cases {
            assert_eq!(rule(replies).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_field_in_front_of_other_replies_is_found_there_too() {
        let replies: [&[u8]; 2] = [b"[s3] PIN 4711: OK", b"[s12] PIN 4711: OK"];
        let field = ChangingField::find(&replies).expect("a field");
        assert_eq!(field.rule.pattern, r"(\[s)\d+(\] PIN 4711: )");
        assert_eq!(field.wide.expect("another one").pattern, r"(\[s)\d+(\] )");
        let field = ChangingField::find(&[b"n=1", b"n=22"]).expect("a field");
        assert_eq!(field.wide, None);
    }

    #[test]
    fn other_replies_are_no_field() {
        let others: [&[&[u8]]; 9] = [
            &[b"open", b"closed"],
            &[b"door: open", b"door: closed"],
            &[b"1", b"2"],
            &[b" 17 \r\n> ", b" 18 \r\n> "],
            &[b"same", b"same"],
            &[b"ok\r\n> ", b"' - try 'help'\r\n> "],
            &[b"t=1 open", b"t=2 closed"],
            &[b"\x01\x02", b"\x01\x02\x03"],
            &[],
        ];
        for replies in others {
            assert_eq!(ChangingField::find(replies), None);
        }
    }

    #[test]
    fn the_lines_for_the_device_file_are_toml_whatever_is_in_them() {
        let field = ChangingField::find(&[b"it's \"5\"", b"it's \"6\""]).expect("a field");
        let table: toml_edit::DocumentMut = field.rule.toml().parse().expect("TOML");
        let rule = &table["replace"][0];
        assert_eq!(rule["match"].as_str(), Some(field.rule.pattern.as_str()));
        assert_eq!(rule["with"].as_str(), Some("$1#$2"));
    }
}
