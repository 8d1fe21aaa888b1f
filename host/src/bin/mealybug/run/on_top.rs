//! Lines that one of several answers to a word has on top of another one.

use mealybug::short_output::short_all;

use crate::endpoint::Means;

/// What to do where one of these outputs has lines on top of another one, if one has.
pub(crate) fn advice(outputs: &[&str], means: Means) -> Option<String> {
    let pairs = outputs.iter().flat_map(|less| outputs.iter().map(move |more| (less, more)));
    let text = pairs.into_iter().find_map(|(less, more)| on_top(less, more))?;
    let text = &short_all(&[text])[0];
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
fn on_top<'o>(less: &str, more: &'o str) -> Option<&'o str> {
    let same = less.bytes().zip(more.bytes()).take_while(|(one, other)| one == other).count();
    // No escape is cut.
    let same = same - usize::from(less.as_bytes().get(..same)?.ends_with(br"\"));
    let text = more.get(same..)?.strip_suffix(less.get(same..)?)?;
    let has_end = [r"\r", r"\n"].iter().any(|end| text.contains(end));
    Some(without_ends(text)).filter(|lines| has_end && lines.contains(char::is_alphanumeric))
}

/// A text without the escapes of line ends around it.
fn without_ends(text: &str) -> &str {
    let trim = |text, end| str::trim_end_matches(str::trim_start_matches(text, end), end);
    let inner = trim(trim(text, r"\n"), r"\r");
    if inner.len() < text.len() { without_ends(inner) } else { text }
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
        ] {
            assert_eq!(on_top(less, more), text, "{less} {more}");
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
