//! Names as lines: characters that a line cannot hold are escaped.

use std::fmt::Write as _;

use crate::escape::unescape_bytes;

/// Writes an output as a line.
pub(crate) fn quote(name: &str) -> String {
    let line = escaped(name, |c| c.is_control());
    // Without the escape, the line would report a failure of the device.
    match line.strip_prefix("error") {
        Some(rest) if rest.is_empty() || rest.starts_with(' ') => format!("\\x65rror{rest}"),
        _ => line,
    }
}

/// Writes the name of an input for a list that is separated by blanks.
pub(crate) fn quote_name(name: &str) -> String {
    if name.is_empty() { "\\".to_owned() } else { escaped(name, |c| c.is_control() || c == ' ') }
}

/// Undoes the quoting; `None` if a backslash does not begin a valid escape.
pub(crate) fn unquote(line: &[u8]) -> Option<Vec<u8>> {
    if line == b"\\" {
        return Some(Vec::new());
    }
    unescape_bytes(line, |_| true)
}

fn escaped(name: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut line = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            '\\' => line.push_str("\\\\"),
            c if is_escaped(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    write!(line, "\\x{byte:02x}").expect("a String takes everything");
                }
            }
            c => line.push(c),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        let names = [
            "",
            "press",
            "é 25 °C",
            "a\r\nb",
            "\\",
            "\\n",
            "C:\\new",
            "\0",
            "\u{85}",
            "error",
            "error 5",
            "errors",
            " ",
            "ok",
        ];
        for name in names {
            for line in [quote(name), quote_name(name)] {
                assert!(!line.contains(char::is_control), "{line:?}");
                assert_eq!(unquote(line.as_bytes()).as_deref(), Some(name.as_bytes()), "{line:?}");
            }
            let word = quote_name(name);
            assert_eq!(word.split_ascii_whitespace().collect::<Vec<_>>(), [word.as_str()]);
            let output = quote(name);
            assert!(output != "error" && !output.starts_with("error "), "{output:?}");
        }
        assert_eq!(quote("é 25 °C"), "é 25 °C");
        assert_eq!(quote_name("a b"), "a\\x20b");
    }

    #[test]
    fn a_backslash_that_begins_no_escape_is_refused() {
        for line in ["C:\\users", "\\x4", "a\\", "\\xzz"] {
            assert_eq!(unquote(line.as_bytes()), None, "{line}");
        }
    }
}
