//! `[captures]`: what is remembered of replies, to be sent later.

use regex::bytes::Regex;

use super::checksum::Checksum;
use super::error::Fault;
use super::fields::{Field, Value};
use super::scope::BUILT_IN;

/// Something in a reply that is remembered.
///
/// ```toml
/// [captures]
/// nonce = 'NONCE (\w+)'        # the first group, or all of it; ${nonce} sends it
/// token = { match = 'token=(\d+)', before = "0" }   # sent before there is one; else nothing is
/// ```
///
/// Each reply is searched, and what the device says after a reset. The last match counts, until the
/// next reset.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Its name in messages.
    pub name: String,
    /// Stands for it before anything was captured.
    pub before: Vec<u8>,
    pattern: Regex,
}

impl Capture {
    pub(super) fn read_all(field: &Field<'_>) -> Result<Vec<Self>, Fault> {
        let mut table = field.table_called("[captures]")?;
        table.rest().iter().map(Self::read).collect()
    }

    fn read(field: &Field<'_>) -> Result<Self, Fault> {
        let name = field.key.to_owned();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_taken = BUILT_IN.contains(&field.key) || Checksum::find(&name).is_some();
        if name.is_empty() || !name.bytes().all(is_plain) || is_taken {
            let message = format!("a capture cannot be called `{name}`");
            return Err(Fault::new(field.key_place.clone(), message, "choose another name").help(
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

    /// What is to be remembered of `reply`, if anything is.
    pub fn of<'r>(&self, reply: &'r [u8]) -> Option<&'r [u8]> {
        let captures = self.pattern.captures_iter(reply).last()?;
        captures.get(1).or(captures.get(0)).map(|found| found.as_bytes())
    }
}
