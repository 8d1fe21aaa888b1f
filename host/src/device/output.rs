//! `[[replace]]` and `[[output]]`: how replies become outputs.

use regex::bytes::{Regex, RegexBuilder};

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

    /// The name of `reply`, if it matches.
    pub fn name(&self, reply: &[u8]) -> Option<String> {
        Some(visible(&self.0.text(reply, escape_text)?).into_owned())
    }

    /// A pattern that matches every name that this rule can give, and perhaps others.
    pub(super) fn names(&self) -> Option<Regex> {
        // `visible` looks at each character alone, so the text of the rule is the same in every name.
        let names = self.0.outcomes(|text| visible(text).into_owned());
        of_bytes(&format!(r"\A(?:{names})\z"))
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

    /// A pattern that matches every reply in which this rule has replaced something, and perhaps others.
    pub(super) fn traces(&self) -> Option<Regex> {
        of_bytes(&self.0.outcomes(str::to_owned))
    }
}

/// A pattern over bytes; `None` if it is too long for one.
fn of_bytes(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).build().ok()
}
