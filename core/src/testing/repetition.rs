//! Tests that repeat: the access word of a random state, then one input, or two or three in turn, over and over,
//! then a few random inputs.
//!
//! Firmware counts: tries, errors, bytes. What happens at the end of a count no random word meets.

use super::adaptive::identify_state;
use super::writer::{Generator, TestWriter};
use crate::alphabet::Input;
use crate::costs;
use crate::error::Refused;
use crate::rng::WordRng;

/// Inputs that are repeated, at most.
const CYCLE_MAX: u32 = 3;

/// The length of what is repeated. It costs no more than a reset and as many ordinary inputs as the longest, unless it is the
/// shortest.
const SHORTEST: u32 = 3;
const LONGEST: u32 = 24;

/// Random inputs that follow, at most.
const AFTER_MAX: u32 = 4;

/// Makes these tests; it remembers nothing.
pub(super) struct Repetition {
    /// The length of what is repeated, at most.
    pub(super) reach: u32,
}

impl Generator for Repetition {
    fn next(&mut self, test: &mut TestWriter<'_, '_>, rng: &mut WordRng) -> Result<bool, Refused> {
        test.start_anywhere(rng)?;
        // Half of them repeat one input.
        let cycle = if rng.one_in(2) { 1 } else { 2_u32.saturating_add(rng.below(CYCLE_MAX - 1)) };
        let inputs: [Input; CYCLE_MAX as usize] = core::array::from_fn(|_| test.random_input(rng));
        let longer = self.reach.clamp(SHORTEST, LONGEST).saturating_sub(SHORTEST);
        let len = SHORTEST.saturating_add(rng.below(longer.saturating_add(1)));
        // What is dear is repeated less often.
        let most = LONGEST.saturating_add(costs::of_reset(test.m));
        let mut cost = 0_u32;
        for (done, input) in (0..len).zip(inputs.iter().take(cycle as usize).cycle()) {
            cost = cost.saturating_add(costs::of_input(test.m, *input));
            if cost > most && done >= SHORTEST {
                break;
            }
            test.step(*input)?;
        }
        for _ in 0..=rng.below(AFTER_MAX) {
            test.step(test.random_input(rng))?;
        }
        identify_state(test, rng)?;
        Ok(true)
    }
}
