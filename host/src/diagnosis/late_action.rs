//! What a device does only after it has answered, as pauses showed it.

use std::time::Duration;

use mealybug_core::Input;

use super::going_on::LateRest;
use crate::device::Pauses;

/// Answers that differ without pauses, and are one and the same with them.
#[derive(Clone, Debug)]
pub(super) struct LateAction {
    /// The pauses that a check proposes.
    pub(super) pauses: Pauses,
    /// The shortest pause that was long enough, and the longest that was too short, if any was.
    pub(super) enough: Duration,
    pub(super) too_short: Option<Duration>,
    /// A word, and the word before its reset.
    pub(super) word: Vec<Input>,
    pub(super) before: Vec<Input>,
    /// The answer with pauses, and another one without.
    pub(super) answer: String,
    pub(super) other: String,
    /// How often the answer was another one without pauses, and of how many.
    pub(super) others: u32,
    pub(super) without: u32,
    /// How often the answer came with pauses. It was never another one.
    pub(super) with: u32,
    /// How many words had the same answers twice with the proposed pauses.
    pub(super) words: usize,
}

/// What the last input of a word comes to.
#[derive(Clone, Debug)]
pub(super) enum SlowOutcome {
    /// This answer.
    Answer(String),
    /// The word fails, for this reason.
    Failure(String),
}

impl SlowOutcome {
    /// The answer or the reason.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Answer(text) | Self::Failure(text) => text,
        }
    }

    /// Whether the word has come to the same. Reasons may differ in what was received.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Answer(one), Self::Answer(other)) => one == other,
            (Self::Failure(_), Self::Failure(_)) => true,
            _ => false,
        }
    }
}

/// What a pause follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Actor {
    Reset,
    Input(Input),
}

impl Actor {
    /// A pause of this length after it, each time.
    pub(super) fn pauses(self, time: Duration) -> Pauses {
        match self {
            Self::Reset => Pauses { time, after_reset: true, ..Pauses::default() },
            Self::Input(input) => Pauses::of_input(input.index() as usize, time),
        }
    }

    /// How many inputs of a word have been given when the first pause comes.
    pub(super) fn place(self, word: &[Input]) -> usize {
        match self {
            Self::Reset => 0,
            Self::Input(actor) => word.iter().position(|it| *it == actor).map_or(0, |at| at + 1),
        }
    }
}

/// An answer that is one and the same at the pace of the check, and another one with a pause after the reset or an input before.
#[derive(Clone, Debug)]
pub(super) struct SlowerAnswer {
    pub(super) word: Vec<Input>,
    /// What is followed by the pause.
    pub(super) actor: Actor,
    /// What the last input comes to at the pace of the check, and with the pause.
    pub(super) usual: SlowOutcome,
    pub(super) slow: SlowOutcome,
    /// The shortest pause that was long enough, and the longest that was too short, if any was.
    pub(super) enough: Duration,
    pub(super) too_short: Option<Duration>,
    pub(super) rest: Option<ActorRest>,
}

/// What comes after the end of an input's reply when nothing else is sent.
#[derive(Clone, Debug)]
pub(super) struct ActorRest {
    /// The word that ends with this input.
    pub(super) word: Vec<Input>,
    pub(super) rest: LateRest,
}
