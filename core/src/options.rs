//! What a session is told beforehand: how to learn, how to test, and when to give up.

use serde::{Deserialize, Serialize};

use crate::outputs::Family;
use crate::testing::Tests;

/// What a session can be told beforehand; part of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Options {
    /// The projections: a component is learned for each.
    pub family: Family,
    /// Which words test a hypothesis.
    pub tests: Tests,
    /// The seed of random tests. The same seed gives the same words.
    pub seed: u64,
    /// A hypothesis that passes so many random tests in a row is the result.
    pub tests_in_a_row: u64,
    /// How many states of the product are looked at: for words without exactly one output, and as
    /// states where tests start.
    pub walk_states: u32,
    /// Whether counterexamples are shortened.
    pub shorten: bool,
    /// Words in flight at most.
    pub lanes: u32,
    /// When to give up.
    pub budget: Budget,
}

/// When to give up; the last hypothesis stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Budget {
    /// Hypotheses tested at most.
    pub rounds: u64,
    /// Input symbols asked at most, learning and testing.
    pub symbols: u64,
    /// Resets at most, learning and testing.
    pub resets: u64,
}

impl Budget {
    /// No limits.
    pub const UNLIMITED: Self = Self { rounds: u64::MAX, symbols: u64::MAX, resets: u64::MAX };
}

impl Default for Options {
    fn default() -> Self {
        Self {
            family: Family::PerOutput,
            tests: Tests::DEFAULT,
            seed: 0,
            tests_in_a_row: 1000,
            walk_states: 256,
            shorten: true,
            lanes: 1,
            budget: Budget::UNLIMITED,
        }
    }
}
