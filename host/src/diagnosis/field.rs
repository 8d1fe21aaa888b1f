//! Fields of replies that change from one time to the next: a counter, an address, a clock.
//!
//! A field is a number, or a word with digits, in replies that are otherwise the same. Replies are
//! compared piece by piece, so the text around a field or between two is never part of a field.

mod class;
mod last_digits;
mod number;

use std::collections::BTreeSet;

pub(super) use class::{FieldClass, is_of_number};
use class::{is_of_list, is_of_word, is_sign};
use last_digits::LastDigits;
pub(super) use number::number;
use regex::bytes::Regex;

use super::answers::{AnswersByWord, AskedWord};
use crate::draft::{literal, quoted};
use crate::escape::{excerpt, pattern};

/// How much of the text around a field is used to recognise it.
const CONTEXT_BYTES: usize = 12;
/// The text that replaces a field.
const MARK: &str = "#";
/// Among bytes that are no text, this many digits in a row are a number.
const DIGITS: usize = 3;
/// From this many different replies on, a line that is nothing but a number is a field.
const SEVERAL: usize = 3;

/// The fields in which replies differ that are otherwise the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangingField {
    /// Two different replies, for people.
    pub(super) shown: String,
    /// The fields with the text around them.
    pub(super) shape: FieldShape,
    /// The same with less of the text behind the last field: it fits the replies to other inputs, too, if they hold
    /// the field.
    pub(super) wide: Option<FieldShape>,
}

/// Fields, from left to right, and the text around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldShape {
    /// The text before the first field.
    pub(super) before: Vec<u8>,
    /// What each field holds, and the text behind it.
    pub(super) fields: Vec<(FieldClass, Vec<u8>)>,
    /// Whether all this is a whole line: nothing but blanks stands around a number, so only the ends of the line tell it from others.
    pub(super) is_line: bool,
}

/// A field that a rule could take out, if no answer speaks against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UntriedField {
    pub(super) shape: FieldShape,
    /// The fields in the answers to other inputs: one rule may take them out, too.
    pub(super) others: Vec<FieldShape>,
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

/// Rules that are ready to be applied, one after the other.
pub(super) struct FieldRules<'r>(Vec<(Regex, &'r [u8])>);

impl<'r> FieldRules<'r> {
    pub(super) fn new(rules: impl IntoIterator<Item = &'r FieldRule>) -> Self {
        let compiled =
            |rule: &'r FieldRule| Some((Regex::new(&rule.pattern).ok()?, rule.with.as_bytes()));
        Self(rules.into_iter().filter_map(compiled).collect())
    }

    /// The reply without the fields.
    pub(super) fn apply(&self, reply: &[u8]) -> Vec<u8> {
        let replace = |reply: Vec<u8>, (regex, with): &(Regex, &[u8])| {
            regex.replace_all(&reply, *with).into_owned()
        };
        self.0.iter().fold(reply.to_vec(), replace)
    }
}

impl ChangingField {
    /// Finds the fields of these replies, those of each line by themselves. Empty if the replies are equal, or differ in anything but
    /// fields.
    pub(super) fn find_all(replies: &[&[u8]]) -> Vec<Self> {
        let is_text = replies.iter().all(|reply| is_text(reply));
        let of_lines = || Self::of_lines(replies).filter(|_| is_text);
        of_lines().unwrap_or_else(|| Self::find(replies).into_iter().collect())
    }

    /// Finds the fields of these replies. `None` if the replies are equal, or differ in anything but fields, or have no text in
    /// common and are not several numbers.
    pub(super) fn find(replies: &[&[u8]]) -> Option<Self> {
        let is_text = replies.iter().all(|reply| is_text(reply)) || differ_in_numbers(replies);
        let rows = |has_signs| -> Vec<_> {
            replies.iter().map(|reply| pieces(reply, is_text, has_signs)).collect()
        };
        let unsigned = rows(false);
        Self::of_rows(replies, &unsigned, is_text)
            // A sign is a part of the number only where some numbers have none.
            .or_else(|| Self::of_rows(replies, &rows(true), is_text))
            .or_else(|| Self::of_lists(replies, &unsigned).filter(|_| is_text))
    }

