//! Replies that never meet the end that the file describes.

use mealybug_core::Input;

use super::super::evidence::{END_BYTES, Evidence};
use super::super::finding::{Change, Finding, FindingKind};
use super::super::new_match::can_match;
use super::super::reply_times::Timing;
use super::common_end::CommonEnd;
use crate::device::ReplySection;
use crate::draft::literal;
use crate::escape::{escape, pattern as pattern_of};
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
    let is_met = |(counts, timing): (&ReplyCounts, &Timing)| {
        counts.unmet + timing.broken_off < counts.answered
    };
    if !replies.iter().zip(&evidence.timings).any(is_met) {
        return vec![none_met(evidence, first, example)];
    }
    let names: Vec<_> = unmet.iter().map(|input| format!("`{}`", evidence.input(*input))).collect();
    let slow = format!(
        "no reply to {} met its {}; silence ended them, such as `{example}`. ",
        names.join(", "),
        keys(evidence, first)
    );
    let Some((end, better)) = with_prompt(evidence, &unmet) else {
        let text = format!("{slow}Does the rule fit? `mealybug try` shows what comes");
        return vec![Finding::shown(FindingKind::UnmetEnd, text)];
    };
    let text = format!(
        "{slow}All of them end with `{}`: is that another prompt? Then this takes it for an end, too, in [reply]:\nmatch = {}",
        escape(&end),
        literal(&better)
    );
    let change = Some(Change::Match(better));
    vec![Finding { change, ..Finding::shown(FindingKind::UnmetEnd, text) }]
}

/// The finding where silence ended each reply, such as this one to the `first` input.
fn none_met(evidence: &Evidence, first: usize, example: &str) -> Finding {
    let keys = keys(evidence, first);
    let text = format!(
        "no reply at all met its {keys}: silence ended each, such as `{example}`, and took `within_ms`."
    );
    if let Some(end) = CommonEnd::where_unmet(evidence, keys) {
        let change = Some(end.change());
        let text = format!("{text} To end them at once, {}", end.remedy());
        return Finding { change, ..Finding::shown(FindingKind::WrongEnd, text) };
    }
    let inputs: Vec<_> = (0..evidence.timings.len()).collect();
    let end = common_end(evidence, &inputs)
        .map(|end| format!(" All of them end with `{}`.", escape(&end)))
        .unwrap_or_default();
    let text = format!("{text}{end} `mealybug try` shows how replies end");
    Finding::shown(FindingKind::WrongEnd, text)
}

/// The prompt at which the replies to these inputs end, and a `match` that takes it for an end, too.
fn with_prompt(evidence: &Evidence, unmet: &[usize]) -> Option<(Vec<u8>, String)> {
    let end = common_end(evidence, unmet)?;
    // A prompt is no whole line: those are parts of other replies, too.
    let line = end.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next()?;
    let now = evidence.file.as_ref()?.common_match(unmet)?;
    let better = format!("(?:{now})|{}$", pattern_of(line));
    let is_prompt = !line.is_empty() && can_match(evidence, &better, unmet);
    is_prompt.then(|| (line.to_vec(), better))
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

/// The last bytes of all replies to these inputs, if the last one is no letter or digit.
fn common_end(evidence: &Evidence, inputs: &[usize]) -> Option<Vec<u8>> {
    let is_of = |word: &[Input]| {
        word.last().is_some_and(|input| inputs.contains(&(input.index() as usize)))
    };
    let words = evidence.answers().filter(|(word, _)| is_of(word));
    let replies = words.flat_map(|(_, runs)| runs).map(|run| run.reply.as_slice());
    let mut replies = replies.filter(|reply| !reply.is_empty());
    let first = replies.next()?;
    let common = replies.fold(first, |end, reply| {
        let same = end.iter().rev().zip(reply.iter().rev()).take_while(|(one, other)| one == other);
        &end[end.len() - same.count()..]
    });
    let end = &common[common.len().saturating_sub(END_BYTES)..];
    end.last().filter(|last| !last.is_ascii_alphanumeric()).map(|_| end.to_vec())
}
