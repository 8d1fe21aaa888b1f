//! `[[replace]]` and `[[output]]`: how replies become outputs.

use super::error::FileFault;
use super::fields::Fields;
use super::substitution::Substitution;
use crate::escape::{escape_text, visible};

/// Names the replies that match a pattern.
///
/// ```toml
/// [[output]]
/// match = 'ERR (?<code>\d+)'
/// name = "error:${code}"       # or $1; ${code:hex} is its bytes in hex digits, $$ a dollar sign
/// ```
///
/// The first matching rule names the output. Without one, the output is the escaped reply itself.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputRule(Substitution);

/// A replacement that is applied to a reply before it is named.
///
/// ```toml
/// [[replace]]
/// match = '<(\w+)\|[^>]*>'     # <Idle|MPos:0.000,0.000,0.000>
/// with = "<$1>"
///
/// [[replace]]
/// match = '(C)+'               # an XMODEM receiver asks again and again
/// with = "$1"
/// ```
///
/// The rules are applied in their order, each to every place that matches. They keep out of the
/// outputs what changes from run to run: addresses, counters, the number of repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Replacement(Substitution);

impl OutputRule {
    pub(super) fn read(fields: Fields<'_>) -> Result<Self, FileFault> {
        Substitution::read(fields, "[[output]]", "name").map(Self)
    }

    /// The pattern that replies have to match.
    pub fn pattern(&self) -> &str {
        self.0.pattern()
    }

    /// The name of `reply`, if it matches.
    pub fn name(&self, reply: &[u8]) -> Option<String> {
        Some(visible(&self.0.text(reply, escape_text)?).into_owned())
    }

    /// Whether names are text of the reply: a `[[replace]]` that fits a name fits the reply, too.
    pub(super) fn keeps_text(&self) -> bool {
        self.0.is_group()
    }
}

impl Replacement {
    pub(super) fn read(fields: Fields<'_>) -> Result<Self, FileFault> {
        Substitution::read(fields, "[[replace]]", "with").map(Self)
    }

    /// `reply` with every match replaced.
    pub fn apply(&self, reply: &[u8]) -> Vec<u8> {
        self.0.replace(reply)
    }
}
