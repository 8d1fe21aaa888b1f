//! Words on which a model is wrong.

use serde::{Deserialize, Serialize};

/// A word whose last input the device answers otherwise than the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RefutingWord {
    /// The word.
    pub word: String,
    /// After how many of its inputs nothing was sent for a second; null if the answer is another one without a pause, too.
    pub pause_after: Option<usize>,
    /// The output of the model.
    pub model: String,
    /// The output of the device.
    pub device: String,
}
