//! Lines that one of several answers to a word has on top of another one.

use mealybug::escape::{escape_text, unescape};
use mealybug::short_output::short_all;

use crate::endpoint::Means;

/// What to do where one of these outputs has lines on top of another one, if one has.
pub(crate) fn advice(outputs: &[&str], means: Means) -> Option<String> {
    let pairs = outputs.iter().flat_map(|less| outputs.iter().map(move |more| (less, more)));
    let text = pairs.into_iter().find_map(|(less, more)| on_top(less, more))?;
    let text = &short_all(&[&text])[0];
    let [waits, strips] = match means.has_file {
        true => [
            "? A `wait_ms` at that input makes it a part of its own output. Does the device",
            "? `strip` takes it out.",
        ],
        false => [", or does the device", "?"],
    };
    Some(format!(
        "`{text}` came with one of the answers only: does an input before that say it late{waits} say it unasked{strips}"
    ))
}

/// The lines without which `more` would be `less`.
fn on_top(less: &str, more: &str) -> Option<String> {
    let [less, more] = [less, more].map(|text| unescape(text).unwrap_or_else(|| text.into()));
    let same = less.iter().zip(&more).take_while(|(one, other)| one == other).count();
    let (before, rest) = less.split_at(same);
    let text = more.get(same..)?.strip_suffix(rest)?;
    let cuts_number =
        [before.last(), text.first()].iter().all(|byte| byte.is_some_and(u8::is_ascii_digit));
    let is_end = |byte: &u8| b"\r\n".contains(byte);
    let is_said = text.iter().any(u8::is_ascii_alphanumeric);
    let are_lines = text.iter().any(is_end) && is_said && !cuts_number;
    are_lines.then(|| escape_text(text.trim_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_on_top_are_found() {
        for (less, more, text) in [
            ("OK", r"OK\r\nCLOSED", Some("CLOSED")),
            (r"A\r\nOK", r"A\r\nCLOSED\r\nGONE\r\nOK", Some(r"CLOSED\r\nGONE")),
            (r"A\n\nOK", r"A\r\nB\n\nOK", Some("B")),
            (r"+IPD:AT+C", r"+IPD:AT+CCLOSED\r\nGONE", Some(r"CLOSED\r\nGONE")),
            // A number, a part of a word, other lines, and less.
            ("T 1", "T 12", None),
            ("armed", "disarmed", None),
            (r"OK\nA", r"OK\nB", None),
            (r"OK\r\nA", "OK", None),
            ("OK", r"OK\r\n", None),
            ("T 1", r"T 12\r\nX", None),
            ("OK", r"C:\\new OK", None),
            (r"\x1a", r"\x1b\r\n\x1a", None),
            (r"\x1a", r"A\x1b\r\n\x1a", Some(r"A\x1b")),
        ] {
            assert_eq!(on_top(less, more).as_deref(), text, "{less} {more}");
        }
    }

    #[test]
    fn advice_names_what_a_device_file_has() {
        for has_file in [true, false] {
            let means = Means { has_file, can_be_checked: false, drops_late: false };
            let text = advice(&[r"OK\nGONE", "OK"], means).expect("a line on top");
            assert!(text.starts_with("`GONE` came"), "{text}");
            assert_eq!(text.contains("`wait_ms`") && text.contains("`strip`"), has_file);
        }
    }
}
