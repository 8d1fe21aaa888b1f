//! Why the learner gets no answer to a word.

use std::error::Error as StdError;

use mealybug_core::Input;
use thiserror::Error;

use super::StoreError;

/// Why a word has no answer.
#[derive(Debug, Error)]
pub enum NoAnswer<E: StdError + 'static> {
    /// The device or its link failed.
    #[error("the device failed")]
    Device {
        /// The error.
        #[source]
        error: E,
        /// The word that was being asked: the session's, or one to be confirmed.
        word: Vec<Input>,
        /// How many inputs of the word were sent. The failure is at the last of these, or at the
        /// reset.
        sent: usize,
    },
    /// The answers cannot be stored.
    #[error(transparent)]
    Store(StoreError),
    /// The device contradicts itself, and asking again does not settle it.
    #[error("the device contradicts itself")]
    Unsettled(Unsettled),
    /// An answer given to the learner is no longer believed or must be confirmed, so the learner
    /// must start again.
    #[error("an answer that was given is no longer believed")]
    Overturned,
    /// The run is to end.
    #[error("the run was stopped")]
    Stopped,
}

/// A word whose answer could not be settled, however often the device was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// The word.
    pub word: Vec<Input>,
    /// The outputs for its last input and their counts, the believed output first.
    pub answers: Vec<(Vec<u8>, u32)>,
}
