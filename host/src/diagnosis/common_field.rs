//! What fields of different replies have in common: one rule can take them all out.
//!
//! A field is known by its name, the text in front of it, or by its unit, the text behind it. Fields that share no more than a
//! blank or a colon may mean different things.

use super::field::{FieldClass, FieldShape};

/// The marks that stand around all kinds of fields.
const USUAL_MARKS: &[u8] = b".,:;=-+_/'\"()[]<>|*";

/// The fields of two shapes, with the text that both have around them. `None` if the fields differ in number
/// or kind, or in the text between them, or if too little text is left to know the fields by.
pub(super) fn in_common(one: &FieldShape, other: &FieldShape) -> Option<FieldShape> {
    if one == other {
        return Some(one.clone());
    }
    if one.is_line || other.is_line {
        return None;
    }
    let (last, inner) = one.fields.split_last()?;
    let (last_other, inner_other) = other.fields.split_last()?;
    if inner.len() != inner_other.len() {
        return None;
    }
    let mut fields = Vec::new();
    for ((class, behind), (class_other, behind_other)) in inner.iter().zip(inner_other) {
        if behind != behind_other {
            return None;
        }
        fields.push((class.and(*class_other)?, behind.clone()));
    }
    let behind = common_start(&last.1, &last_other.1).to_vec();
    fields.push((last.0.and(last_other.0)?, behind));
    let before = common_end(&one.before, &other.before).to_vec();
    let common = FieldShape { before, fields, is_line: false };
    (common == *one || common == *other || is_telling(&common)).then_some(common)
}

/// A shape with only the last word in front of the fields, and no words behind them; `None` if there is no less text then.
pub(super) fn with_name_only(shape: &FieldShape) -> Option<FieldShape> {
    if shape.is_line {
        return None;
    }
    let mut short = shape.clone();
    short.before = name(&shape.before).to_vec();
    if let Some((_, behind)) = short.fields.last_mut() {
        behind.truncate(behind.iter().take_while(|byte| !is_letter_or_digit(byte)).count());
    }
    (short != *shape && is_telling(&short)).then_some(short)
}

/// Whether the text around the fields is enough to know them by.
fn is_telling(shape: &FieldShape) -> bool {
    let is_text = shape.fields.iter().all(|(class, _)| *class != FieldClass::Byte);
    let behind = shape.fields.last().map_or(&[][..], |(_, behind)| behind.trim_ascii());
    is_text && (is_name(&shape.before) || is_name(behind))
}

/// Whether a text is a name or a unit: two bytes that are no digits, one of them a letter, or one unusual mark.
fn is_name(text: &[u8]) -> bool {
    let is_letter = |byte: &u8| is_letter_or_digit(byte) && !byte.is_ascii_digit();
    let is_unusual = |byte: &u8| {
        !is_letter_or_digit(byte) && !byte.is_ascii_whitespace() && !USUAL_MARKS.contains(byte)
    };
    let others = text.iter().filter(|byte| !byte.is_ascii_digit()).count();
    others >= 2 && text.iter().any(is_letter) || text.iter().any(is_unusual)
}

/// The last word of a text, with the marks around it.
fn name(text: &[u8]) -> &[u8] {
    let before = |end: usize, is_part: fn(&u8) -> bool| {
        text[..end].iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1)
    };
    let is_mark: fn(&u8) -> bool = |byte| !is_letter_or_digit(byte);
    &text[before(before(before(text.len(), is_mark), is_letter_or_digit), is_mark)..]
}

/// The text with which both begin, without a part of a word.
fn common_start<'t>(one: &'t [u8], other: &[u8]) -> &'t [u8] {
    let mut len = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    while len > 0 && (is_in_word(one, len) || is_in_word(other, len)) {
        len -= 1;
    }
    &one[..len]
}

/// The text with which both end, without a part of a word.
fn common_end<'t>(one: &'t [u8], other: &[u8]) -> &'t [u8] {
    let pairs = one.iter().rev().zip(other.iter().rev());
    let mut len = pairs.take_while(|(one, other)| one == other).count();
    let is_cut = |len: usize| [one, other].iter().any(|text| is_in_word(text, text.len() - len));
    while len > 0 && is_cut(len) {
        len -= 1;
    }
    &one[one.len() - len..]
}

/// Whether a word goes on at this place of a text.
fn is_in_word(text: &[u8], at: usize) -> bool {
    let is_word = |at: usize| text.get(at).is_some_and(is_letter_or_digit);
    at > 0 && is_word(at - 1) && is_word(at)
}

