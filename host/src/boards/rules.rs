//! What becomes of boards that fail or disagree, and what is counted.

use std::time::Duration;

use mealybug_core::{Costs, Input};

use crate::learn::Failure;

/// What to do about boards that fail, and who hears of it. Boards are numbered from 0.
pub trait BoardPolicy<E> {
    /// A board failed, which was `asked` so much in all; `has_answered` says whether it has answered a whole word since
    /// it failed before.
    fn failed(
        &mut self,
        board: usize,
        failure: &Failure<E>,
        has_answered: bool,
        asked: Costs,
    ) -> AfterFailure;

    /// The word, before the one that failed, whose answers this failure of a board puts in doubt.
    fn doubtful(&mut self, error: &E) -> Option<Vec<Input>> {
        let _ = error;
        None
    }

    /// Nothing can be asked, since all boards are away.
    fn all_are_away(&mut self) {}

    /// Whether waiting for answers is to end.
    fn is_over(&self) -> bool {
        false
    }

    /// A board is left out, with this error; so many are left.
    fn left_out(&mut self, board: usize, error: &E, left: usize);

    /// Two boards disagree about a word. Each word is told of once.
    fn disagree(&mut self, disagreement: &Disagreement);
}

/// What a board does that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    /// It asks its word again.
    AskAgain,
    /// It gets a word after this time. Its word is asked elsewhere.
    Wait(Duration),
    /// It gets no more words. Its word is asked elsewhere.
    LeaveOut,
}

/// A word to whose last input two boards have different outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The word.
    pub word: Vec<Input>,
    /// The number of each board, and its output to the last input.
    pub answers: [(usize, Vec<u8>); 2],
}

/// What a board was asked and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardCounts {
    /// What it was asked, words that were dropped or failed included.
    pub asked: Costs,
    /// How often it failed; once if it went away, however often it was looked for.
    pub failures: u64,
    /// The number of words about which it disagreed with another board.
    pub disagreements: u64,
    /// Why it was left out.
    pub left_out: Option<String>,
}
