//! Which rules have come.

use mealybug_core::wire::message::Refusal;
use mealybug_core::wire::rule::Rule;

/// The number of the rules that have come, and their digest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrived {
    count: u32,
    digest: u32,
}

impl Arrived {
    pub(crate) const fn new() -> Self {
        Self { count: 0, digest: 0 }
    }

    /// Whether rule `number` has come already: a host repeats the last rule when our answer was lost.
    ///
    /// # Errors
    /// An earlier rule is missing.
    pub(crate) fn has(&self, number: u32) -> Result<bool, Refusal> {
        if number == self.count {
            return Ok(false);
        }
        if number.checked_add(1) == Some(self.count) { Ok(true) } else { Err(Refusal::RuleMissing) }
    }

    /// Takes note of the next rule.
    pub(crate) fn note(&mut self, rule: Rule<'_>) {
        self.count = self.count.saturating_add(1);
        self.digest = rule.digest(self.digest);
    }

    /// The [digest](Rule::digest) of the rules.
    pub(crate) fn digest(self) -> u32 {
        self.digest
    }
}
