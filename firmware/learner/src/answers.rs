//! Keeps what a device has answered, so that a run goes on after a reset of the target.
//!
//! The learner asks the same words again when it gets the same answers. So a run that begins anew is where it was as soon
//! as it has got all answers that were kept, and none of these words is asked a second time. A run that had ended comes to
//! the same end, and so its result is there again.

mod flash;
mod records;
#[cfg(test)]
mod tests;

use mealybug_core::wire::types;
use mealybug_core::{Input, Session};

pub use flash::{FlashAnswers, RULES_BYTES};
pub(crate) use records::digest;

/// Keeps answers. [`FlashAnswers`] does, in a NOR flash; [`NoAnswers`] does not.
///
/// A [`Target`](crate::Target) calls the functions in this order: `resume` once, then for each run `rule`, `begin`, and
/// for each word `find` and one of `recall` and `keep` for each symbol.
pub trait Answers {
    /// Whether it keeps any. If it does not, a target has no code for it.
    const ARE_KEPT: bool = true;

    /// A number that is another one in another program: answers of another program are dropped.
    fn program(&self) -> u32;

    /// The run of which answers are kept: its fingerprint and its options. `take` gets the rules that
    /// the host had sent, with their numbers.
    fn resume(&mut self, take: impl FnMut(u32, &[u8])) -> Option<(u32, types::Options)>;

    /// The host has sent a rule for the device. Rule 0 begins a new set, and ends the run that is kept.
    fn rule(&mut self, number: u32, rule: &[u8]);

    /// A run starts: forgets the answers to others.
    fn begin(&mut self, fingerprint: u32, options: types::Options);

    /// The run does not go on after a reset.
    fn forget(&mut self);

    /// A word begins. Returns whether its answer is kept: then `recall` has its outputs.
    fn find(&mut self, word: impl Iterator<Item = Input>) -> bool;

    /// Whether the outputs of the word come from `recall`.
    fn is_found(&self) -> bool;

    /// The next output of the word; `None` if there is none.
    fn recall(&mut self, session: &Session<&mut [u32]>) -> Option<&[u8]>;

    /// Keeps the next output of the word, before the session gets it.
    fn keep(&mut self, session: &Session<&mut [u32]>, output: &[u8], is_last: bool);

    /// The word has ended here: the session needs no more of its outputs.
    fn finish(&mut self);

    /// The device has failed: the word is asked again.
    fn drop_word(&mut self);
}

/// Keeps no answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAnswers;

impl Answers for NoAnswers {
    const ARE_KEPT: bool = false;

    fn program(&self) -> u32 {
        0
    }

    fn resume(&mut self, _: impl FnMut(u32, &[u8])) -> Option<(u32, types::Options)> {
        None
    }

    fn rule(&mut self, _: u32, _: &[u8]) {}

    fn begin(&mut self, _: u32, _: types::Options) {}

    fn forget(&mut self) {}

    fn find(&mut self, _: impl Iterator<Item = Input>) -> bool {
        false
    }

    fn is_found(&self) -> bool {
        false
    }

    fn recall(&mut self, _: &Session<&mut [u32]>) -> Option<&[u8]> {
        None
    }

    fn keep(&mut self, _: &Session<&mut [u32]>, _: &[u8], _: bool) {}

    fn finish(&mut self) {}

    fn drop_word(&mut self) {}
}
