//! Tests that deviate: the access sequence of one state, then one or two random inputs, then the end
//! of another state's access sequence, as if nothing had happened.

use super::{Generator, Maker, prices};
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

/// Makes these tests; it remembers nothing.
pub(crate) struct Splice;

impl Generator for Splice {
    fn next(&mut self, maker: &mut Maker<'_, '_>, rng: &mut Rng) -> Result<bool, Stop> {
        maker.begin(rng)?;
        let reset = prices::of_reset(maker.m).min(RESET_MAX);
        loop {
            for _ in 0..=rng.below(DEVIATION_MAX) {
                maker.go(maker.any_input(rng))?;
            }
            let state = rng.below(maker.walk.len());
            let len = maker.access_len(state);
            maker.go_as_to(state, 1 + rng.below(len))?;
            if rng.below(TESTS + reset) >= ONCE_MORE + reset {
                maker.end(rng)?;
                return Ok(true);
            }
        }
    }
}

impl Maker<'_, '_> {
    /// Goes on with the end of the access sequence of a state: so many inputs of it at most.
    fn go_as_to(&mut self, state: u32, len: u32) -> Result<(), Stop> {
        let from = self.lanes.len(self.m, self.lane);
        self.push_way(state, len)?;
        self.follow_from(from);
        Ok(())
    }
}
