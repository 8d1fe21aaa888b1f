//! The tokens of DOT.
//!
//! Source: *DOT Language*, the grammar of Graphviz. There, a line that begins with `#` is a
//! comment; here, a comment extends from any `#` to the end of the line.

use std::borrow::Cow;
use std::ops::Range;

use super::error::DotFault;

/// A token and its position in the file, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) at: Range<usize>,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'a> {
    Id(Id<'a>),
    /// One of `{ } [ ] = ; , :`.
    Mark(u8),
    Arrow,
    End,
}

/// A name or value as written in the file, without its delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Id<'a> {
    Bare(&'a str),
    /// `"…"`, still escaped.
    Quoted(&'a str),
    /// `<…>`, still with entities.
    Html(&'a str),
}

impl<'a> Id<'a> {
    /// Its name as a node or a key.
    pub(super) fn name(self) -> Cow<'a, str> {
        match self {
            Self::Quoted(raw) if raw.contains('\\') => raw.replace("\\\"", "\"").into(),
            Self::Bare(raw) | Self::Quoted(raw) | Self::Html(raw) => raw.into(),
        }
    }

    /// Whether it is this keyword. A quoted word never is.
    pub(super) fn is(self, keyword: &str) -> bool {
        matches!(self, Self::Bare(raw) if raw.eq_ignore_ascii_case(keyword))
    }
}

/// Splits the file into tokens, one at a time.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token. At the end of the file it is [`TokenKind::End`], however often it is called.
    pub(super) fn next(&mut self) -> Result<Token<'a>, DotFault> {
        self.skip_blanks()?;
        let start = self.at;
        let rest = &self.text[start..];
        let kind = match rest.bytes().next() {
            None => TokenKind::End,
            Some(b'"') => TokenKind::Id(self.quoted()?),
            Some(b'<') => TokenKind::Id(self.html()?),
            Some(mark @ (b'{' | b'}' | b'[' | b']' | b'=' | b';' | b',' | b':')) => {
                self.at += 1;
                TokenKind::Mark(mark)
            }
            Some(_) if rest.starts_with("->") => {
                self.at += 2;
                TokenKind::Arrow
            }
            Some(_) => TokenKind::Id(self.bare()?),
        };
        Ok(Token { kind, at: start..self.at })
    }

    fn skip_blanks(&mut self) -> Result<(), DotFault> {
        loop {
            let rest = &self.text[self.at..];
            let start = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - start.len();
            self.at += if start.starts_with('#') || start.starts_with("//") {
                start.find('\n').unwrap_or(start.len())
            } else if let Some(comment) = start.strip_prefix("/*") {
                let len = comment.find("*/");
                len.ok_or(self.syntax("the end of this comment, `*/`", 2))? + 4
            } else {
                return Ok(());
            };
        }
    }

    fn quoted(&mut self) -> Result<Id<'a>, DotFault> {
        let inner = &self.text[self.at + 1..];
        let mut escaped = false;
        for (len, byte) in inner.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at += len + 2;
                    return Ok(Id::Quoted(&inner[..len]));
                }
                _ => (),
            }
        }
        Err(self.syntax("the end of this string, `\"`", 1))
    }

    fn html(&mut self) -> Result<Id<'a>, DotFault> {
        let inner = &self.text[self.at + 1..];
        let mut depth = 1;
        for (len, byte) in inner.bytes().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => (),
            }
            if depth == 0 {
                self.at += len + 2;
                return Ok(Id::Html(&inner[..len]));
            }
        }
        Err(self.syntax("the end of this HTML label, `>`", 1))
    }

    /// Reads a name of letters, digits and `_`, or a number with an optional sign and point.
    fn bare(&mut self) -> Result<Id<'a>, DotFault> {
        let rest = &self.text[self.at..];
        let sign = usize::from(rest.starts_with('-'));
        let belongs = |c: char| c == '_' || c == '.' || c.is_ascii_alphanumeric() || !c.is_ascii();
        let len = rest[sign..].find(|c| !belongs(c)).unwrap_or(rest.len() - sign);
        if len == 0 {
            let len = rest.chars().next().map_or(0, char::len_utf8);
            return Err(self.syntax("a name, a string or one of `{ } [ ] = ; , ->`", len));
        }
        self.at += sign + len;
        Ok(Id::Bare(&rest[..sign + len]))
    }

    fn syntax(&self, expected: &'static str, len: usize) -> DotFault {
        DotFault::Syntax { expected, at: (self.at..self.at + len).into() }
    }
}
