//! Shortens a failing word by leaving out inputs.
//!
//! Delta debugging (Zeller, Hildebrandt, *Simplifying and isolating failure-inducing input*, IEEE
//! TSE 28(2), 2002), as the learner does with counterexamples. It leaves out parts of the word,
//! first halves and then smaller and smaller parts, as long as the remaining word still fails.

use std::error::Error;

use mealybug_core::{Input, Sul};

use super::{ObserveTests, TestOutcome, TestRun, WrongWord};

impl<S: Sul<Error: Error + 'static>, W: ObserveTests<S::Error>> TestRun<'_, S, W> {
    /// A failing word from which no single input can be left out. If a limit is reached, the
    /// shortest failing word so far.
    pub(super) fn shorten(
        &mut self,
        mut wrong: WrongWord,
    ) -> Result<WrongWord, TestOutcome<S::Error>> {
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
