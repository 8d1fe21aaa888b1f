//! Counterexamples made shorter, by leaving out inputs.
//!
//! Delta debugging (Zeller, Hildebrandt, *Simplifying and isolating failure-inducing input*, IEEE TSE
//! 28(2), 2002): parts of the word are left out, half of it first and then ever smaller ones, as long as
//! the rest is still a counterexample. It is worth its words: the suffixes of a short counterexample
//! make few and short columns, and each column costs a word for every long row.

use super::counterexample::Counterexample;
use crate::alphabet::Input;
use crate::error::Refused;
use crate::memory::Memory;
use crate::observations::table::Table;
use crate::words::{Lane, Words};

/// The part of the counterexample that is left out next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shorten {
    start: u32,
    len: u32,
    /// Whether some part of this length could be left out.
    has_progress: bool,
    is_handed_out: bool,
}

impl Shorten {
    pub(super) fn new(cex: Counterexample) -> Self {
        Self { start: 0, len: cex.len() / 2, has_progress: false, is_handed_out: false }
    }

    /// Skips words that the table knows: these are not counterexamples.
    /// `false` when nothing more can be left out.
    pub(super) fn skip_known(
        &mut self,
        m: &mut Memory<'_>,
        cex: Counterexample,
        table: &Table,
    ) -> bool {
        while self.len > 0 {
            if self.start >= cex.len() {
                self.len = if self.len == 1 && self.has_progress { 1 } else { self.len / 2 };
                self.start = 0;
                self.has_progress = false;
                continue;
            }
            let input = |m: &Memory<'_>, position| self.input(m, cex, position);
            if cex.len() > self.len && !table.is_known(m, self.rest_len(cex), input) {
                return true;
            }
            self.start = self.start.saturating_add(self.len);
        }
        false
    }

    /// An input of the word without the part.
    fn input(self, m: &Memory<'_>, cex: Counterexample, position: u32) -> Input {
        let left_out = if position < self.start { 0 } else { self.len };
        cex.input(m, left_out.wrapping_add(position))
    }

    /// The length of that word.
    fn rest_len(self, cex: Counterexample) -> u32 {
        let after_start = cex.len().saturating_sub(self.start);
        cex.len().saturating_sub(self.len.min(after_start))
    }

    /// Writes the word into a lane, once.
    pub(super) fn next_word(
        &mut self,
        m: &mut Memory<'_>,
        cex: Counterexample,
        words: Words,
        lane: Lane,
    ) -> Result<bool, Refused> {
        if self.is_handed_out {
            return Ok(false);
        }
        words.push_all(m, lane, self.rest_len(cex), |m, i| self.input(m, cex, i))?;
        self.is_handed_out = true;
        Ok(true)
    }

    /// The word was a counterexample, which `cex` is now; or it was not.
    pub(super) fn take(&mut self, is_cex: bool, cex: Counterexample) {
        self.is_handed_out = false;
        if is_cex {
            self.has_progress = true;
            self.len = self.len.min(cex.len() / 2).max(1);
        } else {
            self.start = self.start.saturating_add(self.len);
        }
    }
}