    /// Finds the fields of replies line by line. `None` if they differ in the number of lines, or in a line by anything but fields.
    fn of_lines(replies: &[&[u8]]) -> Option<Vec<Self>> {
        let lines: Vec<Vec<_>> = replies
            .iter()
            .map(|reply| reply.split_inclusive(|&byte| byte == b'\n').collect())
            .collect();
        let first = lines.first()?;
        if lines.iter().any(|of_reply| of_reply.len() != first.len()) {
            return None;
        }
        let mut found = Vec::new();
        for at in 0..first.len() {
            let line: Vec<_> = lines.iter().map(|of_reply| of_reply[at]).collect();
            if line.iter().any(|it| *it != line[0]) {
                let field = Self::find(&line)?;
                // Only the ends of the line tell such a field from other lines.
                if field.shape.is_line && first.len() > 1 {
                    return None;
                }
                found.push(field);
            }
        }
        Some(found)
    }

    /// Finds the numbers of replies that have more of them at one time than at another.
    fn of_lists(replies: &[&[u8]], rows: &[Vec<&[u8]>]) -> Option<Self> {
        let (first, others) = rows.split_first()?;
        let shortest = rows.iter().map(Vec::len).min()?;
        let is_list = |piece: &[u8]| piece.iter().all(is_of_list);
        let starts_same = |at: &usize| others.iter().all(|row| row[*at] == first[*at]);
        let ends_same = |at: &usize| {
            others.iter().all(|row| row[row.len() - 1 - at] == first[first.len() - 1 - at])
        };
        let mut start = (0..shortest).take_while(starts_same).count();
        let mut end = (0..shortest - start).take_while(ends_same).count();
        // What is the same by chance belongs to the list.
        while start > 0 && is_list(first[start - 1]) {
            start -= 1;
        }
        while end > 0 && is_list(first[first.len() - end]) {
            end -= 1;
        }
        let values: Vec<_> = rows.iter().map(|row| row[start..row.len() - end].concat()).collect();
        let has_number = |value: &Vec<u8>| value.iter().any(u8::is_ascii_digit);
        if !values.iter().all(|value| is_list(value) && has_number(value)) {
            return None;
        }
        let (before, behind) = (first[..start].concat(), first[first.len() - end..].concat());
        let mut shape = FieldShape { before: line_end(&before).to_vec(), ..FieldShape::default() };
        shape.fields.push((FieldClass::List, line_start(&behind).to_vec()));
        let other = replies.iter().find(|other| *other != &replies[0])?;
        let shown = format!("`{}`, `{}`", excerpt(replies[0]), excerpt(other));
        shape.keeps_text().then_some(Self { shown, shape, wide: None })
    }

    /// Finds the fields of replies that were split into pieces.
    fn of_rows(replies: &[&[u8]], rows: &[Vec<&[u8]>], is_text: bool) -> Option<Self> {
        let first = *replies.first()?;
        let other = replies.iter().find(|other| **other != first)?;
        let columns = rows[0].len();
        if rows.iter().any(|row| row.len() != columns) {
            return None;
        }
        let varies = |column: &usize| rows.iter().any(|row| row[*column] != rows[0][*column]);
        let (start, end) =
            ((0..columns).find(varies)?, (0..columns).rev().find(varies).map(|last| last + 1)?);
        let behind = rows[0][end..].concat();
        let behind = line_start(&behind);
        let mut shape = FieldShape::default();
        shape.add_text(line_end(&rows[0][..start].concat()));
        for column in start..end {
            if varies(&column) {
                let values: Vec<_> = rows.iter().map(|row| row[column]).collect();
                shape.add_field(&values, is_text)?;
            } else {
                shape.add_text(rows[0][column]);
            }
        }
        let mut wide = shape.clone();
        shape.add_text(behind);
        wide.add_text(marks(behind));
        if !shape.keeps_text() {
            let is_number = shape.fields.iter().all(|(class, _)| class.is_number());
            let different: BTreeSet<_> = replies.iter().collect();
            if !is_number || different.len() < SEVERAL {
                return None;
            }
            shape.is_line = true;
            // Another line that is a number may be no field. Blanks may have been cut off.
            let rule = Regex::new(&shape.rule().pattern).ok()?;
            if replies.iter().any(|reply| rule.find_iter(reply).count() != 1) {
                return None;
            }
        }
        let wide = Some(wide).filter(|wide| wide.keeps_text() && *wide != shape);
        Some(Self { shown: format!("`{}`, `{}`", excerpt(first), excerpt(other)), shape, wide })
    }
}

