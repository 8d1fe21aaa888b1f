//! A pattern, and the text that replaces its matches.

use regex::bytes::{Captures, Regex};

use super::error::FileFault;
use super::fields::{Fields, Value};
use crate::escape::hex_pairs;

/// A pattern and a text. In the text `$1` and `${name}` are groups, `${1:hex}` and `${name:hex}` are their bytes in hex
/// digits, and `$$` is a dollar sign.
#[derive(Clone, Debug)]
pub(super) struct Substitution {
    pattern: Regex,
    parts: Vec<ReplacementPart>,
}

/// Two are equal if they do the same because they are written alike.
impl PartialEq for Substitution {
    fn eq(&self, other: &Self) -> bool {
        let Self { pattern, parts } = self;
        pattern.as_str() == other.pattern.as_str() && *parts == other.parts
    }
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ReplacementPart {
    Text(String),
    Group(usize),
    /// The bytes of a group in hex digits.
    HexGroup(usize),
}

use ReplacementPart::{Group, HexGroup, Text};

impl Substitution {
    /// Reads a table with `match` and the text under `key`; messages call the table `what`.
    pub(super) fn read(
        mut fields: Fields<'_>,
        what: &str,
        key: &'static str,
    ) -> Result<Self, FileFault> {
        let pattern: Regex = fields.require("match")?;
        let place = fields.place();
        let Some(field) = fields.field(key) else {
            return Err(FileFault::new(place, format!("{what} needs `{key}`"), "missing here"));
        };
        let parts = parse(Value::read(&field)?, &pattern)
            .map_err(|(message, label)| field.fault(message, label))?;
        fields.finish()?;
        Ok(Self { pattern, parts })
    }

    /// The pattern.
    pub(super) fn pattern(&self) -> &str {
        self.pattern.as_str()
    }

    /// The text for the first match in `bytes`; `group` writes what a group matched.
    pub(super) fn text(&self, bytes: &[u8], group: impl Fn(&[u8]) -> String) -> Option<String> {
        let captures = self.pattern.captures(bytes)?;
        let part = |part: &ReplacementPart| match part {
            Text(text) => text.clone(),
            Group(at) => captures.get(*at).map_or(String::new(), |it| group(it.as_bytes())),
            HexGroup(at) => captures.get(*at).map_or(String::new(), |it| hex_pairs(it.as_bytes())),
        };
        Some(self.parts.iter().map(part).collect())
    }

    /// Whether the text is a group as it is, and nothing else.
    pub(super) fn is_group(&self) -> bool {
        let is_empty = |part: &&ReplacementPart| **part == Text(String::new());
        let mut parts = self.parts.iter().filter(|part| !is_empty(part));
        matches!((parts.next(), parts.next()), (Some(Group(_)), None))
    }

    /// `bytes` with every match replaced by the text.
    pub(super) fn replace(&self, bytes: &[u8]) -> Vec<u8> {
        let text = |captures: &Captures<'_>| {
            let group = |at: usize| captures.get(at).map_or(&b""[..], |it| it.as_bytes());
            let part = |part: &ReplacementPart| match part {
                Text(text) => text.clone().into_bytes(),
                Group(at) => group(*at).to_vec(),
                HexGroup(at) => hex_pairs(group(*at)).into_bytes(),
            };
            self.parts.iter().flat_map(part).collect::<Vec<u8>>()
        };
        self.pattern.replace_all(bytes, text).into_owned()
    }
}

/// Parses a text such as `error:$1`; the groups must exist in `pattern`.
fn parse(text: &str, pattern: &Regex) -> Result<Vec<ReplacementPart>, (String, String)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((text, after)) = rest.split_once('$') {
        parts.push(Text(text.to_owned()));
        if let Some(after) = after.strip_prefix('$') {
            parts.push(Text("$".to_owned()));
            rest = after;
            continue;
        }
        let group;
        (group, rest) = match after.strip_prefix('{').and_then(|after| after.split_once('}')) {
            Some(braced) => braced,
            None => {
                let digits = after.bytes().take_while(u8::is_ascii_digit).count();
                after.split_at(digits)
            }
        };
        if group.is_empty() {
            let label = "write $1, ${name}, or $$ for the sign itself";
            return Err(("a `$` that names no group".to_owned(), label.to_owned()));
        }
        let (group, format) = match group.split_once(':') {
            Some((group, format)) => (group, Some(format)),
            None => (group, None),
        };
        let index = match group.parse::<usize>() {
            Ok(number) => Some(number).filter(|number| *number < pattern.captures_len()),
            Err(_) => pattern.capture_names().position(|known| known == Some(group)),
        };
        let index = index
            .ok_or_else(|| (format!("the pattern has no group `{group}`"), groups(pattern)))?;
        parts.push(match format {
            None => Group(index),
            Some("hex") => HexGroup(index),
            Some(format) => {
                let label = format!("${{{group}:hex}} writes its bytes in hex digits");
                return Err((format!("a group has no format `{format}`"), label));
            }
        });
    }
    parts.push(Text(rest.to_owned()));
    Ok(parts)
}

/// What groups a pattern has, for people: their names, or their numbers where they have none.
fn groups(pattern: &Regex) -> String {
    let group = |(number, name): (usize, Option<&str>)| match name {
        Some(name) => format!("${{{name}}}"),
        None => format!("${number}"),
    };
    let groups: Vec<_> = pattern.capture_names().enumerate().skip(1).map(group).collect();
    match groups.len() {
        0 => "it has none: round brackets make one".to_owned(),
        _ => format!("it has {}", groups.join(", ")),
    }
}
