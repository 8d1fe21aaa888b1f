//! Text of a device that may be another one the next time: versions change with the firmware, times and dates by themselves.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, bytes};

use crate::escape::pattern;

/// A number in decimal or, behind `0x`, in hex digits.
static NUMBER: LazyLock<bytes::Regex> = LazyLock::new(|| bytes_pattern("0x[0-9A-Fa-f]+|[0-9]+"));
/// A decimal number, with blanks that fill up its place.
static FILLED: LazyLock<bytes::Regex> = LazyLock::new(|| bytes_pattern(" *[0-9]+"));
/// A piece of a date: a number, a name or blanks.
static PART: LazyLock<bytes::Regex> =
    LazyLock::new(|| bytes_pattern("0x[0-9A-Fa-f]+|[0-9]+|[A-Za-z]+| +"));
/// A version or a time, such as `2024.01` or `12:30`, or a date.
static CHANGING: LazyLock<Regex> = LazyLock::new(|| {
    let day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +";
    let month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*";
    let by_name = [
        // 29 Nov 2026, 29-Nov-26
        format!(r"\d{{1,2}}[ -]{month},?[ -]\d{{2,4}}"),
        // Nov 29, Nov 29, 2026, Nov 29 12:30:00 UTC 2026
        format!(r"{month} +\d{{1,2}}(?:,? +(?:[\d:.]+ +)?(?:[A-Z]{{3,4}} +)?\d{{4}})?"),
    ]
    .join("|");
    // 2026-11-29, 2026-11-29T07:05, 11/29/26
    let by_numbers = r"\d{4}-\d\d-\d\d(?:\b|T)|\d{1,2}/\d{1,2}/\d{2,4}\b";
    let versions = r"\d+(?:[.:]\d+)+";
    Regex::new(&format!(r"\b(?:(?:{day})?(?:{by_name})\b|{by_numbers})|{versions}"))
        .expect("the pattern of a test")
});

fn bytes_pattern(pattern: &str) -> bytes::Regex {
    bytes::Regex::new(pattern).expect("the pattern of a test")
}

/// A pattern for a text with any numbers in place of its versions and times, and any dates in place of its dates. Bytes that are
/// no text stand for themselves.
pub(super) fn any_version(bytes: &[u8]) -> String {
    let changing = changing(bytes);
    with_parts(bytes, &PART, |part| any_if(&changing, bytes, part))
}

/// The same with any number also where `heard` ends with another one; `None` if it ends otherwise but for numbers.
pub(super) fn with_any_numbers(bytes: &[u8], heard: &[u8]) -> Option<String> {
    let others = heard_in_place(bytes, heard, &NUMBER, |part| any_number(&bytes[part]))?;
    let mut others = others.into_iter();
    let changing = changing(bytes);
    Some(with_parts(bytes, &PART, |part| {
        let is_number = bytes[part.start].is_ascii_digit();
        match is_number && others.next() != Some(&bytes[part.clone()]) {
            true => any_number(&bytes[part]).to_owned(),
            false => any_if(&changing, bytes, part),
        }
    }))
}

/// A pattern for bytes at the end of `heard`, where other decimal numbers may stand: any number where they differ, and any blanks in
/// front of it if there are some. `None` if `heard` ends otherwise.
pub(super) fn with_other_numbers(bytes: &[u8], heard: &[u8]) -> Option<String> {
    let mut others = heard_in_place(bytes, heard, &FILLED, |_| FILLED.as_str())?.into_iter();
    Some(with_parts(bytes, &FILLED, |part| {
        let own = &bytes[part];
        match others.next().filter(|other| *other != own) {
            None => pattern(own),
            Some(other) if own[0] == b' ' || other[0] == b' ' => r" *\d+".to_owned(),
            Some(_) => r"\d+".to_owned(),
        }
    }))
}

/// What stands at the end of `heard` in place of each part of `bytes` that matches, where `any` gives a pattern for all that may
/// stand there. `None` if `heard` ends otherwise.
fn heard_in_place<'h, 'p>(
    bytes: &[u8],
    heard: &'h [u8],
    part: &bytes::Regex,
    mut any: impl FnMut(Range<usize>) -> &'p str,
) -> Option<Vec<&'h [u8]>> {
    let end = with_parts(bytes, part, |part| format!("({})", any(part))) + "$";
    let found = bytes::Regex::new(&end).ok()?.captures(heard)?;
    Some(found.iter().flatten().skip(1).map(|it| it.as_bytes()).collect())
}

