//! Inputs and outputs as lines: characters that a line cannot hold are escaped.

use crate::escape::{escape_text, unescape_bytes};

/// Writes an output as a line.
pub(crate) fn quote(output: &[u8]) -> String {
    let line = escape_text(output);
    // Without the escape, the line would report a failure of the device.
    match line.strip_prefix("error") {
        Some(rest) if rest.is_empty() || rest.starts_with(' ') => format!("\\x65rror{rest}"),
        _ => line,
    }
}

/// Writes inputs for a list with blanks between.
pub(crate) fn quote_names(inputs: &[impl AsRef<[u8]>]) -> Vec<String> {
    let mut names: Vec<_> = inputs.iter().map(|input| quote_name(input.as_ref())).collect();
    // A comma in the only name looks like a list with commas between.
    if let [name] = &mut names[..] {
        *name = name.replace(',', "\\x2c");
    }
    names
}

fn quote_name(input: &[u8]) -> String {
    if input.is_empty() { "\\".to_owned() } else { escape_text(input).replace(' ', "\\x20") }
}

/// Undoes the quoting; `None` if a backslash does not begin a valid escape.
pub(crate) fn unquote(line: &[u8]) -> Option<Vec<u8>> {
    if line == b"\\" {
        return Some(Vec::new());
    }
    unescape_bytes(line, |_| true)
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
            for line in [quote(name.as_bytes()), quote_name(name.as_bytes())] {
                assert!(!line.contains(char::is_control), "{line:?}");
                assert_eq!(unquote(line.as_bytes()).as_deref(), Some(name.as_bytes()), "{line:?}");
            }
            let word = quote_name(name.as_bytes());
            assert_eq!(word.split_ascii_whitespace().collect::<Vec<_>>(), [word.as_str()]);
            let output = quote(name.as_bytes());
            assert!(output != "error" && !output.starts_with("error "), "{output:?}");
        }
        assert_eq!(quote("é 25 °C".as_bytes()), "é 25 °C");
        assert_eq!(quote_name(b"a b"), "a\\x20b");
    }

    #[test]
    fn a_backslash_that_begins_no_escape_is_refused() {
        for line in ["C:\\users", "\\x4", "a\\", "\\xzz"] {
            assert_eq!(unquote(line.as_bytes()), None, "{line}");
        }
    }
}
