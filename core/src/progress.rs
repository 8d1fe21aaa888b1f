//! Where a session stands, and what it has cost.

use serde::{Deserialize, Serialize};

use crate::learner::DefectCounts;
use crate::testing::{MIXED, Spent, Tests};

/// What words were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Purpose {
    /// To fill the table.
    Learning,
    /// To find and shorten counterexamples.
    Testing,
}

/// What was asked of the devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Costs {
    /// Resets, one for each word.
    pub resets: u64,
    /// Input symbols.
    pub symbols: u64,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Progress {
    /// What is being asked now.
    pub purpose: Purpose,
    /// Short rows of the table.
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
    /// Their states, all together.
    pub component_states: u32,
    /// Hypotheses made.
    pub rounds: u64,
    /// Random tests in a row that found nothing.
    pub tests_in_a_row: u64,
    /// Words without exactly one output that were found in the product.
    pub defects: DefectCounts,
    /// What learning cost.
    pub learning: Costs,
    /// What testing cost, shortening counterexamples included.
    pub testing: Costs,
    /// What the kinds of [`MIXED`] did.
    pub tests: [Spent; MIXED.len()],
    /// The tests that found the last counterexample, if none was given.
    pub found_by: Option<Tests>,
    /// The most memory that was ever laid out, in bytes.
    pub learner_bytes: usize,
}