/// A pattern for bytes with any numbers in place of theirs.
pub(super) fn any_numbers(bytes: &[u8]) -> String {
    with_parts(bytes, &NUMBER, |part| any_number(&bytes[part]).to_owned())
}

/// A pattern for bytes, with what `any` makes of each part of them that matches.
fn with_parts(
    bytes: &[u8],
    part: &bytes::Regex,
    mut any: impl FnMut(Range<usize>) -> String,
) -> String {
    let (mut whole, mut at) = (String::new(), 0);
    for found in part.find_iter(bytes) {
        whole += &pattern(&bytes[at..found.start()]);
        whole += &any(found.range());
        at = found.end();
    }
    whole + &pattern(&bytes[at..])
}

/// A pattern for a part of a text: for any other of its kind if it is in a changing text.
fn any_if(changing: &[Range<usize>], bytes: &[u8], part: Range<usize>) -> String {
    if !changing.iter().any(|text| text.contains(&part.start)) {
        return pattern(&bytes[part]);
    }
    let any = match bytes[part.start] {
        b'0'..=b'9' => any_number(&bytes[part]),
        b' ' => " +",
        _ => "[A-Za-z]+",
    };
    any.to_owned()
}

/// A pattern for any number that is written like this one.
fn any_number(number: &[u8]) -> &'static str {
    if number.starts_with(b"0x") { "0x[0-9A-Fa-f]+" } else { r"\d+" }
}

/// Where versions, times and dates are in a text; nowhere in bytes that are no text.
fn changing(bytes: &[u8]) -> Vec<Range<usize>> {
    let is_text = |text: &&str| !text.contains(|c: char| c.is_control() && !"\r\n\t".contains(c));
    let text = std::str::from_utf8(bytes).ok().filter(is_text);
    CHANGING.find_iter(text.unwrap_or_default()).map(|found| found.range()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_differ_are_any() {
        let any = |own: &str, heard: &str| with_other_numbers(own.as_bytes(), heard.as_bytes());
        let pattern = any("[ 26.511] #2 v3> ", "help\r\n[  0.051] #0 v3> ").expect("numbers");
        assert_eq!(pattern, r"\[ *\d+\.\d+\] #\d+ v3> ");
        assert_eq!(any("[9] > ", "[10] > ").as_deref(), Some(r"\[\d+\] > "));
        assert_eq!(any("[9] > ", "[9] $ "), None);
    }

    #[test]
    fn dates_may_be_other_dates() {
        for (text, another) in [
            (
                "220 mx ESMTP Sun, 29 Nov 2026 07:05:01 +0000\r\n",
                "220 mx ESMTP Mon, 7 May 2027 17:5:11 +0000\r\n",
            ),
            ("up since Sun Nov 29 07:05:01 UTC 2026.", "up since Mon May  7 17:05:01 CEST 2027."),
            ("up since Sunday, November 29, 2026.", "up since Monday, May 7, 2027."),
            ("last login: Nov 29 on tty1", "last login: Dec 1 on tty1"),
            ("on 29-Nov-26 at 2026-11-29T07:05", "on 1-Dec-26 at 2027-05-07T17:05"),
            ("11/29/2026", "5/7/27"),
        ] {
            let pattern = any_version(text.as_bytes());
            let pattern = Regex::new(&format!("^{pattern}$")).expect("a pattern");
            assert!(pattern.is_match(text) && pattern.is_match(another), "{pattern}");
        }
    }

    #[test]
    fn what_only_looks_like_a_date_stays() {
        for text in
            ["Ready, 7 March", "Mon 12 ok", "Mayday 5x", "29 No 2026", "12/3", "1-2-3", "Summer 5"]
        {
            assert_eq!(any_version(text.as_bytes()), pattern(text.as_bytes()), "{text}");
        }
        assert_eq!(any_version(b"29 Nov 2026\xff"), pattern(b"29 Nov 2026\xff"));
    }
}
