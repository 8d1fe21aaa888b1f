//! Replies that never meet the end that the file describes.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use crate::device::ReplySection;
use crate::escape::escape;
use crate::serial::{PortStatistics, ReplyCounts};

/// The most bytes of a common end to show.
const END_BYTES: usize = 8;

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
            "no reply at all met its {}: silence ended each, such as `{example}`, and took `within_ms`.{} `mealybug try` \
             shows how replies end",
            keys(evidence, first),
            common_end(evidence)
        );
        return vec![Finding::shown(FindingKind::WrongEnd, text)];
    }
    let names: Vec<_> = unmet.iter().map(|input| format!("`{}`", evidence.input(*input))).collect();
    let text = format!(
        "no reply to {} met its {}; silence ended them, such as `{example}`. Does the rule fit? `mealybug try` shows what \
         comes",
        names.join(", "),
        keys(evidence, first)
    );
    vec![Finding::shown(FindingKind::UnmetEnd, text)]
}

/// The keys that say how the reply to an input ends.
fn keys(evidence: &Evidence, input: usize) -> String {
    let rule = evidence.file.as_ref().map(|file| &file.device().inputs[input].reply);
    let keys = rule.into_iter().flat_map(ReplySection::end_keys);
    let keys: Vec<_> = keys.map(|key| format!("`{key}`")).collect();
    match keys.is_empty() {
        true => "`match`, `last_line`, `lines` or `length`".to_owned(),
        false => keys.join(" or "),
    }
}

/// What all replies end with, if that is more than letters and digits.
fn common_end(evidence: &Evidence) -> String {
    let replies = evidence.answers().flat_map(|(_, runs)| runs).map(|run| run.reply.as_slice());
    let mut replies = replies.filter(|reply| !reply.is_empty());
    let Some(first) = replies.next() else { return String::new() };
    let common = replies.fold(first, |end, reply| {
        let same = end.iter().rev().zip(reply.iter().rev()).take_while(|(one, other)| one == other);
        &end[end.len() - same.count()..]
    });
    let end = &common[common.len().saturating_sub(END_BYTES)..];
    match end.last() {
        Some(last) if !last.is_ascii_alphanumeric() => {
            format!(" All of them end with `{}`.", escape(end))
        }
        _ => String::new(),
    }
}
