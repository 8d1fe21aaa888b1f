//! What findings say of the answers to a word.

use mealybug_core::Input;

use super::super::evidence::Evidence;
use crate::escape::escape;

/// Begins a sentence about the answers to a word.
pub(super) fn asked(evidence: &Evidence, word: &[Input]) -> String {
    let shown = evidence.shown(word);
    match word.len() {
        1 => format!("From a reset, `{shown}` is answered"),
        _ => format!("The last input of `{shown}` is answered"),
    }
}

/// The output of which this is the reply. A run knows only outputs, and takes them for replies.
pub(super) fn output_of(evidence: &Evidence, reply: &[u8]) -> String {
    match &evidence.file {
        Some(file) => file.device().name_output(reply),
        None => escape(reply),
    }
}

/// How many different answers a word had.
pub(super) fn counts(evidence: &Evidence, word: &[Input]) -> String {
    let asked: u32 = evidence.runs(word).iter().map(|run| run.count).sum();
    format!("{} different answers of {asked}", replies(evidence, word).len())
}

/// The different replies to a word.
pub(super) fn replies<'e>(evidence: &'e Evidence, word: &[Input]) -> Vec<&'e [u8]> {
    let mut replies: Vec<_> = evidence.runs(word).iter().map(|run| run.reply.as_slice()).collect();
    replies.sort_unstable();
    replies.dedup();
    replies
}