impl FieldShape {
    /// The rule that takes the fields out. It keeps the text around them.
    pub(super) fn rule(&self) -> FieldRule {
        let (mut groups, mut rule) = (0, FieldRule { pattern: String::new(), with: String::new() });
        let mut keep = |rule: &mut FieldRule, kept: &str| {
            if !kept.is_empty() {
                groups += 1;
                rule.pattern += &format!("({kept})");
                rule.with += &format!("${groups}");
            }
        };
        let mut kept = pattern(&self.before);
        for (class, behind) in &self.fields {
            keep(&mut rule, &(kept + &class.kept_pattern()));
            rule.pattern += &class.pattern();
            rule.with += MARK;
            kept = pattern(behind);
        }
        keep(&mut rule, &kept);
        if self.is_line {
            rule.pattern = format!("(?mR)^{}$", rule.pattern);
        }
        rule
    }

    /// The same fields with as many first digits of numbers left in as never differ between the `answers` to one word. `None` if all
    /// fields must be taken out whole.
    pub(super) fn with_last_digits<'a>(&self, answers: &'a AnswersByWord) -> Option<Self> {
        let regex = Regex::new(&self.rule().pattern).ok()?;
        let mut shape = self.clone();
        for (at, (class, _)) in shape.fields.iter_mut().enumerate() {
            let value = |run: &'a AskedWord| taken_out(&regex, &run.reply)?.get(at).copied();
            let words: Vec<Vec<_>> =
                answers.values().map(|runs| runs.iter().filter_map(value).collect()).collect();
            if class.is_number()
                && let Some(digits) = LastDigits::of(&words)
            {
                *class = FieldClass::LastDigits(digits);
            }
        }
        (shape != *self).then_some(shape)
    }

    /// Whether there is more than blanks around the fields.
    fn keeps_text(&self) -> bool {
        let behind = self.fields.iter().map(|(_, behind)| behind);
        behind.chain([&self.before]).any(|text| !text.trim_ascii().is_empty())
    }

    /// Adds text at the end.
    fn add_text(&mut self, text: &[u8]) {
        let last = self.fields.last_mut().map_or(&mut self.before, |(_, behind)| behind);
        last.extend_from_slice(text);
    }

    /// Adds a piece that has these values at the end; `None` if it cannot be a field.
    fn add_field(&mut self, values: &[&[u8]], is_text: bool) -> Option<()> {
        if !is_text {
            self.fields.push((FieldClass::Byte, Vec::new()));
            return Some(());
        }
        let is_word = |value: &&[u8]| value.iter().all(|byte| is_of_word(byte) || is_sign(byte));
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
            FieldClass::of(values.iter().flat_map(|value| &value[start..value.len() - end]))
        };
        let holds = class(start, end)?.holds()?;
        while start > 0 && holds(&first[start - 1]) {
            start -= 1;
        }
        while end > 0 && holds(&from_end(first, end - 1)) {
            end -= 1;
        }
        self.add_text(&first[..start]);
        let whole: Vec<_> = values.iter().map(|value| &value[start..value.len() - end]).collect();
        let class = class(start, end)?.with_padding(&whole);
        self.fields.push((class, first[first.len() - end..].to_vec()));
        Some(())
    }
}

pub(super) fn is_text(bytes: &[u8]) -> bool {
    let is_of_text = |c: char| !c.is_control() || "\t\r\n\x1b".contains(c);
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(is_of_text))
}

/// What a rule with this pattern takes out, wherever it fits: what is in none of its groups. `None` if it fits nowhere.
pub(super) fn taken_out<'r>(pattern: &Regex, reply: &'r [u8]) -> Option<Vec<&'r [u8]>> {
    let mut fields = Vec::new();
    for captures in pattern.captures_iter(reply) {
        let (mut start, end) = captures.get(0).map(|all| (all.start(), all.end()))?;
        let groups = captures.iter().skip(1).flatten().map(|group| group.range());
        for group in groups.chain(std::iter::once(end..end)) {
            if group.start > start {
                fields.push(&reply[start..group.start]);
            }
            start = group.end;
        }
    }
    Some(fields).filter(|fields| !fields.is_empty())
}

