//! `[[replace]]` and `[[output]]`: what a reply is called.

use super::error::Fault;
use super::fields::Fields;
use super::substitution::Substitution;
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
/// escaped.
#[derive(Clone, Debug)]
pub struct OutputRule(Substitution);

/// What is put in the place of something in a reply before it is named.
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
/// All rules are applied to all places, in their order. Fields that change from run to run
/// (addresses, counters) are kept out of the outputs here, and so is how often something came.
#[derive(Clone, Debug)]
pub struct Replacement(Substitution);

impl OutputRule {
    pub(super) fn read(fields: Fields<'_>) -> Result<Self, Fault> {
        Substitution::read(fields, "[[output]]", "name").map(Self)
    }

    /// The name of `reply`, when it matches.
    pub fn name(&self, reply: &[u8]) -> Option<String> {
        self.0.text(reply, escape_text)
    }
}

impl Replacement {
    pub(super) fn read(fields: Fields<'_>) -> Result<Self, Fault> {
        Substitution::read(fields, "[[replace]]", "with").map(Self)
    }

    /// `reply` with all that matches replaced.
    pub fn apply(&self, reply: &[u8]) -> Vec<u8> {
        self.0.replace(reply)
    }
}
