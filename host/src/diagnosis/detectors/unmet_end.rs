//! Replies that never meet the end that the file describes.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let timings = evidence.timings.iter().enumerate();
    let unmet = timings
        .filter(|(_, timing)| timing.unmet > 0 && timing.unmet == timing.count - timing.silences);
    let names: Vec<_> = unmet.map(|(input, _)| format!("`{}`", evidence.input(input))).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let text = format!(
        "no reply to {} met its `match`, `lines` or `length`; silence ended them. Does the rule fit? \
         `mealybug try` shows what comes.",
        names.join(", ")
    );
    vec![Finding::shown(FindingKind::UnmetEnd, text)]
}
