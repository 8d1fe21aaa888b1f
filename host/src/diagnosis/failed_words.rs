//! The words of a check that failed, and how it lost its device.

use mealybug_core::Input;

use super::checked_device::FaultKind;

/// Words that failed for the same reason.
#[derive(Debug)]
pub(super) struct FailedWords {
    /// The kind of the first one.
    pub(super) kind: FaultKind,
    pub(super) reason: String,
    /// Each of them; there is at least one.
    pub(super) words: Vec<WordFailure>,
    /// What to do about it, if that is known.
    pub(super) help: Option<String>,
}

/// A word that failed.
#[derive(Debug)]
pub(super) struct WordFailure {
    /// What was said of it.
    pub(super) message: String,
    /// Whether it worked when it was asked again.
    pub(super) is_mended: bool,
}

/// How a check lost its device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LostDevice {
    /// No reset has worked any more after this word; none has worked at all if it is empty.
    NoReset(Vec<Input>),
    /// This word was answered in the check, and was not answered any more at its end.
    Mute(Vec<Input>),
}

impl FailedWords {
    /// Whether these words failed for this reason. Digits do not count, since measurements and counters differ from one time to the
    /// next, nor does what stands in backticks, since it happens at several inputs.
    pub(super) fn are_for(&self, reason: &str) -> bool {
        shape(&self.reason) == shape(reason)
    }

    /// What was said of the first of them.
    pub(super) fn first(&self) -> &str {
        self.words.first().map_or("", |word| &word.message)
    }

    /// How many they are.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.words.len()).unwrap_or(u32::MAX)
    }

    /// Whether any of them worked when it was asked again.
    pub(super) fn is_any_mended(&self) -> bool {
        self.words.iter().any(|word| word.is_mended)
    }

    /// Whether all of them worked when they were asked again.
    pub(super) fn are_mended(&self) -> bool {
        self.words.iter().all(|word| word.is_mended)
    }
}

/// What the reasons of failures of one kind share.
fn shape(text: &str) -> String {
    let unquoted = text.split('`').step_by(2).flat_map(str::chars);
    unquoted.filter(|c| !c.is_ascii_digit()).collect()
}