/// Splits a reply into pieces: text into words, numbers, with their signs if `has_signs`, and the single bytes between them; other
/// bytes one by one.
fn pieces(reply: &[u8], is_text: bool, has_signs: bool) -> Vec<&[u8]> {
    let is_digit = |at: usize| reply.get(at).is_some_and(u8::is_ascii_digit);
    let is_word_before = |at: usize| at > 0 && reply[at - 1].is_ascii_alphanumeric();
    let is_inside = |at: usize| {
        let is_point = b".,:".contains(&reply[at]) && at > 0;
        let is_sign = has_signs && is_sign(&reply[at]) && !is_word_before(at) && is_digit(at + 1);
        reply[at].is_ascii_alphanumeric()
            || is_point && is_digit(at - 1) && is_digit(at + 1)
            || is_sign
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

/// Whether replies, of text or not, differ only in numbers in digits.
fn differ_in_numbers(replies: &[&[u8]]) -> bool {
    let is_same = |one: &u8, other: &u8| one.is_ascii_digit() == other.is_ascii_digit();
    let rows: Vec<Vec<&[u8]>> =
        replies.iter().map(|reply| reply.chunk_by(is_same).collect()).collect();
    let is_number = |part: &[u8]| part.len() >= DIGITS && part[0].is_ascii_digit();
    let is_like =
        |(one, other): (&&[u8], &&[u8])| one == other || is_number(one) && is_number(other);
    let row_is_like =
        |row: &Vec<&[u8]>| row.len() == rows[0].len() && row.iter().zip(&rows[0]).all(is_like);
    rows.iter().all(row_is_like)
}

/// The end of `bytes`, limited to one line. Its first word is whole.
fn line_end(bytes: &[u8]) -> &[u8] {
    let line = bytes.iter().rposition(|byte| b"\r\n".contains(byte)).map_or(0, |at| at + 1);
    let start = line.max(bytes.len().saturating_sub(CONTEXT_BYTES));
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric();
    let before = match bytes.get(start).as_ref().is_some_and(is_letter) {
        true => bytes[line..start].iter().rev().take_while(is_letter).count(),
        false => 0,
    };
    &bytes[start - before..]
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

    /// The pattern of the rule for replies; it makes them equal.
    fn rule(replies: &[&[u8]]) -> Option<String> {
        let rule = ChangingField::find(replies)?.shape.rule();
        let regex = Regex::new(&rule.pattern).expect("a regex");
        let replaced = |reply: &&[u8]| regex.replace_all(reply, rule.with.as_bytes()).into_owned();
        let mut cleaned: Vec<_> = replies.iter().map(replaced).collect();
        cleaned.dedup();
        assert_eq!(cleaned.len(), 1, "{} leaves a difference: {cleaned:?}", rule.pattern);
        assert!(cleaned[0].len() > MARK.len(), "{} leaves nothing", rule.pattern);
        Some(rule.pattern)
    }

    #[test]
    fn a_number_in_digits_is_one_among_other_bytes_too() {
        let cases: [(&[&[u8]], &str); 4] = [
            (
                &[b"\x02101 C\x03 998 rpm\x03", b"\x02102 C\x03 1003 rpm\x03"],
                r"(\x02)\d+( C\x03 )\d+( rpm\x03)",
            ),
            (
                &[b"M1=\x10\x101199\x10\x03", b"M1=\x10\x101201\x10\x03"],
                r"(M1=\x10\x10)\d+(\x10\x03)",
            ),
            (&[b"\x02nick\x02 1795979672", b"\x02nick\x02 1795979675"], r"(\x02nick\x02 )\d+"),
            // Two bytes that may be digits by chance.
            (&[b"\x01\x0721\x00", b"\x01\x0735\x00"], r"(\x01\x07)(?s-u:.)(?s-u:.)(\x00)"),
        ];
        for (replies, expected) in cases {
            assert_eq!(rule(replies).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_field_is_found_with_what_stands_around_it() {
        let cases: [(&[&[u8]], &str); 16] = [
            (&[b"uptime 123 s", b"uptime 124 s", b"uptime 9 s"], r"(uptime )\d+( s)"),
            (&[b"v1 up 12ms\n", b"v1 up 13ms\n"], r"(v1 up )\d+(ms)"),
            (&[b"ok\r\nat 0x3fa0\r\n> ", b"ok\r\nat 0x3fb8\r\n> "], "(at 0x)[0-9A-Fa-f]+"),
            (
                &[b"a much longer line: 1.5 V", b"a much longer line: 2.5 V"],
                r"(longer line: )[\d.,:]+( V)",
            ),
            (&[b"\x06\x01\x00\xff\x10", b"\x06\x01\x00\xfe\x10"], r"(\x06\x01\x00)(?s-u:.)(\x10)"),
            (
                &[b"<Idle|MPos:0.0,1.0|FS:0>", b"<Idle|MPos:3.7,1.2|FS:0>"],
                r"(<Idle\|MPos:)[\d.,:]+(\|FS:0>)",
            ),
            (&[b"n=1", b"n=22"], r"(n=)\d+"),
            // With zeros in front, all values have as many digits.
            (&[b"1 0000116b0c", b"1 0000126bfc"], "(1 )[0-9A-Fa-f]{10}"),
            (&[b"1 9c00116b0c", b"1 8f00126bfc"], "(1 )[0-9A-Fa-f]+"),
            (&[b"nonce a8z3k2\n", b"nonce zzzz9\n"], "(nonce )[0-9A-Za-z.,:]+"),
            // The text between two fields is not a field.
            (&[b"t=1 open n=5", b"t=2 open n=7"], r"(t=)\d+( open n=)\d+"),
            (&[b"at 12:59:58", b"at 13:00:01"], r"(at )[\d.,:]+"),
            (&[b"V=-0.002 V", b"V=0.003 V"], r"(V=)[-+]?[\d.,:]+( V)"),
            (&[b"V=-0.002", b"V=-0.003"], r"(V=-)[\d.,:]+"),
            // A dash behind a letter is none, whatever else differs in its sign.
            (&[b"a-1 at -2", b"a-3 at 2"], r"(a-)\d+( at )[-+]?[\d.,:]+"),
            // Nothing but numbers stands in the line.
            (&[b"n\r\n 17 \r\n> ", b"n\r\n 18 \r\n> ", b"n\r\n 9 \r\n> "], r"(?mR)^( )\d+( )$"),
        ];
        for (replies, expected) in cases {
            assert_eq!(rule(replies).as_deref(), Some(expected));
        }
    }

    #[test]
    fn each_line_has_a_rule_for_its_fields() {
        let reply = |time: u32, took: &str| {
            format!("* OK [UIDVALIDITY {time}] UIDs valid\r\n* 3 EXISTS\r\na1 OK done ({took} secs).\r\n").into_bytes()
        };
        let replies =
            [reply(1_795_941_519, "0.001 + 0.000"), reply(1_795_941_520, "0.001 + 0.000 + 0.002")];
        let replies = replies.each_ref().map(Vec::as_slice);
        let rules: Vec<_> =
            ChangingField::find_all(&replies).iter().map(|field| field.shape.rule()).collect();
        let patterns: Vec<_> = rules.iter().map(|rule| rule.pattern.as_str()).collect();
        assert_eq!(
            patterns,
            [r"(UIDVALIDITY )\d+(\] UIDs valid)", r"(a1 OK done \()[-+/.,:\d ]+(secs\)\.)"]
        );
        let cleaned = replies.map(|reply| FieldRules::new(&rules).apply(reply));
        assert_eq!(cleaned[0], cleaned[1]);
        // A line that differs in anything else, and a line more.
        for other in [
            "* BYE\r\n* 3 EXISTS\r\na1 OK done (1 secs).\r\n",
            "* 3 EXISTS\r\na1 OK done (1 secs).\r\n",
        ] {
            assert_eq!(ChangingField::find_all(&[replies[0], other.as_bytes()]), []);
        }
    }

    #[test]
    fn a_line_of_a_number_alone_is_a_field() {
        let field = ChangingField::find(&[b"1.5,2", b"1.7,2", b"-1.6,2"]).expect("a field");
        assert!(field.shape.is_line);
        assert_eq!(field.shape.rule().pattern, r"(?mR)^[-+]?[\d.,:]+$");
    }

    #[test]
    fn a_field_in_front_of_other_replies_is_found_there_too() {
        let replies: [&[u8]; 2] = [b"[s3] PIN 4711: OK", b"[s12] PIN 4711: OK"];
        let field = ChangingField::find(&replies).expect("a field");
        assert_eq!(field.shape.rule().pattern, r"(\[s)\d+(\] PIN 4711: )");
        assert_eq!(field.wide.expect("another one").rule().pattern, r"(\[s)\d+(\] )");
        let field = ChangingField::find(&[b"n=1", b"n=22"]).expect("a field");
        assert_eq!(field.wide, None);
    }

    #[test]
    fn other_replies_are_no_field() {
        let others: [&[&[u8]]; 10] = [
            &[b"open", b"closed"],
            &[b"door: open", b"door: closed"],
            &[b"1", b"2"],
            &[b" 17 \r\n> ", b" 18 \r\n> "],
            &[b"1f", b"2e", b"3d"],
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
        let written = field.shape.rule();
        let table: toml_edit::DocumentMut = written.toml().parse().expect("TOML");
        let rule = &table["replace"][0];
        assert_eq!(rule["match"].as_str(), Some(written.pattern.as_str()));
        assert_eq!(rule["with"].as_str(), Some("$1#$2"));
    }
}
