//! `[[output]]`: names for replies.

use regex::bytes::Regex;

use super::error::Fault;
use super::fields::{Fields, Value};
use crate::escape::escape_text;

/// A name for the replies that match a pattern.
///
/// ```toml
/// [[output]]
/// match = 'ERR (?<code>\d+)'
/// name = "error:${code}"       # or $1; $$ is a dollar sign
/// ```
///
/// The first rule that matches names the output. A reply that no rule matches is its own name,
/// escaped. Fields that change from run to run (addresses, counters) are kept out of the outputs
/// here: `match = '0x[0-9a-f]+ (\w+)'`, `name = "(address) $1"`.
#[derive(Clone, Debug)]
pub struct OutputRule {
    pattern: Regex,
    name: Vec<Part>,
}

/// A piece of a name.
#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Group(usize),
}

impl OutputRule {
    /// The name of `reply`, when it matches.
    pub fn name(&self, reply: &[u8]) -> Option<String> {
        let captures = self.pattern.captures(reply)?;
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Group(group) => {
                captures.get(*group).map(|found| escape_text(found.as_bytes())).unwrap_or_default()
            }
        };
        Some(self.name.iter().map(part).collect())
    }
}

pub(super) fn read(mut fields: Fields<'_>) -> Result<OutputRule, Fault> {
    let pattern: Regex = fields.require("match")?;
    let place = fields.place();
    let Some(field) = fields.field("name") else {
        return Err(Fault::new(place, "[[output]] needs `name`", "missing here"));
    };
    let name = parse_name(Value::read(&field)?, &pattern)
        .map_err(|(message, label)| field.fault(message, label))?;
    fields.finish()?;
    Ok(OutputRule { pattern, name })
}

/// Takes `error:$1` apart; the groups must be in `pattern`.
fn parse_name(name: &str, pattern: &Regex) -> Result<Vec<Part>, (String, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some((text, after)) = rest.split_once('$') {
        parts.push(Part::Text(text.to_owned()));
        if let Some(after) = after.strip_prefix('$') {
            parts.push(Part::Text("$".to_owned()));
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
        let index = match group.parse::<usize>() {
            Ok(number) => Some(number).filter(|number| *number < pattern.captures_len()),
            Err(_) => pattern.capture_names().position(|known| known == Some(group)),
        };
        let index = index.ok_or_else(|| {
            let count = pattern.captures_len() - 1;
            (format!("the pattern has no group `{group}`"), format!("its groups: {count}"))
        })?;
        parts.push(Part::Group(index));
    }
    parts.push(Part::Text(rest.to_owned()));
    Ok(parts)
}
