//! Replies that never meet the end that the file describes.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use crate::serial::{PortStatistics, ReplyCounts};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(PortStatistics { replies, .. }) = &evidence.port else { return Vec::new() };
    let is_unmet = |input: &usize| {
        let counts = &replies[*input];
        counts.unmet >= evidence.enough && counts.unmet == counts.answered
    };
    let unmet: Vec<_> = (0..replies.len()).filter(is_unmet).collect();
    let Some(&first) = unmet.first() else { return Vec::new() };
    let example = &replies[first].unmet_reply;
    let is_met = |counts: &ReplyCounts| counts.unmet < counts.answered;
    if !replies.iter().any(is_met) {
        let text = format!(
            "no reply at all met its `match`, `last_line`, `lines` or `length`: silence ended each, such as \
             `{example}`, and took `within_ms`. `mealybug try` shows how replies end"
        );
        return vec![Finding::shown(FindingKind::WrongEnd, text)];
    }
    let names: Vec<_> = unmet.iter().map(|input| format!("`{}`", evidence.input(*input))).collect();
    let text = format!(
        "no reply to {} met its `match`, `last_line`, `lines` or `length`; silence ended them, such as \
         `{example}`. Does the rule fit? `mealybug try` shows what comes",
        names.join(", ")
    );
    vec![Finding::shown(FindingKind::UnmetEnd, text)]
}
