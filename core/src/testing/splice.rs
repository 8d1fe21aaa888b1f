//! Tests that deviate: the access word of one state, then one or two random inputs, then the end of
//! another state's access word, as if nothing had happened.

use super::adaptive::identify_state;
use super::writer::{Generator, TestWriter};
use crate::costs;
use crate::error::Refused;
use crate::rng::WordRng;

/// Random inputs of a deviation, at most.
const DEVIATION_MAX: u32 = 2;

/// The chance of another deviation is `(ONCE_MORE + r) / (TESTS + r)`, where `r` is the cost of a reset
/// in inputs, at most [`RESET_MAX`]: a free reset gives 1/4, a reset that costs 64 inputs 3/4.
const ONCE_MORE: u32 = 8;
const TESTS: u32 = 32;
const RESET_MAX: u32 = 64;

/// Makes these tests; it remembers nothing.
pub(super) struct Splice;

impl Generator for Splice {
    fn next(&mut self, test: &mut TestWriter<'_, '_>, rng: &mut WordRng) -> Result<bool, Refused> {
        test.start_anywhere(rng)?;
        let reset = costs::of_reset(test.m).min(RESET_MAX);
        loop {
            for _ in 0..=rng.below(DEVIATION_MAX) {
                test.step(test.random_input(rng))?;
            }
            let state = rng.below(test.states());
            let len = test.model.product.cover.access_len(test.m.read(), state);
            let from = test.len();
            test.push_access_end(state, rng.below(len).saturating_add(1))?;
            test.follow_from(from);
            if rng.below(TESTS + reset) >= ONCE_MORE + reset {
                identify_state(test, rng)?;
                return Ok(true);
            }
        }
    }
}
