//! The options of a run, as its statistics list them.

use serde::{Deserialize, Serialize};

use crate::algorithm::Algorithm;

/// The options that a run had, defaults included.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OptionsRecord {
    /// The learner.
    pub algorithm: Algorithm,
    /// How the device is divided into components, as `--projections` names it.
    pub projections: String,
    /// The tests of a hypothesis, as `--tests` names them.
    pub tests: String,
    /// The number of random tests in a row that the result must pass; null if it is unlimited.
    pub tests_in_a_row: Option<u64>,
    /// The confidence that `--confidence` asked for, from 0.5 to 1; null without this option.
    pub confidence_wanted: Option<f64>,
    /// The seed of the random tests.
    pub seed: u64,
    /// `default` or `paper`.
    pub profile: String,
    /// The largest number of hypotheses; null if it is unlimited.
    pub max_rounds: Option<u64>,
    /// The largest number of input symbols; null if it is unlimited.
    pub max_symbols: Option<u64>,
    /// The longest time in seconds; null if it is unlimited.
    pub max_seconds: Option<f64>,
    /// The largest number of states of `model.dot`.
    pub max_states: u32,
    /// The most memory for the learner, in bytes.
    pub memory_bytes: usize,
    /// The largest number of states of the product of the components that tests start in.
    pub product_states: u32,
}
