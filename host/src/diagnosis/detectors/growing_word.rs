//! New states keep coming along one word: the device counts or stores something.

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

/// A word grows if its last `GROWN` inputs...
pub(in super::super) const GROWN: usize = 16;
/// ...repeat a sequence of at most this many inputs.
const PERIOD: usize = 3;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let (access, states) = &evidence.newest_state;
    let Some(period) = period(access) else { return Vec::new() };
    let repeated = evidence.shown(&access[access.len() - period..]);
    let undo = if evidence.has_file { "undo it in the [[reset]]" } else { "undo it in the reset" };
    let text = format!(
        "states keep coming along one word: the newest of {states} is reached by {} inputs that end in \
         `{repeated}` again and again. If the device counts or stores something there that you do not \
         want to learn, leave that input out, {undo}, or keep the number out of the outputs",
        access.len()
    );
    vec![Finding::possible(FindingKind::GrowingWord, text)]
}

/// The length of the sequence that the end of a long word repeats, if it does.
fn period(word: &[Input]) -> Option<usize> {
    let end = &word[word.len().checked_sub(GROWN)?..];
    (1..=PERIOD).find(|&period| end.iter().zip(&end[period..]).all(|(one, other)| one == other))
}
