//! New states keep coming along one word: the device counts or stores something.

use std::time::Duration;

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

/// A word grows if this many inputs at its end repeat a sequence.
pub(in super::super) const GROWN: usize = 16;
/// The same on a slow device, which would take hours for [`GROWN`]: once it has taken [`LONG`], and each of the last
/// [`IN_SUCCESSION`] states lies behind the one before it.
const GROWING: usize = 6;
/// How often a sequence must be there. Three tries of a password are no growth.
const TIMES: usize = 5;
/// How many states must lie behind each other on a slow device.
const IN_SUCCESSION: usize = 4;
/// How long a device must have taken to count as slow.
const LONG: Duration = Duration::from_secs(60);
/// The sequence has at most this many inputs.
const PERIOD: usize = 3;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let (access, states) = &evidence.states.newest;
    let is_growing = evidence.states.behind_each_other >= IN_SUCCESSION && evidence.spent >= LONG;
    let grown = if is_growing { GROWING } else { GROWN };
    let Some(period) = period(access, grown) else { return Vec::new() };
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

/// The length of the sequence that the last `grown` inputs of a word repeat, if they do.
fn period(word: &[Input], grown: usize) -> Option<usize> {
    let is_repeated = |&period: &usize| {
        let end = word.len().checked_sub(grown.max(TIMES * period)).map(|from| &word[from..]);
        end.is_some_and(|end| end.iter().zip(&end[period..]).all(|(one, other)| one == other))
    };
    (1..=PERIOD).find(is_repeated)
}
