//! Answers that boards gave ahead of their turn.
//!
//! With several boards, words are asked before the learner wants their answers. `answers.log` takes the answers in the
//! learner's order, so that it is the same as with one board. Until their turn comes, they are in the folder `ahead`
//! beside it: `ahead/N.log` is what board N said, on disk before its next input is sent ([`BoardLog`]). Its format and its
//! safety are those of `answers.log`; each log has one writer.
//!
//! When a store is opened, the words that `answers.log` has are taken out of these logs ([`Said`]), and the others are
//! [`AheadAnswers`]: if the learner asks for one of these words, its answers are taken instead of asking a board. Each is
//! taken once, so that nothing that was said once counts as said twice. What the learner never asks for (tests after one
//! that found a counterexample) changes nothing, and stays where it is.

mod answers;
mod board_log;
mod logs;
mod said;
#[cfg(test)]
mod tests;

pub use answers::AheadAnswers;
pub use board_log::BoardLog;
pub use logs::copy_kept_logs;
pub(super) use logs::log_path;
pub(super) use said::Said;
