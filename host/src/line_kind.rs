//! Patterns for the lines that a device says unasked.
//!
//! Lines are of one kind if they begin alike. Such lines often differ in numbers only, and then their pattern says what else is
//! in them. A checksum in hex digits or a field that may be empty makes lines differ in more: then their pattern is the
//! beginning, and any text after it.

use crate::escape::pattern;

/// A shorter beginning says nothing about a line, in bytes.
const BEGINNING_BYTES: usize = 2;

/// How the lines of a device end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// With `\n`, mostly after `\r`.
    #[default]
    Newline,
    /// With `\r` alone.
    Return,
}

impl LineEnd {
    /// That of a device which has said this: only one that never said `\n` ends its lines with `\r` alone.
    pub(crate) fn of<'b>(said: impl IntoIterator<Item = &'b [u8]>) -> Self {
        let mut said = said.into_iter().flatten();
        if said.any(|&byte| byte == b'\n') { Self::Newline } else { Self::Return }
    }

    /// Its last byte.
    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Newline => b'\n',
            Self::Return => b'\r',
        }
    }

    /// The pattern of a line's end.
    pub(crate) fn pattern(self) -> &'static str {
        match self {
            Self::Newline => r"\r?\n",
            Self::Return => r"\r",
        }
    }

    /// The lines that end in these bytes, without their ends. Blank ones do not count.
    pub(crate) fn lines(self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let ended = bytes.split_inclusive(move |&byte| byte == self.byte());
        let lines = ended.filter_map(move |line| line.strip_suffix(&[self.byte()]));
        let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        lines.filter(|line| !line.trim_ascii_end().is_empty())
    }

    /// A line with its end.
    pub(crate) fn whole(self, line: &[u8]) -> Vec<u8> {
        [line, &[self.byte()]].concat()
    }

    /// A pattern for lines that begin alike, and their ends.
    pub(crate) fn kind_pattern(self, lines: &[&[u8]]) -> Option<String> {
        let (first, others) = lines.split_first()?;
        let pattern_of_first = line_pattern(first);
        if others.iter().all(|line| line_pattern(line) == pattern_of_first) {
            return Some(pattern_of_first + self.pattern());
        }
        let common = beginning(first)?;
        let is_alike = others.iter().all(|line| beginning(line) == Some(common));
        let has_return = lines.iter().any(|line| line.contains(&b'\r'));
        let rest = if has_return { r"[^\n]*\n".to_owned() } else { self.rest_pattern() };
        is_alike.then(|| pattern(common) + &rest)
    }

    /// A pattern for the rest of a line, and its end.
    pub(crate) fn rest_pattern(self) -> String {
        r"[^\r\n]*".to_owned() + self.pattern()
    }
}

/// How the lines of a kind begin: the bytes up to the first digit, comma, colon or blank. `None` if these are too few.
pub(crate) fn beginning(line: &[u8]) -> Option<&[u8]> {
    let ends = |byte: &u8| byte.is_ascii_digit() || b",: \t".contains(byte);
    let beginning = &line[..line.iter().position(ends).unwrap_or(line.len())];
    Some(beginning).filter(|beginning| beginning.len() >= BEGINNING_BYTES)
}

/// What the lines of a kind have in common: how they begin, or else their pattern.
pub(crate) fn kind_of(line: &[u8]) -> Vec<u8> {
    beginning(line).map_or_else(|| line_pattern(line).into_bytes(), <[u8]>::to_vec)
}

/// A pattern for a line without its end. Numbers in it may be any, and so may fields of hex digits that have digits and letters, and
/// the checksum of an NMEA 0183 sentence: two hex digits after `*` at the end.
pub(crate) fn line_pattern(line: &[u8]) -> String {
    let is_same =
        |one: &u8, other: &u8| one.is_ascii_alphanumeric() == other.is_ascii_alphanumeric();
    let mut text = String::new();
    let (mut before, mut len) = (None, 0);
    for part in line.chunk_by(is_same) {
        len += part.len();
        let is_checksum = before == Some(b'*') && len == line.len() && part.len() == 2;
        // A letter after a decimal point is a unit.
        let is_hex = part.iter().all(u8::is_ascii_hexdigit)
            && (is_checksum
                || part.iter().any(u8::is_ascii_digit)
                    && part.iter().any(u8::is_ascii_alphabetic)
                    && before != Some(b'.'));
        text += &if is_hex { "[0-9A-Fa-f]+".to_owned() } else { with_any_numbers(part) };
        before = part.last().copied();
    }
    text
}

fn with_any_numbers(part: &[u8]) -> String {
    let is_same = |one: &u8, other: &u8| one.is_ascii_digit() == other.is_ascii_digit();
    let parts = part.chunk_by(is_same).map(|part| match part[0].is_ascii_digit() {
        true => r"\d+".to_owned(),
        false => pattern(part),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use regex::bytes::Regex;

    use super::*;

    #[test]
    fn lines_that_begin_alike_have_one_pattern() {
        for (lines, expected) in [
            (&["!TEMP 23.1", "!TEMP 9.5"][..], r"!TEMP \d+\.\d+\r?\n"),
            (&["T=3.5C"], r"T=\d+\.\d+C\r?\n"),
            (&["$GPGSV,1,1,00*7A", "$GPGSV,1,1,01*71"], r"\$GPGSV,\d+,\d+,\d+\*[0-9A-Fa-f]+\r?\n"),
            (&["$GPGSV,1,1,00*7A", "$GPGSV,1,,01*71"], r"\$GPGSV[^\r\n]*\r?\n"),
        ] {
            let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
            assert_eq!(LineEnd::Newline.kind_pattern(&lines).as_deref(), Some(expected));
        }
        for said in [
            "!TEMP 21.1 \n!TEMP 9.5 \r\n",
            "!TEMP 1.1\r\r\n!TEMP 2.2\r\r\n",
            "!TEMP,a\r\r\n!TEMP,\n",
            "!TEMP 21.1\r!TEMP 9.5\r",
            "!TEMP,a\r!TEMP,\r",
        ] {
            let end = LineEnd::of([said.as_bytes()]);
            let lines: Vec<_> = end.lines(said.as_bytes()).collect();
            let pattern = end.kind_pattern(&lines).expect("one kind");
            let removed =
                Regex::new(&pattern).expect("a pattern").replace_all(said.as_bytes(), b"");
            assert!(lines.len() == 2 && removed.is_empty(), "{pattern} leaves {removed:?}");
        }
        for (said, line) in [
            (&b"\r\n \t\r\nLOCK 1.0 \r\nopen"[..], &b"LOCK 1.0 "[..]),
            (b"\rV10\r\x07", b"V10"),
            (b"10 %\r20 %\r\n", b"10 %\r20 %"),
        ] {
            assert_eq!(LineEnd::of([said]).lines(said).collect::<Vec<_>>(), [line]);
        }
        assert_eq!(LineEnd::of([&b"V10\r"[..], b"\n"]), LineEnd::Newline);
        assert_eq!(LineEnd::Newline.kind_pattern(&[b"$GPGSV,a", b"$GPGSA,b"]), None);
        assert_eq!((beginning(b"1,2"), beginning(b"!TEMP 3")), (None, Some(&b"!TEMP"[..])));
    }
}
