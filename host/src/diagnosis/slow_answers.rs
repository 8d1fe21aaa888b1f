//! What a check knows of inputs that are only slow.

use std::collections::BTreeSet;

use mealybug_core::Input;

/// What is known of slow answers.
#[derive(Debug, Default)]
pub(super) struct SlowAnswers {
    /// How many silent inputs were waited for without success.
    pub(super) in_vain: u32,
    /// The inputs that were given more time.
    pub(super) waits_for: BTreeSet<Input>,
    /// Whether the device says nothing as long as nothing is sent after a reset, if that was tried.
    pub(super) is_quiet: Option<bool>,
}
