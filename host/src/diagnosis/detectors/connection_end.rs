//! A reset or inputs that end the connection, though the device file does not say so.

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    if evidence.ends_after_reset {
        let text = "the connection ends after a reset, before any input. If the reset makes the device start again, end its \
                    `steps` with { reconnect = true }, and `expect` what comes then";
        return vec![Finding::shown(FindingKind::ConnectionEnd, text)];
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
        let change = Some(Change::Closed(input));
        Finding { change, ..Finding::shown(FindingKind::ConnectionEnd, text) }
    };
    evidence.ends.iter().map(finding).collect()
}
