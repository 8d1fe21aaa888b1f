//! Reads the transitions in an edge's label, and escapes symbols for writing.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::token::Id;
use crate::escape::is_hidden;

/// Why a label cannot be interpreted, and how to correct it.
pub(super) type Unclear = (&'static str, &'static str);

/// Whether a label is empty, as on an edge to the initial state.
pub(super) fn is_blank(label: Id<'_>) -> bool {
    rows(label).iter().all(|row| row.trim_ascii().is_empty())
}

/// The transitions in a label, as pairs of input and output.
pub(super) fn transitions(label: Id<'_>) -> Result<Vec<(String, String)>, Unclear> {
    let rows = rows(label);
    let rows = rows.iter().filter(|row| !row.trim_ascii().is_empty());
    rows.map(|row| {
        let (input, output) = cut(row)?;
        Ok((symbol(label, input)?, symbol(label, output)?))
    })
    .collect()
}

/// The lines of a label, or the rows of the table in it. Leaves entities and escapes in place.
fn rows(label: Id<'_>) -> Vec<Cow<'_, str>> {
    let html = match label {
        Id::Bare(text) | Id::Quoted(text) => return vec![text.into()],
        Id::Html(html) => html,
    };
    // In HTML a line end is a blank; tags end a row.
    let mut text = String::with_capacity(html.len());
    for (at, piece) in html.split('<').enumerate() {
        let (tag, piece) = piece.split_once('>').filter(|_| at > 0).unwrap_or(("", piece));
        let name = tag.trim_start_matches('/');
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next();
        match name.unwrap_or_default().to_ascii_lowercase().as_str() {
            "tr" | "br" => text.push('\n'),
            // Separate cells are separated by a blank.
            "td" => text.push(' '),
            _ => (),
        }
        text.extend(piece.chars().map(|c| if c == '\n' { ' ' } else { c }));
    }
    text.lines().map(|row| row.to_owned().into()).collect()
}

/// Splits `input / output`. A slash without blanks around it separates if it is the only one.
fn cut(row: &str) -> Result<(&str, &str), Unclear> {
    let blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    let clear = |&at: &usize| {
        blank(at.checked_sub(1).and_then(|before| row.as_bytes().get(before)))
            && blank(row.as_bytes().get(at + 1))
    };
    let slashes: Vec<usize> = row.match_indices('/').map(|(at, _)| at).collect();
    let clear_slashes: Vec<usize> = slashes.iter().copied().filter(clear).collect();
    match (slashes.as_slice(), clear_slashes.as_slice()) {
        (&[at], _) | (_, &[at]) => Ok((&row[..at], &row[at + 1..])),
        ([], _) => Err((
            "has no `/`",
            "each transition of a Mealy machine has an input and an output: `input / output`",
        )),
        _ => Err((
            "has several `/`, and not just one of them stands between blanks",
            "write a slash within a symbol as `%2F`, or put blanks around the one that separates",
        )),
    }
}

/// A symbol of the label, trimmed and unescaped.
fn symbol(label: Id<'_>, text: &str) -> Result<String, Unclear> {
    let text = text.trim_ascii();
    let text = match label {
        Id::Bare(_) => text.into(),
        Id::Quoted(_) => unquote(text),
        Id::Html(_) => unescape_entities(text)?,
    };
    Ok(unescape_percent(&text))
}

/// The text of a quoted label. [`transitions`] reverses it, for any symbols.
///
/// There are no blanks around the slash, because AALpy would take them for a part of the symbols. A
/// blank stands for an empty output, because LearnLib takes no label that ends with its slash. A
/// brace at the beginning is escaped, because AALpy removes braces around a whole label; so is a
/// backslash at the end, which LearnLib would take for that of `\"`.
pub(super) fn written(input: &str, output: &str) -> String {
    let input = match input.strip_prefix('{') {
        Some(rest) => format!("%7B{}", escape(rest)),
        None => escape(input),
    };
    let output = match output.strip_suffix('\\') {
        Some(rest) => format!("{}%5C", escape(rest)),
        None if output.is_empty() => " ".to_owned(),
        None => escape(output),
    };
    format!("{input}/{output}")
}

/// The label of a state with this name. It is not read again. AALpy takes a line with `->` for an edge, and leaves out one
/// with `__start0`.
pub(super) fn of_state(name: &str) -> String {
    let mut label = String::with_capacity(name.len());
    for c in name.replace("__start0", "start0").chars() {
        match c {
            '"' | '\\' | '>' | '{' | '}' => percent(&mut label, c),
            _ if is_hidden(c) => label.push(' '),
            _ => label.push(c),
        }
    }
    label
}

/// Escapes a symbol for a quoted label. `symbol` reverses it, for any symbol.
pub(super) fn escape(symbol: &str) -> String {
    let mut escaped = String::with_capacity(symbol.len());
    let inner = symbol.trim_matches(' ');
    let begin = symbol.len() - symbol.trim_start_matches(' ').len();
    for (at, c) in symbol.char_indices() {
        let outer_blank = c == ' ' && !(begin..begin + inner.len()).contains(&at);
        let reads_as_escape = c == '%' && escape_at(&symbol[at..]).is_some();
        match c {
            '/' | '"' | '\0'..='\x1f' | '\x7f' => percent(&mut escaped, c),
            _ if outer_blank || reads_as_escape => percent(&mut escaped, c),
            '\\' => escaped.push_str("\\\\"),
            _ => escaped.push(c),
        }
    }
    escaped
}

fn percent(escaped: &mut String, c: char) {
    write!(escaped, "%{:02X}", u32::from(c)).expect("a string takes everything");
}

/// The character for an escape at the beginning of `text`. Only those that are written count, so that percent signs in files of
/// other tools mostly stand for themselves.
fn escape_at(text: &str) -> Option<char> {
    let digits = text.strip_prefix('%')?.get(..2)?;
    let upper_hex = |digit: u8| matches!(digit, b'0'..=b'9' | b'A'..=b'F');
    let code = u8::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(upper_hex))?;
    matches!(code, 0..=b' ' | b'"' | b'%' | b'/' | b'\\' | b'{' | 0x7f).then_some(char::from(code))
}

