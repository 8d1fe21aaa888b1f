//! Words that failed; each reason is reported once.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let words = evidence.words();
    let fault = |(message, count): &(String, u32)| {
        Finding::shown(FindingKind::Fault, format!("{count} of {words} words failed: {message}"))
    };
    evidence.faults.iter().map(fault).collect()
}
