//! Random numbers that are the same on every machine.

use rand_core::{Rng as _, SeedableRng};
use rand_pcg::Pcg32;

/// A generator of its own for each test word: with several words in flight, a word does not depend
/// on which others were made before it.
#[derive(Debug)]
pub(crate) struct WordRng(Pcg32);

impl WordRng {
    /// The generator of one test.
    pub(crate) fn new(seed: u64, test: u32) -> Self {
        // Weyl's sequence keeps the tests of one seed apart; `seed_from_u64` mixes the bits.
        let mixed = seed.wrapping_add(u64::from(test).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self(Pcg32::seed_from_u64(mixed))
    }

    /// A number below `n`; 0 when `n` is 0.
    ///
    /// Lemire's multiplication without the rejection: the bias is below `n / 2³²`.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        let product = u64::from(self.0.next_u32()) * u64::from(n);
        // OK: the upper half of a product of two 32-bit numbers has 32 bits.
        u32::try_from(product >> 32).unwrap_or(0)
    }

    /// `true` once in `n` times.
    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
}
