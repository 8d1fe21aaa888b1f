//! A larger number of lines or bytes, where replies go on after a smaller one.

use super::super::evidence::Evidence;
use super::super::finding::{Change, CountKey};
use super::super::going_on::{TIMES, comes_with_end};
use crate::device::{InputRule, ReplyLength, ReplySection};

/// A number of lines or bytes after which replies end, in place of a smaller one.
pub(super) struct LongerEnd {
    key: CountKey,
    count: usize,
    /// How many replies were heard to their end. Each has that many.
    replies: usize,
}

impl LongerEnd {
    /// That of the replies to these inputs, if nothing but such a number ends them.
    pub(super) fn of(evidence: &Evidence, inputs: &[usize]) -> Option<Self> {
        let device = evidence.file.as_ref()?.device();
        let mut keys = inputs.iter().map(|&input| count_key(&device.inputs[input]));
        let key = keys.next()??;
        if keys.any(|other| other != Some(key)) {
            return None;
        }
        let (mut whole, mut others) = (Vec::new(), Vec::new());
        let mut comes_at_once = false;
        for kept in evidence.exchanges() {
            let Some(input) = kept.input().filter(|input| inputs.contains(input)) else { continue };
            let rule = &device.inputs[input];
            let counted = kept.exchange.counted(&rule.reply);
            let count = match key {
                CountKey::Length => counted.len(),
                // What has no line end yet may go on.
                CountKey::Lines if !counted.ends_with(b"\n") => 0,
                CountKey::Lines => counted.iter().filter(|byte| **byte == b'\n').count(),
            };
            let is_at_once = comes_with_end(kept, rule);
            comes_at_once |= is_at_once;
            match kept.exchange.is_heard_out {
                _ if counted.is_empty() => {}
                true => whole.push(count),
                // What came with the end may be a part of the rest.
                false if is_at_once => {}
                false => others.push(count),
            }
        }
        // Where more comes with the end, a reply without it has no more.
        if comes_at_once {
            whole.append(&mut others);
        }
        let count = *whole.first().filter(|count| **count > 0)?;
        let is_enough = whole.len() >= TIMES && whole.iter().all(|other| *other == count);
        // Replies go on after the number that the file says now.
        let is_longer = inputs.iter().all(|&input| count_of(&device.inputs[input]) < Some(count));
        (is_enough && is_longer).then_some(Self { key, count, replies: whole.len() })
    }

    /// What to write there, and why.
    pub(super) fn remedy(&self, place: &str) -> String {
        let Self { key, count, replies } = self;
        let what = match key {
            CountKey::Lines => "lines",
            CountKey::Length => "bytes",
        };
        let key = key.name();
        format!(
            "{key} = {count} in {place} takes all: each of {replies} replies has that many {what}"
        )
    }

    pub(super) fn change(&self, input: Option<usize>) -> Change {
        Change::Longer { key: self.key, input, count: self.count }
    }
}

/// The number of lines or bytes that ends the replies to an input.
fn count_of(input: &InputRule) -> Option<usize> {
    let ReplySection { lines, length, .. } = &input.reply;
    match length {
        Some(ReplyLength::Fixed(bytes)) => Some(*bytes),
        _ => *lines,
    }
}

/// The key whose number of lines or bytes ends the replies to an input, if nothing else does.
pub(super) fn count_key(input: &InputRule) -> Option<CountKey> {
    let rule = &input.reply;
    if input.waits() || rule.end_keys().count() > 1 || rule.checksum.is_some() {
        return None;
    }
    let is_fixed = matches!(rule.length, Some(ReplyLength::Fixed(_)));
    rule.lines.map(|_| CountKey::Lines).or(is_fixed.then_some(CountKey::Length))
}
