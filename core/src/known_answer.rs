//! An answer that a learner keeps.

use crate::alphabet::{Input, Output};

/// An answer of the device that a learner keeps: the output of the last input of a word.
///
/// [`Session::known_answers`](crate::Session::known_answers) numbers them from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    /// The number of the answer to the word without its last input; 0 for the word without inputs.
    pub before: u32,
    /// The last input of the word.
    pub input: Input,
    /// The output.
    pub output: Output,
}