fn unescape_percent(text: &str) -> String {
    let mut symbol = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        symbol.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, len) = escape_at(rest).map_or(('%', 1), |c| (c, 3));
        symbol.push(c);
        rest = &rest[len..];
    }
    symbol + rest
}

/// Undoes `\"` and `\\`. A backslash at the end of a line joins it with the next. Any other
/// backslash stands for itself: `OK\r\n` is what a person would call that reply.
fn unquote(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut unquoted = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, c == '\\', characters.clone().next()) {
            (_, true, Some(next @ ('"' | '\\'))) => {
                characters.next();
                unquoted.push(next);
            }
            (_, true, Some('\n')) => drop(characters.next()),
            _ => unquoted.push(c),
        }
    }
    unquoted.into()
}

/// Undoes the HTML entities that labels use. A `&` that begins no entity stands for itself. Other entities are errors:
/// `&eacute;` is not what another tool calls that symbol.
fn unescape_entities(text: &str) -> Result<Cow<'_, str>, Unclear> {
    if !text.contains('&') {
        return Ok(text.into());
    }
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        unescaped.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let reference = rest.split_once(';').filter(|(name, _)| looks_like_entity(name));
        let (c, after) = match reference {
            Some((name, after)) => (entity(name).ok_or(UNKNOWN_ENTITY)?, after),
            None => ('&', rest),
        };
        unescaped.push(c);
        rest = after;
    }
    Ok((unescaped + rest).into())
}

const UNKNOWN_ENTITY: Unclear = (
    "has an HTML entity that is not known here",
    "write the character itself, or its number: `&#233;` for `&eacute;`; `&amp;` is a single `&`",
);

fn looks_like_entity(name: &str) -> bool {
    let name = name.strip_prefix('#').unwrap_or(name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn entity(name: &str) -> Option<char> {
    let hex = |digits| u32::from_str_radix(digits, 16).ok();
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let code = name.strip_prefix('#')?;
            let code = code.strip_prefix(['x', 'X']).map_or_else(|| code.parse().ok(), hex)?;
            char::from_u32(code)
        }
    }
}
