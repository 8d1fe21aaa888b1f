//! Random words from the initial state.
//!
//! They know nothing of the hypothesis. So they find what no state of the hypothesis leads to: sequences that unlock, and
//! what is hidden behind a long way.

use super::writer::{Generator, TestWriter};
use crate::error::Refused;
use crate::rng::WordRng;

/// The mean length of short and of long words.
pub(super) const SHORT: u32 = 20;
#[cfg(feature = "mixture")]
pub(super) const LONG: u32 = 50;

/// Makes these words; it remembers nothing.
pub(super) struct RandomWords {
    pub(super) mean_len: u32,
}

impl Generator for RandomWords {
    fn next(&mut self, test: &mut TestWriter<'_, '_>, rng: &mut WordRng) -> Result<bool, Refused> {
        test.start();
        loop {
            test.push(test.random_input(rng))?;
            if rng.one_in(self.mean_len) {
                return Ok(true);
            }
        }
    }
}
