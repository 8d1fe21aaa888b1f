//! What was found out about a word with two answers.

use mealybug_core::Input;

use super::answers_after::AnswersAfter;

/// A word with two answers, asked again after each of the words that preceded these answers.
#[derive(Clone, Debug)]
pub(super) struct ProposalTrial {
    pub(super) word: Vec<Input>,
    pub(super) outputs: [String; 2],
    /// A word before the reset that brings each answer; `None` if it came to the first word of all.
    pub(super) causes: [Option<Vec<Input>>; 2],
    /// The answers after words that were asked in the trial.
    pub(super) seen: AnswersAfter,
    /// Whether what came before the reset decides the answer.
    pub(super) is_by_reset: bool,
    /// Whether no single word brings the answers: several words before the reset decide.
    pub(super) is_by_several: bool,
    /// Whether the first answer came for a while and never again: something has changed the device for good.
    pub(super) is_for_good: bool,
    /// Whether one of the answers is a silence that may be an answer that came too late.
    pub(super) may_be_late: bool,
    /// Whether the first answer came more than once, or other words show the same.
    pub(super) is_repeated: bool,
}

impl ProposalTrial {
    /// The causes, with another word that was seen before an answer in the place of none.
    pub(super) fn opposed_causes(&self) -> Option<[Vec<Input>; 2]> {
        let cause = |side: usize| {
            let seen = || self.seen.always_before(&self.outputs[side]);
            self.causes[side].as_ref().or_else(seen).cloned()
        };
        Some([cause(0)?, cause(1)?])
    }
}
