//! A reset that is not over when the first input is sent.

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use super::super::going_on::LateRest;
use super::super::late_resets::LateResets;
use crate::draft::{RESET_WITHIN_MS, literal};
use crate::escape::excerpt;
use crate::line_kind::line_pattern;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    if let Some(finding) = of_all_resets(evidence) {
        return vec![finding];
    }
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

/// The finding where the device says after each reset that it is over.
fn of_all_resets(evidence: &Evidence) -> Option<Finding> {
    let said = evidence.said_by_each_reset()?;
    let mut pattern = said.end_pattern()?;
    let LateRest { bytes, ms } = &said.rest;
    let device = evidence.file.as_ref()?.device();
    let mut expected = device.resets.iter().filter_map(|reset| reset.expect.as_ref());
    if expected.any(|expect| expect.pattern.is_match(bytes)) {
        // An earlier line looks like the last one: only all of them tell the end.
        pattern = line_pattern(bytes);
    }
    let text = format!(
        "the reset is not over when the first input is sent: when nothing was sent, `{}` came up to {:.0} ms after the reset, each time. \
         What is sent before that may not be heard. Let [[reset]] wait for the end of it:\nexpect = {{ match = {}, within_ms = \
         {RESET_WITHIN_MS} }}",
        excerpt(bytes),
        ms,
        literal(&pattern)
    );
    let change = Some(Change::Expect(pattern));
    Some(Finding { change, ..Finding::shown(FindingKind::LateReset, text) })
}
