//! Why a device was not learned.

use std::error::Error;

use thiserror::Error;

use super::learned::Learned;
use crate::statistics::number;
use crate::store::StoreError;
use crate::word::UnknownInput;

/// Why a device with errors `E` was not learned.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LearnError<E: Error + 'static> {
    /// The device has no inputs, or two with one name.
    #[error("{0}")]
    Inputs(String),
    /// A word of [`LearnOptions::words`](super::LearnOptions::words) names an input that does not exist.
    #[error(transparent)]
    Word(#[from] UnknownInput),
    /// The device, or the link to it, failed.
    #[error("the device failed after a reset and `{word}`")]
    Device {
        /// The word up to the input at which it failed; empty if the reset failed.
        word: String,
        /// Its error.
        #[source]
        error: E,
    },
    /// The device gave several outputs to the same word.
    #[error(
        "the device contradicts itself after a reset and `{word}`: {}; does the reset bring everything \
         back, also what is global or outside?",
        said(.answers)
    )]
    Contradiction {
        /// The word.
        word: String,
        /// The outputs at its end, and how often each came.
        answers: Vec<(String, u32)>,
    },
    /// A limit ended the run before the model had passed all tests.
    #[error("{reason}{}", so_far(.learned.as_deref()))]
    NotConverged {
        /// Which limit.
        reason: String,
        /// What was learned so far, if there is a model. It explains all answers, and may be wrong about
        /// all else.
        learned: Option<Box<Learned>>,
    },
    /// The answers cannot be kept.
    #[error("the answers cannot be kept")]
    Store(#[source] StoreError),
}

/// What the device said, such as `it said on twice and off once`.
fn said(answers: &[(String, u32)]) -> String {
    let times = |times: u32| match times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        times => format!("{} times", number(times)),
    };
    let said: Vec<_> =
        answers.iter().map(|(output, count)| format!("`{output}` {}", times(*count))).collect();
    format!("it said {}", said.join(" and "))
}

fn so_far(learned: Option<&Learned>) -> String {
    let states = learned.map(|learned| learned.model().states());
    states.map_or_else(String::new, |states| format!("; {} states are known", number(states)))
}
