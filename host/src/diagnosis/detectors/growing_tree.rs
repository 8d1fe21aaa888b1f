//! New states keep coming, one for each word of some inputs: the device stores what it is sent.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use super::super::found_states::StoredWords;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(store) = evidence.states.store() else { return Vec::new() };
    let StoredWords { access, inputs, states, length } = store;
    let behind = match &access[..] {
        [] => "from the reset on".to_owned(),
        access => format!("after `{}`", evidence.shown(access)),
    };
    let names = inputs.iter().map(|input| format!("`{}`", evidence.input(input.index() as usize)));
    let undo = if evidence.has_file { "undo it in the [[reset]]" } else { "undo it in the reset" };
    let text = format!(
        "states keep coming {behind}: at least {states} of the {} words of {length} inputs out of {} lead to a state of their \
         own. If the device stores what it is sent, and you do not want to learn that, leave out an input that it stores or the \
         one that shows what is stored, {undo}, or keep the content out of the outputs",
        store.words(),
        names.collect::<Vec<_>>().join(", ")
    );
    vec![Finding::possible(FindingKind::GrowingWord, text)]
}
