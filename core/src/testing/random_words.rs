//! Random words from the initial state.

use super::writer::{Generator, TestWriter};
use crate::error::Refused;
use crate::rng::Rng;

/// The average length of a word.
const MEAN_LEN: u32 = 20;

/// Makes these words; it remembers nothing.
pub(super) struct RandomWords;

impl Generator for RandomWords {
    fn next(&mut self, test: &mut TestWriter<'_, '_>, rng: &mut Rng) -> Result<bool, Refused> {
        test.start();
        loop {
            test.push(test.random_input(rng))?;
            if rng.one_in(MEAN_LEN) {
                return Ok(true);
            }
        }
    }
}
