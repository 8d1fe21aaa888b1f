//! What a session is told beforehand: how to learn, how to test, and when to give up.

use core::fmt;

use crate::test_kind::Tests;

/// How the outputs are divided into groups; one component is learned for each group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Projections {
    /// All outputs in one group: L*.
    Identity,
    /// A group for each output, except for the groups that were declared: OL*.
    PerOutput,
}

impl fmt::Display for Projections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identity => "identity",
            Self::PerOutput => "per-output",
        })
    }
}

/// What a session can be told beforehand; part of its result.
///
/// ```
/// use mealybug_core::{Options, Projections, Tests};
///
/// let l_star = Options::new().projections(Projections::Identity);
/// let options = l_star.tests(Tests::Wp { extra_states: 1 }).seed(7);
/// assert_eq!(options.lanes, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Options {
    /// The projections: a component is learned for each.
    pub projections: Projections,
    /// Which words test a hypothesis.
    pub tests: Tests,
    /// The seed of random tests. The same seed gives the same words.
    pub seed: u64,
    /// A hypothesis that passes so many random tests in a row is the result.
    pub passing_tests: u64,
    /// How many states of the product are searched: for words without exactly one output, and as
    /// states where tests start.
    pub product_states: u32,
    /// Whether counterexamples are shortened.
    pub shorten: bool,
    /// How many words are in flight at most.
    pub lanes: u32,
    /// When to give up.
    pub budget: Budget,
}

/// When to give up; the last hypothesis stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Budget {
    /// How many hypotheses are tested at most.
    pub rounds: u64,
    /// How many input symbols are asked at most, learning and testing.
    pub symbols: u64,
    /// How many resets are asked at most, learning and testing.
    pub resets: u64,
}

/// For each field a method that sets it and returns the struct.
macro_rules! setters {
    ($($field:ident: $type:ty),+ $(,)?) => {
        $(
            #[doc = concat!("Sets [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
            #[must_use]
            pub const fn $field(mut self, $field: $type) -> Self {
                self.$field = $field;
                self
            }
        )+
    };
}

impl Budget {
    /// No limits.
    pub const UNLIMITED: Self = Self { rounds: u64::MAX, symbols: u64::MAX, resets: u64::MAX };

    setters! { rounds: u64, symbols: u64, resets: u64 }
}

impl Options {
    setters! {
        projections: Projections,
        tests: Tests,
        seed: u64,
        passing_tests: u64,
        product_states: u32,
        shorten: bool,
        lanes: u32,
        budget: Budget,
    }

    /// OL* with the [default](Tests::DEFAULT) tests, 1000 in a row, one lane and no budget.
    pub const fn new() -> Self {
        Self {
            projections: Projections::PerOutput,
            tests: Tests::DEFAULT,
            seed: 0,
            passing_tests: 1000,
            product_states: 256,
            shorten: true,
            lanes: 1,
            budget: Budget::UNLIMITED,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}
