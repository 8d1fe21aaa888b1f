//! An answer that came at first and never again, over all resets: something has changed the device for good.
//!
//! Who checks or learns the device later sees nothing of it, since all answers are the same from then on. So a check says what has
//! changed, and the next one looks whether that still stands.

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
