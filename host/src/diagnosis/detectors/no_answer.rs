//! A device that never sent anything.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let given: u32 = evidence.timings.iter().map(|timing| timing.count).sum();
    let silences: u32 = evidence.timings.iter().map(|timing| timing.silences).sum();
    if given == 0 || silences < given {
        return Vec::new();
    }
    let text = format!(
        "not one of {given} inputs was answered. Are port and `baud` right, is the device on, do its \
         lines end in \\r or \\n?"
    );
    vec![Finding::shown(FindingKind::NoAnswer, text)]
}
