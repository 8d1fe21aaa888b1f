//! What each of several boards did.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::costs::{Cost, Serial};
use super::number::number;

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

/// Such as `9 failures, left out: the device is gone`; empty if nothing went wrong.
impl fmt::Display for BoardRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: u64, what: &str| {
            let s = if count == 1 { "" } else { "s" };
            (count > 0).then(|| format!("{} {what}{s}", number(count)))
        };
        let left_out = self.left_out.as_ref().map(|why| format!("left out: {why}"));
        let all = [
            counted(self.disagreements, "disagreement"),
            counted(self.failures, "failure"),
            left_out,
        ];
        f.write_str(&all.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}
