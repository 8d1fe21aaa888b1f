//! Where a session stands, and what it has cost.

use crate::action::EndReason;
use crate::options::Options;
use crate::test_kind::{MIXTURE_KINDS, Tests};

/// What words were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Purpose {
    /// To learn: to make a hypothesis.
    Learning,
    /// To find and shorten counterexamples.
    Testing,
}

/// What was asked of the devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Costs {
    /// Resets, one for each word.
    pub resets: u64,
    /// Input symbols.
    pub symbols: u64,
}

/// What the tests of one kind have cost and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct KindCosts {
    /// Symbols of its tests.
    pub symbols: u64,
    /// Counterexamples that it found.
    pub found: u32,
}

/// How often the components were found to contradict each other, before any test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct DefectCounts {
    /// Words without an output.
    pub none: u32,
    /// Words with several outputs.
    pub several: u32,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Progress {
    /// What is being asked now.
    pub purpose: Purpose,
    /// Short rows of the observation table.
    pub short_rows: u32,
    /// Rows of the table, short and long.
    pub rows: u32,
    /// Suffixes of the table.
    pub suffixes: u32,
    /// Symbols in a row of the table.
    pub columns: u32,
    /// Outputs known.
    pub outputs: u32,
    /// Components of the last hypothesis.
    pub components: u32,
    /// Their states in total.
    pub component_states: u32,
    /// Hypotheses made.
    pub rounds: u64,
    /// Random tests in a row that found nothing.
    pub passing_tests: u64,
    /// Words without exactly one output that were found in the product.
    pub defects: DefectCounts,
    /// What learning cost.
    pub learning: Costs,
    /// What testing cost, shortening counterexamples included.
    pub testing: Costs,
    /// What the kinds of [`MIXTURE_KINDS`] did.
    pub tests: [KindCosts; MIXTURE_KINDS.len()],
    /// The tests that found the last counterexample, if none was given.
    pub found_by: Option<Tests>,
    /// The most memory that was ever laid out, in bytes.
    pub learner_bytes: usize,
}

impl Progress {
    /// Nothing was asked yet.
    pub(crate) const NONE: Self = {
        let none = Costs { resets: 0, symbols: 0 };
        Self {
            purpose: Purpose::Learning,
            short_rows: 0,
            rows: 0,
            suffixes: 0,
            columns: 0,
            outputs: 0,
            components: 0,
            component_states: 0,
            rounds: 0,
            passing_tests: 0,
            defects: DefectCounts { none: 0, several: 0 },
            learning: none,
            testing: none,
            tests: [KindCosts { symbols: 0, found: 0 }; MIXTURE_KINDS.len()],
            found_by: None,
            learner_bytes: 0,
        }
    };
}

/// What a session was told, how it ended and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Summary {
    /// Its options.
    pub options: Options,
    /// Why it ended; `None` if it did not, or a fault ended it.
    pub end: Option<EndReason>,
    /// Whether an answer contradicts the components.
    pub is_refuted: bool,
    /// Where it stands.
    pub progress: Progress,
}
