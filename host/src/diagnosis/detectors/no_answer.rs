//! A device that never sent anything.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use crate::serial::PortStatistics;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(port) = &evidence.port else { return Vec::new() };
    let given: u32 = port.replies.iter().map(|replies| replies.silent).sum();
    let is_answered = port.replies.iter().any(|replies| replies.answered > 0);
    let is_late = evidence.timings.iter().any(|timing| timing.late > 0);
    // A device that is lost was not asked much.
    if given < evidence.enough || is_answered || is_late || evidence.lost.is_some() {
        return Vec::new();
    }
    let text = format!("not one of {given} inputs was answered. {}", advice(port));
    vec![Finding::shown(FindingKind::NoAnswer, text)]
}

/// What to look at, by what was counted at the port.
pub(in super::super) fn advice(port: &PortStatistics) -> String {
    let why = match (port.is_heard_at_reset, port.has_baud) {
        (true, _) => {
            "Resets are answered: do the inputs end as the device wants it, in \\r, \\n or both? Is the reset over before the first \
             input, or does the device say more, later?"
        }
        (false, true) => {
            "Are port and `baud` right, is the device on, is its reset over before the first input, do its lines end in \\r, \\n or both?"
        }
        (false, false) => {
            "Is the port right, is the device on, is its reset over before the first input, do its lines end in \\r, \\n or both?"
        }
    };
    format!("{why} If only longer words are answered, give one in a file: --words FILE")
}
