//! New states keep coming, one for each word of some inputs: the device stores what it is sent.

use super::super::access_words::StoredWords;
use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(StoredWords { access, inputs, states, length }) = evidence.states.store() else {
        return Vec::new();
    };
    let behind = match &access[..] {
        [] => "from the reset on".to_owned(),
        access => format!("after `{}`", evidence.shown(access)),
    };
    let names = inputs.iter().map(|input| format!("`{}`", evidence.input(input.index() as usize)));
    let undo = if evidence.has_file { "undo it in the [[reset]]" } else { "undo it in the reset" };
    let text = format!(
        "states keep coming {behind}: {states} words of {length} inputs out of {} lead to {states} states. If the device stores \
         there what it is sent, and you do not want to learn that, leave out an input that it stores or the one that shows what \
         is stored, {undo}, or keep the content out of the outputs",
        names.collect::<Vec<_>>().join(", ")
    );
    vec![Finding::possible(FindingKind::GrowingWord, text)]
}
