//! Why a run ended: as a code for programs, and as part of a sentence.

use mealybug_core::EndReason;
use serde::{Deserialize, Serialize};

use super::{OptionsRecord, number};
use crate::learn::Outcome;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EndCode {
    /// The hypothesis passed as many random tests in a row as were wanted.
    TestsPassed,
    /// The hypothesis passed the complete suite.
    SuitePassed,
    /// The hypothesis passed the suite, which does not start in all of its states.
    SuiteCut,
    /// The hypothesis equals the model that is simulated.
    EqualsModel,
    /// There is a hypothesis, and no test was wanted.
    Untested,
    /// The limit of rounds was reached.
    Rounds,
    /// The limit of symbols was reached.
    Symbols,
    /// The limit of resets was reached.
    Resets,
    /// An answer contradicts the hypothesis, and the run may not learn from it.
    Refuted,
    /// The user stopped the run.
    Interrupted,
    /// The limit of time was reached.
    Time,
    /// The limit of memory was reached.
    Memory,
    /// The device contradicted itself.
    Contradiction,
    /// The device, or the link to it, failed.
    DeviceFailed,
    /// The answers of the device could not be written to the disk.
    Disk,
    /// The link to the target failed while the target was learning.
    TargetLost,
    /// Another reason.
    Other,
}

impl<E> From<&Outcome<E>> for EndCode {
    fn from(ending: &Outcome<E>) -> Self {
        match ending {
            Outcome::Session(EndReason::TestsPassed) => Self::TestsPassed,
            Outcome::Session(EndReason::SuitePassed) => Self::SuitePassed,
            Outcome::Session(EndReason::SuiteCut) => Self::SuiteCut,
            Outcome::Session(EndReason::Equivalent) => Self::EqualsModel,
            Outcome::Session(EndReason::Untested) => Self::Untested,
            Outcome::Session(EndReason::Rounds) => Self::Rounds,
            Outcome::Session(EndReason::Symbols) => Self::Symbols,
            Outcome::Session(EndReason::Resets) => Self::Resets,
            Outcome::Session(EndReason::Refuted) => Self::Refuted,
            Outcome::Session(EndReason::Stopped) | Outcome::Interrupted => Self::Interrupted,
            Outcome::Session(_) => Self::Other,
            Outcome::Time => Self::Time,
            Outcome::Memory(_) => Self::Memory,
            Outcome::Contradiction(_) => Self::Contradiction,
            Outcome::Failure(_) => Self::DeviceFailed,
            Outcome::Store(_) => Self::Disk,
        }
    }
}

/// Why a run ended, as part of a sentence.
pub(super) fn reason<E>(ending: &Outcome<E>, options: &OptionsRecord, tests_passed: u64) -> String {
    let OptionsRecord { tests, product_states, memory_bytes, .. } = options;
    match ending {
        Outcome::Session(EndReason::TestsPassed) => {
            format!("{} random tests in a row found no difference", number(tests_passed))
        }
        Outcome::Session(EndReason::SuitePassed) => {
            format!("the complete suite {tests} found no difference")
        }
        Outcome::Session(EndReason::SuiteCut) => format!(
            "the suite {tests} found no difference, but it covers only {product_states} states"
        ),
        Outcome::Session(EndReason::Equivalent) => {
            "it equals the model that was simulated".to_owned()
        }
        Outcome::Session(EndReason::Untested) => "nothing tests it".to_owned(),
        Outcome::Session(EndReason::Rounds) => "the rounds are used up (--rounds)".to_owned(),
        Outcome::Session(EndReason::Symbols) => {
            "the symbols are used up (--max-symbols)".to_owned()
        }
        Outcome::Session(EndReason::Resets) => "the resets are used up".to_owned(),
        Outcome::Session(EndReason::Refuted) => "a test refuted the model".to_owned(),
        Outcome::Session(EndReason::Stopped) | Outcome::Interrupted => {
            "it was interrupted".to_owned()
        }
        Outcome::Session(_) => "the session ended for a reason that is not known here".to_owned(),
        Outcome::Time => "the time is used up (--max-time)".to_owned(),
        Outcome::Memory(error) => {
            let needed = error.needed;
            format!("{memory_bytes} bytes (--memory) are too little, {needed} are needed")
        }
        Outcome::Contradiction(_) => "the device contradicted itself".to_owned(),
        Outcome::Failure(_) => "the device failed".to_owned(),
        Outcome::Store(_) => "its answers cannot be kept on the disk".to_owned(),
    }
}
