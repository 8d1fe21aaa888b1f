//! Bytes that come after the end of replies.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use super::super::going_on::{LateRest, going_on};
use crate::escape::excerpt;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let on = goes_on(evidence);
    if !on.is_empty() {
        return on;
    }
    let words = evidence.port.as_ref().map_or(0, |port| port.suspect_words);
    let were = match words {
        0 => return Vec::new(),
        1 => "1 word was".to_owned(),
        words => format!("{words} words were"),
    };
    let text = format!(
        "{were} asked again, since bytes came after the end of the last reply; `settle_ms` in [reply] \
         would wait for them"
    );
    vec![Finding::possible(FindingKind::LateBytes, text)]
}

/// The findings for inputs whose replies go on.
fn goes_on(evidence: &Evidence) -> Vec<Finding> {
    let Some(file) = &evidence.file else { return Vec::new() };
    let finding = |(input, LateRest { bytes, ms })| {
        let name = evidence.input(input);
        let text = format!(
            "the reply to `{name}` goes on after its end: `{}` came up to {ms:.0} ms after the input. If that belongs to it, \
             give `{name}` its own `reply`: `lines`, or the last line (`last_line`)",
            excerpt(&bytes)
        );
        Finding::shown(FindingKind::LateBytes, text)
    };
    going_on(evidence.exchanges(), &file.device().inputs).into_iter().map(finding).collect()
}
