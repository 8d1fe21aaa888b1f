//! Bytes as people read them: printable ASCII as it is, everything else escaped.
//!
//! Escaped text is ASCII on one line, and it is exact: it can be pasted back, and [`unescape`]
//! reads it. Bytes from 0x80 on are always `\xNN`, even if they happen to be UTF-8, so that binary
//! replies look alike whatever they contain.

use std::borrow::Cow;
use std::fmt::Write;

/// How many bytes [`excerpt`] shows at each end.
const EXCERPT_END: usize = 40;

/// Writes `bytes` as text.
///
/// ```
/// use mealybug::escape::escape;
/// assert_eq!(escape(b"ready> \r\n\x1b[0m\xff"), r"ready> \r\n\x1b[0m\xff");
/// ```
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\r' => text.push_str("\\r"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'\\' => text.push_str("\\\\"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => write!(text, "\\x{byte:02x}").expect("a String takes everything"),
        }
    }
    text
}

/// Like [`escape`], but keeps UTF-8 text: for a part of a reply that is known to be text.
///
/// ```
/// assert_eq!(mealybug::escape::escape_text("25 °C\r".as_bytes()), r"25 °C\r");
/// assert_eq!(mealybug::escape::escape_text(b"25 \xb0C"), r"25 \xb0C");
/// ```
pub fn escape_text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_ascii() || is_hidden(c) {
                text.push_str(&escape(c.encode_utf8(&mut [0; 4]).as_bytes()));
            } else {
                text.push(c);
            }
        }
        text.push_str(&escape(chunk.invalid()));
    }
    text
}

/// Reads what [`escape`] wrote; `None` for any other text.
///
/// ```
/// use mealybug::escape::unescape;
/// assert_eq!(unescape(r"OK\r\n\x00").as_deref(), Some(&b"OK\r\n\0"[..]));
/// assert_eq!(unescape(r"C:\users"), None);
/// ```
pub fn unescape(text: &str) -> Option<Vec<u8>> {
    unescape_bytes(text.as_bytes(), |byte| matches!(byte, b' '..=b'~'))
}

/// The same, but the bytes that `stands` accepts stand for themselves.
pub(crate) fn unescape_bytes(escaped: &[u8], stands: impl Fn(u8) -> bool) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.iter().copied();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next()? {
                b'r' => b'\r',
                b'n' => b'\n',
                b't' => b'\t',
                b'\\' => b'\\',
                b'x' => hex_digit(rest.next()?)? << 4 | hex_digit(rest.next()?)?,
                _ => return None,
            },
            _ if stands(byte) => byte,
            _ => return None,
        });
    }
    Some(bytes)
}

/// `bytes` escaped for a message: both ends only, if there are many.
pub fn excerpt(bytes: &[u8]) -> String {
    if bytes.len() <= 2 * EXCERPT_END {
        return escape(bytes);
    }
    let (head, tail) = (&bytes[..EXCERPT_END], &bytes[bytes.len() - EXCERPT_END..]);
    let between = bytes.len() - 2 * EXCERPT_END;
    format!("{} … ({between} more bytes) … {}", escape(head), escape(tail))
}

/// A regular expression that matches exactly this text. What is special only elsewhere stays as it is, so that it reads well.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if regex_syntax::is_meta_character(c) && !"#&-~".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A regular expression over bytes that matches exactly these bytes.
///
/// ```
/// use mealybug::escape::pattern;
/// assert_eq!(pattern(b"#1.5\x06\r\n"), r"#1\.5\x06\r\n");
/// assert_eq!(pattern(b")\xff\xfe)\x06\xff"), r"\)(?-u:\xff\xfe)\)\x06(?-u:\xff)");
/// ```
pub fn pattern(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut before = None;
    for &byte in bytes {
        match byte {
            b' '..=b'~' => text += &escaped(char::from(byte).encode_utf8(&mut [0; 4])),
            b'\r' => text += r"\r",
            b'\n' => text += r"\n",
            b'\t' => text += r"\t",
            ..0x80 => write!(text, r"\x{byte:02x}").expect("a String takes everything"),
            _ => {
                // One group for all such bytes in a row.
                match before {
                    Some(0x80..) => _ = text.pop(),
                    _ => text += "(?-u:",
                }
                write!(text, r"\x{byte:02x})").expect("a String takes everything");
            }
        }
        before = Some(byte);
    }
    text
}

/// Bytes in hex digits.
///
/// ```
/// assert_eq!(mealybug::escape::hex_pairs(b"\x06\xff"), "06 ff");
/// ```
pub fn hex_pairs(bytes: &[u8]) -> String {
    let pairs: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(" ")
}

/// The value of a hexadecimal digit, upper or lower case.
pub(crate) fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Whether a terminal or a page obeys this character instead of showing it: a control character, or one
/// that changes lines or the direction of text (Unicode Annex 9, section 2).
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2066}'..='\u{2069}')
}

/// Text as it can be shown to people: hidden characters are escaped, all others stay.
///
/// ```
/// assert_eq!(mealybug::escape::visible("25 °C\x1b[2J \u{202e}"), r"25 °C\x1b[2J \xe2\x80\xae");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    visible_but(text, |_| false)
}

/// The same for a text with lines and columns.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    visible_but(text, |c| matches!(c, '\n' | '\t'))
}

fn visible_but(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |c| !is_hidden(c) || stays(c);
    if text.chars().all(is_shown) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_shown(c) {
            true => shown.push(c),
            false => shown.push_str(&escape(c.encode_utf8(&mut [0; 4]).as_bytes())),
        }
    }
    shown.into()
}

/// Whether this character must not stand in XML and HTML: they cannot represent it, or it is hidden.
pub(crate) fn is_not_markup(c: char) -> bool {
    is_hidden(c) && c != '\n' || matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_bytes_comes_back() {
        for first in 0..=255 {
            for second in 0..=255 {
                let bytes = [first, second];
                let text = escape(&bytes);
                assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
                assert_eq!(unescape(&text).as_deref(), Some(&bytes[..]), "{text}");
            }
        }
    }

    #[test]
    fn bytes_that_look_like_an_escape_are_told_apart_from_it() {
        assert_eq!(escape(br"\n"), r"\\n");
        assert_eq!(escape(b"\n"), r"\n");
        assert_eq!(escape(br"\x41"), r"\\x41");
    }

    #[test]
    fn what_escape_never_writes_is_refused() {
        for text in ["\\", r"\q", r"\x", r"\x4", r"\xg0", "\n", "é", "\u{7f}"] {
            assert_eq!(unescape(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_excerpt_shows_both_ends() {
        let mut long = vec![b'a'; 80];
        assert_eq!(excerpt(&long), "a".repeat(80));
        long.push(b'\n');
        let text = excerpt(&long);
        assert!(text.starts_with(&"a".repeat(40)), "{text}");
        assert!(text.contains(" … (1 more bytes) … "), "{text}");
        assert!(text.ends_with(r"a\n"), "{text}");
    }
}
