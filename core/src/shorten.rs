//! Counterexamples made shorter, by leaving out inputs.
//!
//! Delta debugging (Zeller, Hildebrandt, *Simplifying and isolating failure-inducing input*, IEEE TSE
//! 28(2), 2002): parts of the word are left out, half of it first and then ever smaller ones, as long as
//! what is left is still a counterexample. It is worth its words: the suffixes of a short one make
//! few and short columns, and each column costs a word for every long row.

use crate::Input;
use crate::error::Stop;
use crate::lanes::Lanes;
use crate::learner::{Learner, cex_input};
use crate::memory::Memory;

/// The part of the counterexample that is left out next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shorten {
    start: u32,
    len: u32,
    /// Whether some part of this length could be left out.
    progress: bool,
    handed_out: bool,
}

impl Shorten {
    pub(crate) fn new(cex_len: u32) -> Self {
        Self { start: 0, len: cex_len / 2, progress: false, handed_out: false }
    }

    /// Moves on over words that the table knows, for these are no counterexamples.
    /// `false` when nothing more can be left out.
    pub(crate) fn skip_known(&mut self, learner: &Learner, m: &mut Memory<'_>) -> bool {
        while self.len > 0 {
            if self.start >= learner.cex_len {
                self.len = if self.len == 1 && self.progress { 1 } else { self.len / 2 };
                self.start = 0;
                self.progress = false;
                continue;
            }
            if learner.cex_len > self.len && !self.is_known(learner, m) {
                return true;
            }
            self.start += self.len;
        }
        false
    }

    /// The word without the part.
    fn input(self, m: &Memory<'_>, position: u32) -> Input {
        cex_input(m, if position < self.start { position } else { position + self.len })
    }

    /// The length of that.
    fn len(self, cex_len: u32) -> u32 {
        cex_len - self.len.min(cex_len - self.start)
    }

    fn is_known(self, learner: &Learner, m: &mut Memory<'_>) -> bool {
        let len = self.len(learner.cex_len);
        let mut known = 0;
        let input = |m: &Memory<'_>, i| self.input(m, i);
        learner.table.places(m, len, input, |_, _, _| known += 1);
        known == len
    }

    /// Makes the word in a lane, once.
    pub(crate) fn hand_out(
        &mut self,
        m: &mut Memory<'_>,
        cex_len: u32,
        lanes: Lanes,
        lane: u32,
    ) -> Result<bool, Stop> {
        if self.handed_out {
            return Ok(false);
        }
        for position in 0..self.len(cex_len) {
            lanes.push(m, lane, self.input(m, position))?;
        }
        self.handed_out = true;
        Ok(true)
    }

    /// The word was a counterexample, and the counterexample is now of `cex_len` symbols; or it was not.
    pub(crate) fn tried(&mut self, shorter: bool, cex_len: u32) {
        self.handed_out = false;
        if shorter {
            self.progress = true;
            self.len = self.len.min(cex_len / 2).max(1);
        } else {
            self.start += self.len;
        }
    }
}
