//! `[captures]`: parts of replies that later messages contain.

use regex::bytes::Regex;

use super::checksum::Checksum;
use super::error::FileFault;
use super::fields::{TomlField, Value};
use super::scope::BUILT_IN;

/// A part of a reply that is stored for later messages.
///
/// ```toml
/// [captures]
/// nonce = 'NONCE (\w+)'        # the first group, or the whole match; ${nonce} sends it
/// token = { match = 'token=(\d+)', before = "0" }   # sent until the first match; default ""
/// ```
///
/// Every reply is searched, and so is what the device says after a reset. The last match counts
/// until the next reset.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The name in messages.
    pub name: String,
    /// What `${NAME}` sends before the first match.
    pub before: Vec<u8>,
    pattern: Regex,
}

impl PartialEq for Capture {
    fn eq(&self, other: &Self) -> bool {
        let Self { name, before, pattern } = self;
        *name == other.name && *before == other.before && pattern.as_str() == other.pattern.as_str()
    }
}

impl Capture {
    pub(super) fn read_all(field: &TomlField<'_>) -> Result<Vec<Self>, FileFault> {
        let mut table = field.table_called("[captures]")?;
        table.rest().iter().map(Self::read).collect()
    }

    fn read(field: &TomlField<'_>) -> Result<Self, FileFault> {
        let name = field.key.to_owned();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_taken = BUILT_IN.contains(&field.key) || Checksum::find(&name).is_some();
        if name.is_empty() || !name.bytes().all(is_plain) || is_taken {
            let message = format!("a capture cannot be called `{name}`");
            return Err(FileFault::new(field.key_place.clone(), message, "choose another name").help(
                "letters, digits and `_`; `seq`, `length`, `data` and `sum8` mean something else",
            ));
        }
        if field.is_text() {
            return Ok(Self { name, before: Vec::new(), pattern: Regex::read(field)? });
        }
        let Ok(mut fields) = field.table() else {
            return Err(field.expected("a pattern or a table"));
        };
        let pattern = fields.require("match")?;
        let before = fields.take::<&str>("before")?.unwrap_or_default().as_bytes().to_vec();
        fields.finish()?;
        Ok(Self { name, before, pattern })
    }

    /// The part of `reply` to store, if the pattern matches.
    pub fn of<'r>(&self, reply: &'r [u8]) -> Option<&'r [u8]> {
        let captures = self.pattern.captures_iter(reply).last()?;
        captures.get(1).or(captures.get(0)).map(|found| found.as_bytes())
    }
}
