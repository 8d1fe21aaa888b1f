//! Random words from the initial state.

use super::Maker;
use crate::Input;
use crate::error::Stop;
use crate::rng::Rng;

/// The average length of a word.
const MEAN_LEN: u32 = 20;

impl Maker<'_, '_> {
    /// Makes a random word.
    pub(crate) fn random_word(&mut self, rng: &mut Rng) -> Result<(), Stop> {
        self.lanes.clear(self.m, self.lane);
        loop {
            self.push(Input::new(rng.below(self.table.inputs)))?;
            if rng.one_in(MEAN_LEN) {
                return Ok(());
            }
        }
    }
}
