//! What each of several boards did.

use serde::{Deserialize, Serialize};

use super::{Cost, Serial};

/// What one of several boards did.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BoardRecord {
    /// The port of the board, or `worker` and the number of the program.
    pub name: String,
    /// What the board was asked, including words that failed and tests that were asked ahead and then not needed.
    pub asked: Cost,
    /// The number of times that the board or the link to it failed.
    pub failures: u64,
    /// The number of words about which it disagreed with another board.
    pub disagreements: u64,
    /// Why the board was left out; null if it was not.
    pub left_out: Option<String>,
    /// For a board behind a serial port, where its time went; null otherwise.
    pub serial: Option<Serial>,
}
