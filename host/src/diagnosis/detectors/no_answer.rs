//! A device that never sent anything.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let given: u32 = evidence.timings.iter().map(|timing| timing.count).sum();
    let silences: u32 = evidence.timings.iter().map(|timing| timing.silences).sum();
    if given == 0 || silences < given {
        return Vec::new();
    }
    let why = match (evidence.heard_at_reset, evidence.has_baud) {
        (true, _) => "The resets were: do the inputs end as the device wants it, in \\r or \\n?",
        (false, true) => {
            "Are port and `baud` right, is the device on, do its lines end in \\r or \\n?"
        }
        (false, false) => "Is the port right, is the device on, do its lines end in \\r or \\n?",
    };
    let words = evidence.words();
    let text = format!(
        "not one of {given} inputs in {words} words was answered. {why} If only longer words are \
         answered, give one in a file: --words FILE"
    );
    vec![Finding::shown(FindingKind::NoAnswer, text)]
}
