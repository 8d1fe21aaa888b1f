//! What a session is told beforehand: how to learn, how to test, and when to give up.

use core::fmt;

use crate::test_kind::Tests;

/// How what a device does is divided; one component is learned for each part.
///
/// A part is a set of pairs of an input and an output. A component has the outputs of the pairs in its part, and says
/// nothing elsewhere. Outputs that are named as pairs are outputs as good as any, so what the paper proves of
/// groups of outputs holds for all of these (paper, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Projections {
    /// All in one part: L* and L#.
    Identity,
    /// A part for each output, except for the groups that were declared: OL* and OL#.
    PerOutput,
    /// A part for each input. Learners with a tree have it.
    PerInput,
    /// A part for each input with each of its outputs. Learners with a tree have it.
    PerPair,
    /// The identity, per output or per input: what promises the fewest words is chosen while learning. Learners with
    /// a tree have it.
    Chosen,
}

impl fmt::Display for Projections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identity => "identity",
            Self::PerOutput => "per-output",
            Self::PerInput => "per-input",
            Self::PerPair => "per-pair",
            Self::Chosen => "chosen",
        })
    }
}

/// Where a learner keeps what the device answered, and so which learner it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Observations {
    /// In an observation table: L* and OL*. It needs little memory.
    Table,
    /// In an observation tree: L# and OL#. It asks far fewer words.
    Tree,
}

/// How a session learns and tests, and when it gives up; part of its result.
///
/// ```
/// use mealybug_core::{Options, Projections, Tests};
///
/// let l_star = Options::new().projections(Projections::Identity);
/// let options = l_star.tests(Tests::Wp { extra_states: 1 }).seed(7);
/// assert_eq!((options.lanes, options.passing_tests), (1, 1000)); // as by default
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Options {
    /// Where answers are kept; in a table by default.
    pub observations: Observations,
    /// What the components divide among them; the default is one for each group of outputs, OL*.
    pub projections: Projections,
    /// Which words test a hypothesis; [`Tests::DEFAULT`] by default.
    pub tests: Tests,
    /// The seed of random tests. The same seed gives the same words. 0 by default.
    pub seed: u64,
    /// Number of random tests in a row that a hypothesis must pass to be the result; 1000 by default.
    pub passing_tests: u64,
    /// Number of states of the product that are searched breadth-first, 256 by default. The search finds
    /// words without exactly one output, and the states that tests start in.
    pub product_states: u32,
    /// Whether tests end with their first wrong output and counterexamples are shortened; by default
    /// they are.
    pub shorten: bool,
    /// Number of lanes, `1..=65536`: at most this many words are in flight. 1 by default.
    pub lanes: u32,
    /// When to give up; never by default.
    pub budget: Budget,
}

/// When to give up; the last hypothesis stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Budget {
    /// Hypotheses that are tested, at most.
    pub rounds: u64,
    /// Input symbols of learning and testing. No word begins once this many were asked; the last word can
    /// go beyond it.
    pub symbols: u64,
    /// Resets of learning and testing. No word begins once this many were done; with several lanes, words that wait for their
    /// reset count, too.
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
        observations: Observations,
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
            observations: Observations::Table,
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
