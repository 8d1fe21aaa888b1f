//! Inputs that end the connection without a word of it in the device file.

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let finding = |(&input, word): (&usize, &Vec<_>)| {
        let (name, word) = (evidence.input(input), evidence.shown(word));
        let text = format!(
            "the connection ends after `{name}`, as in the word `{word}`. The rest of this check takes that as an output: \
             closed = \"(closed)\" in the `reply` of this input does so in a run. Or leave the input out"
        );
        let change = Some(Change::Closed(input));
        Finding { change, ..Finding::shown(FindingKind::ConnectionEnd, text) }
    };
    evidence.ends.iter().map(finding).collect()
}
