//! The line that all replies end with, such as `OK` or `ERROR 3`: it ends replies with different numbers of lines.

use std::collections::{BTreeMap, BTreeSet};

use super::super::field::is_text;
use crate::escape;

/// More kinds of last lines are data.
const KINDS: usize = 6;

/// A pattern for the last lines of different replies, which no other line of them fits; `None` if these do not show that there is
/// such a line. The last line of all replies with several lines must be the same, and a whole reply at times.
pub(super) fn last_line(replies: &BTreeSet<Vec<u8>>) -> Option<String> {
    let mut before = BTreeSet::new();
    let (mut results, mut alone) = (BTreeSet::new(), BTreeSet::new());
    for reply in replies {
        let mut lines = lines(reply)?;
        let last = lines.pop()?;
        let ends = if lines.iter().all(|line| line.is_empty()) { &mut alone } else { &mut results };
        ends.insert(last);
        before.extend(lines);
    }
    let result = results.pop_first().filter(|result| results.is_empty() && alone.remove(result))?;
    let mut kinds: BTreeMap<&[u8], BTreeSet<&[u8]>> = BTreeMap::new();
    for line in alone {
        kinds.entry(begin(line)).or_default().insert(line);
    }
    let has_digit = |text: &[u8]| text.iter().any(u8::is_ascii_digit);
    let is_number = kinds.keys().chain([&result]).any(|begin| has_digit(begin));
    let is_end = |line: &&[u8]| *line == result || kinds.contains_key(begin(line));
    if is_number || kinds.len() > KINDS || before.iter().any(is_end) {
        return None;
    }
    let others = kinds.into_iter().map(|(begin, lines)| match lines.first() {
        Some(line) if lines.len() == 1 && !has_digit(line) => escape::pattern(line),
        _ => escape::pattern(begin) + ".*",
    });
    Some(Vec::from_iter(std::iter::once(escape::pattern(result)).chain(others)).join("|"))
}

/// The lines of a text, without their ends; `None` if it does not end with one.
fn lines(text: &[u8]) -> Option<Vec<&[u8]>> {
    let text = text.strip_suffix(b"\n").filter(|text| is_text(text))?;
    let lines = text.split(|byte| *byte == b'\n');
    Some(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect())
}

/// The first word of a line, with what stands before it and between it and the next one.
fn begin(line: &[u8]) -> &[u8] {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric();
    let start = line.iter().take_while(|byte| !is_part(byte)).count();
    let end = start + line[start..].iter().take_while(is_part).count();
    let next = end + line[end..].iter().take_while(|byte| !is_part(byte)).count();
    &line[..next]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(replies: &[&[u8]]) -> Option<String> {
        last_line(&replies.iter().map(|reply| reply.to_vec()).collect())
    }

    #[test]
    fn results_are_told_from_data() {
        let player: [&[u8]; 4] = [
            b"OK\n",
            b"Id: 9\nOK\n",
            b"ACK [4@0] {add} you don't have permission\n",
            b"ACK [3@0] {password} incorrect password\n",
        ];
        assert_eq!(pattern(&player).as_deref(), Some(r"OK|ACK \[.*"));
        let modem: [&[u8]; 5] = [
            b"\r\nOK\r\n",
            b"\r\n+CSQ: 17,0\r\n\r\nOK\r\n",
            b"\r\nERROR\r\n",
            b"\r\n+CME ERROR: 16\r\n",
            b"\r\nNO CARRIER\r\n",
        ];
        assert_eq!(pattern(&modem).as_deref(), Some(r"OK|\+CME .*|ERROR|NO CARRIER"));
        assert_eq!(pattern(&[b"OK\n", b"1\nOK\n"]).as_deref(), Some("OK"));
    }

    #[test]
    fn data_at_the_end_is_no_result() {
        let cases: [&[&[u8]]; 10] = [
            // Never alone.
            &[b"ok\naccepted\n", b"busy\n"],
            // Several of them.
            &[b"OK\n", b"1\nOK\n", b"1\nDONE\n", b"DONE\n"],
            // Lines before it are the same, or begin alike.
            &[b"OK\n", b"OK\nOK\n"],
            &[b"OK\n", b"Id: 9\nOK\n", b"Id: 7\n"],
            &[b"0\n", b"17\n0\n"],
            &[b"OK\n", b"17\nOK\n", b"8\n"],
            // No reply has several lines; one has no line end, or is no text.
            &[b"OK\n", b"ERROR\n"],
            &[b"OK\n", b"1\nOK\n", b"> "],
            &[b"OK\n", b"1\nOK\n", b"\x80\x01\n"],
            &[b"OK\n", b"1\nOK\n", b"a\n", b"b\n", b"c\n", b"d\n", b"e\n", b"f\n", b"g\n"],
        ];
        for replies in cases {
            assert_eq!(pattern(replies), None, "{replies:?}");
        }
    }
}