/// Whether a byte is a letter, or a part of one, or a digit: words are cut nowhere.
fn is_letter_or_digit(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::super::field::ChangingField;
    use super::*;

    fn shape([one, other]: [&str; 2]) -> FieldShape {
        let replies = [one.as_bytes(), other.as_bytes()];
        ChangingField::find(&replies).expect("a field").shape
    }

    /// The pattern that takes the fields out of both pairs of replies.
    fn common(one: [&str; 2], other: [&str; 2]) -> Option<String> {
        in_common(&shape(one), &shape(other)).map(|shape| shape.rule().pattern)
    }

    #[test]
    fn a_name_or_a_unit_that_replies_share_is_enough() {
        let cases = [
            (["ok T:21.4", "ok T:21.3"], ["wrong T:9.5", "wrong T:9.7"], r"( T:)[\d.,:]+"),
            // A number that was whole by chance.
            (["ok T:21", "ok T:19"], ["wrong T:9.5", "wrong T:9.7"], r"( T:)[\d.,:]+"),
            // One that was positive by chance.
            (["ok T:-21", "ok T:19"], ["wrong T:9.5", "wrong T:9.7"], r"( T:)[-+]?[\d.,:]+"),
            (["T:21.4", "T:21.3"], ["wrong T:9.5", "wrong T:9.7"], r"(T:)[\d.,:]+"),
            (["17 ms ok", "18 ms ok"], ["21 ms wrong", "20 ms wrong"], r"\d+( ms )"),
            (
                ["job #5 is in", "job #6 is in"],
                ["msg #5 is out", "msg #7 is out"],
                r"( #)\d+( is )",
            ),
            (["ok T:1 H:5", "ok T:2 H:6"], ["no T:3 H:5", "no T:2 H:7"], r"( T:)\d+( H:)\d+"),
            (["on, é=5", "on, é=6"], ["off, é=5", "off, é=7"], r"(, (?-u:\xc3\xa9)=)\d+"),
            (["id 12ab", "id 45ac"], ["id 35", "id 47"], "(id )[0-9A-Fa-f]+"),
            (["id 000012ab", "id 000045ac"], ["id 00003a", "id 00004c"], "(id )[0-9A-Fa-f]+"),
            (["id 000012ab", "id 000045ac"], ["id 000035ff", "id 00004711"], "(id )[0-9A-Fa-f]{8}"),
        ];
        for (one, other, expected) in cases {
            assert_eq!(common(one, other).as_deref(), Some(expected));
            assert_eq!(common(other, one).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_blank_or_a_part_of_a_word_is_not_enough() {
        let cases = [
            (["uptime: 5", "uptime: 6"], ["tries: 5", "tries: 7"]),
            (["count: 5", "count: 6"], ["amount: 5", "amount: 7"]),
            (["é: 5", "é: 6"], ["è: 5", "è: 7"]),
            (["up 5 s", "up 6 s"], ["in 5 s", "in 7 s"]),
            (["id 12ab", "id 45ac"], ["id 3.5", "id 4.7"]),
            (["id 12", "id 45"], ["id x5z", "id y7z"]),
            (["ok T:1 H:5", "ok T:2 H:6"], ["ok T:3", "ok T:4"]),
            (["ok T:1 H:5", "ok T:2 H:6"], ["ok T:3 V:1", "ok T:4 V:2"]),
        ];
        for (one, other) in cases {
            assert_eq!(common(one, other), None);
        }
        let bytes = |first: u8| {
            let replies: [&[u8]; 2] = [&[first, 6, 255, 1], &[first, 6, 255, 2]];
            ChangingField::find(&replies).expect("a field").shape
        };
        assert_eq!(in_common(&bytes(1), &bytes(2)), None);
        // A whole line is known by nothing but its blanks.
        let line = |blank: &str| {
            let lines = ["17", "18", "19"].map(|number| format!("{blank}{number}").into_bytes());
            ChangingField::find(&lines.each_ref().map(Vec::as_slice)).expect("a field").shape
        };
        assert_eq!(in_common(&line(""), &line(" ")), None);
        assert_eq!(in_common(&bytes(1), &bytes(1)), Some(bytes(1)));
    }

    #[test]
    fn of_the_text_around_a_field_its_name_is_enough() {
        let name_only = |replies| with_name_only(&shape(replies)).map(|shape| shape.rule().pattern);
        let long = ["ok, T: 21 C now", "ok, T: 22 C now"];
        assert_eq!(name_only(long).as_deref(), Some(r"(, T: )\d+( )"));
        assert_eq!(name_only(["T:21", "T:22"]), None);
        assert_eq!(name_only(["17 ms ok", "18 ms ok"]), None);
    }
}
