//! Random words from the initial state.

use super::{Generator, Maker};
use crate::error::Stop;
use crate::rng::Rng;

/// The average length of a word.
const MEAN_LEN: u32 = 20;

/// Makes these words; it remembers nothing.
pub(crate) struct RandomWords;

impl Generator for RandomWords {
    fn next(&mut self, maker: &mut Maker<'_, '_>, rng: &mut Rng) -> Result<bool, Stop> {
        maker.lanes.clear(maker.m, maker.lane);
        loop {
            maker.push(maker.any_input(rng))?;
            if rng.one_in(MEAN_LEN) {
                return Ok(true);
            }
        }
    }
}
