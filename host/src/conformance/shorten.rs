//! A failing word made shorter, by leaving out inputs.
//!
//! Delta debugging (Zeller, Hildebrandt, *Simplifying and isolating failure-inducing input*, IEEE TSE
//! 28(2), 2002), as the learner does it with counterexamples: parts of the word are left out, half of
//! it first and then ever smaller ones, as long as what is left still fails.

use std::error::Error;

use mealybug_core::{Input, Sul};

use super::{ObserveTests, Run, TestOutcome, Wrong};

impl<S: Sul<Error: Error>, W: ObserveTests<S::Error>> Run<'_, S, W> {
    /// A word that fails too and of which no single input can be left out. When a limit is met, the
    /// shortest one so far.
    pub(super) fn shorten(&mut self, mut wrong: Wrong) -> Result<Wrong, TestOutcome<S::Error>> {
        let mut len = wrong.word.len() / 2;
        while len > 0 {
            let mut start = 0;
            let mut has_progress = false;
            while start < wrong.word.len() {
                if self.check_limits().is_err() {
                    return Ok(wrong);
                }
                let without = without(&wrong.word, start, len);
                let shorter = if without.is_empty() { None } else { self.ask(&without)? };
                match shorter {
                    Some(shorter) => {
                        wrong = shorter;
                        has_progress = true;
                    }
                    None => start += len,
                }
            }
            len = if len == 1 && has_progress { 1 } else { (len / 2).min(wrong.word.len() / 2) };
        }
        Ok(wrong)
    }
}

/// The word without `len` inputs at `start`.
fn without(word: &[Input], start: usize, len: usize) -> Vec<Input> {
    let end = word.len().min(start + len);
    [&word[..start], &word[end..]].concat()
}
