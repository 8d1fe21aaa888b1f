//! A reset that is not over when the first input is sent.

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use super::super::late_resets::LateResets;
use crate::draft::{RESET_WITHIN_MS, literal};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(LateResets { line, pattern, in_time, late, of }) = evidence.late_resets() else {
        return Vec::new();
    };
    let text = format!(
        "the reset is not always over when the first input is sent. In {in_time} of {of} resets a line like `{line}` came in time, and \
         {late} times it came later, like an answer. Let [[reset]] wait for it:\nexpect = {{ match = {}, within_ms = \
         {RESET_WITHIN_MS} }}",
        literal(&pattern)
    );
    let change = Some(Change::Expect(pattern));
    vec![Finding { change, ..Finding::shown(FindingKind::LateReset, text) }]
}
