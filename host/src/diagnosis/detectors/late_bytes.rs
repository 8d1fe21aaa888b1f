//! Bytes that come after the end of replies.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
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
