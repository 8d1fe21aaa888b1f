//! Why a word has no answer.

use std::error::Error as StdError;

use mealybug_core::Input;
use thiserror::Error;

use super::StoreError;

/// Why a word has no answer.
#[derive(Debug, Error)]
pub enum Refusal<E: StdError + 'static> {
    /// The device or its link failed, after so many inputs of the word.
    #[error("the device failed")]
    Device {
        /// What went wrong.
        #[source]
        error: E,
        /// How many inputs of the word were sent; the failure is at the last of these, or at the
        /// reset.
        sent: usize,
    },
    /// The answers cannot be kept.
    #[error(transparent)]
    Store(StoreError),
    /// The device contradicts itself, and asking again does not settle it.
    #[error("the device contradicts itself")]
    Unsettled(Unsettled),
    /// What the learner was told is no longer believed, or must be confirmed: it has to begin anew.
    #[error("an answer that was given is no longer believed")]
    Overturned,
    /// The run is to end.
    #[error("the run was stopped")]
    Stopped,
}

/// A word whose answer is not known, however often the device was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// The word.
    pub word: Vec<Input>,
    /// What its last input was answered, and how often; the believed answer first.
    pub answers: Vec<(Vec<u8>, u32)>,
}
