//! An answer that came at first and never again, over all resets: something has changed the device for good.
//!
//! From then on all answers are the same, so a later check or run sees nothing of it. That is why a check says what has changed, and
//! the next check asks the word again.

use mealybug_core::Input;

/// An answer that has changed once, over all resets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingChange {
    /// The word.
    pub word: Vec<Input>,
    /// The answer to its last input at first.
    pub before: String,
    /// The answer ever since.
    pub since: String,
    /// Whether several answers show it. One may have been a fault of the line.
    pub is_certain: bool,
}
