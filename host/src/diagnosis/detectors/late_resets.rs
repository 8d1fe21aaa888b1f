//! A reset that is not over when the first input is sent.

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use super::super::late_resets::LateResets;
use crate::draft::{RESET_WITHIN_MS, literal};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(LateResets { pattern, in_time, late, of }) = evidence.late_resets() else {
        return Vec::new();
    };
    let pattern = format!("{pattern}$");
    let text = format!(
        "the reset is not always over when the first input is sent. In {in_time} of {of} resets the device had said by then what `{}` \
         fits, and {late} times it came later, as if it were an answer. Let [[reset]] wait for it:\nexpect = {{ match = {}, within_ms \
         = {RESET_WITHIN_MS} }}",
        pattern.trim_end_matches(r"\r?\n$"),
        literal(&pattern)
    );
    let change = Some(Change::Expect(pattern));
    vec![Finding { change, ..Finding::shown(FindingKind::LateReset, text) }]
}
