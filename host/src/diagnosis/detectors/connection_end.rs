//! A reset or inputs that end the connection, though the device file does not say so.

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use crate::device::DeviceStep;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    if evidence.ends_after_reset {
        let text = "the connection ends after a reset, before any input. If the reset makes the device start again, end its \
                    `steps` with { reconnect = true }, and `expect` what comes then";
        return vec![Finding::shown(FindingKind::ConnectionEnd, text)];
    }
    if let Some(finding) = after_each_input(evidence) {
        return vec![finding];
    }
    let finding = |(&input, (word, count)): (&usize, &(Vec<_>, u32))| {
        let (name, word) = (evidence.input(input), evidence.shown(word));
        if *count < 2 {
            let text = format!(
                "the connection ended once after `{name}`, in the word `{word}`: was that the device, or the network?"
            );
            return Finding::possible(FindingKind::ConnectionEnd, text);
        }
        let text = format!(
            "the connection ends after `{name}`, as in the word `{word}`, which ends a run. Write closed = \"(closed)\" in the \
             `reply` of this input: then it is an output. Or leave the input out"
        );
        let change = Some(Change::Closed(Some(input)));
        Finding { change, ..Finding::shown(FindingKind::ConnectionEnd, text) }
    };
    evidence.ends.iter().map(finding).collect()
}

/// The finding for a connection that ends after whatever is sent.
fn after_each_input(evidence: &Evidence) -> Option<Finding> {
    let inputs = &evidence.file.as_ref()?.device().inputs;
    let is_each = evidence.ends.len() == inputs.len() && inputs.len() > 1;
    if !is_each || evidence.ends.values().any(|(_, count)| *count < 2) {
        return None;
    }
    let (&input, (word, _)) = evidence.ends.iter().min_by_key(|(_, (word, _))| word.len())?;
    let mut text = format!(
        "the connection ends after each input, as in the word `{}`, which ends a run. closed = \"(closed)\" in [reply] makes \
         an output of it",
        evidence.shown(word)
    );
    let ends_at_once = |(word, _): &(Vec<Input>, u32)| word.len() == 1;
    let connects = DeviceStep::begin_with_reconnect(&inputs[input].steps);
    if evidence.ends.values().all(ends_at_once) && !connects {
        text += &format!(
            ". So that the device gets more than the first input of a word, give each a connection of its own:\n\
             {} = {{ steps = [{{ reconnect = true }}, {{ send = … }}] }}",
            evidence.input(input)
        );
    }
    let change = Some(Change::Closed(None));
    Some(Finding { change, ..Finding::shown(FindingKind::ConnectionEnd, text) })
}
