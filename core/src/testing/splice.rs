//! Tests that deviate: the access sequence of one state, then one or two random inputs, then the end
//! of another state's access sequence, as if nothing had happened.

use super::{Maker, prices};
use crate::error::Stop;
use crate::rng::Rng;

/// Random inputs of a deviation, at most.
const DEVIATION_MAX: u32 = 2;

/// So many of [`TESTS`] deviate once more where a reset is free. As many more do, and as many more there are,
/// as inputs could be asked for a reset: where it costs as much as 64 inputs, three of four.
const ONCE_MORE: u32 = 8;
const TESTS: u32 = 32;
/// A reset makes no more of a difference than so many inputs.
const RESET_MAX: u32 = 64;

impl Maker<'_, '_> {
    pub(crate) fn splice(&mut self, rng: &mut Rng) -> Result<(), Stop> {
        self.begin(rng)?;
        let reset = prices::of_reset(self.m).min(RESET_MAX);
        loop {
            for _ in 0..=rng.below(DEVIATION_MAX) {
                let input = self.any_input(rng);
                self.go(input)?;
            }
            let state = rng.below(self.walk.len());
            let len = self.access_len(state);
            self.go_as_to(state, 1 + rng.below(len))?;
            if rng.below(TESTS + reset) >= ONCE_MORE + reset {
                return self.end(rng);
            }
        }
    }

    /// Goes on with the end of the access sequence of a state: so many inputs of it at most.
    fn go_as_to(&mut self, state: u32, len: u32) -> Result<(), Stop> {
        let from = self.lanes.len(self.m, self.lane);
        self.push_way(state, len)?;
        self.follow_from(from);
        Ok(())
    }
}
