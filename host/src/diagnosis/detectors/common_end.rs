//! Bytes that all replies end with, where only their length ends them.

use std::collections::BTreeSet;

use super::super::evidence::Evidence;
use super::super::finding::{Change, CountKey};
use super::super::going_on::{TIMES, comes_with_end};
use super::longer_end::count_key;
use crate::draft::literal;
use crate::escape;

/// The last bytes of all replies, which they have nowhere else.
pub(super) struct CommonEnd {
    bytes: Vec<u8>,
    /// How many replies were heard to their end, and to how many inputs.
    replies: usize,
    inputs: usize,
}

impl CommonEnd {
    /// The fewest such bytes, if a fixed length is the end of all replies, and these have different lengths.
    pub(super) fn of(evidence: &Evidence) -> Option<Self> {
        let rules = &evidence.file.as_ref()?.device().inputs;
        let has_length = |rule| count_key(rule) == Some(CountKey::Length);
        if !rules.iter().all(|rule| rule.waits() || has_length(rule)) {
            return None;
        }
        let (mut replies, mut inputs, mut bodies) = (0, BTreeSet::new(), BTreeSet::new());
        for kept in evidence.exchanges() {
            let Some(input) = kept.input().filter(|&input| !rules[input].waits()) else { continue };
            let rule = &rules[input];
            let is_whole = kept.exchange.is_heard_out || comes_with_end(kept, rule);
            let body = kept.exchange.counted(&rule.reply);
            if is_whole && !body.is_empty() {
                replies += 1;
                inputs.insert(input);
                bodies.insert(body);
            }
        }
        let lengths: BTreeSet<_> = bodies.iter().map(Vec::len).collect();
        if inputs.len() < 2 || lengths.len() < 2 || bodies.len() < TIMES {
            return None;
        }
        let shortest = bodies.iter().min_by_key(|body| body.len())?;
        let ends = (1..=shortest.len()).map(|count| &shortest[shortest.len() - count..]);
        let is_only_at_end = |end: &&[u8]| {
            let first = |body: &Vec<u8>| body.windows(end.len()).position(|bytes| bytes == *end);
            bodies.iter().all(|body| first(body) == Some(body.len() - end.len()))
        };
        let bytes = ends.into_iter().find(is_only_at_end)?.to_vec();
        Some(Self { bytes, replies, inputs: inputs.len() })
    }

    /// What to write in place of the length, and why.
    pub(super) fn remedy(&self) -> String {
        let Self { replies, inputs, .. } = self;
        format!(
            "write `match = {}` and `grace_ms = 0` into [reply], in place of each `length`: each of {replies} replies to \
             {inputs} inputs ends so, and they have different lengths",
            literal(&self.pattern())
        )
    }

    pub(super) fn change(&self) -> Change {
        Change::EndBytes(self.pattern())
    }

    fn pattern(&self) -> String {
        escape::pattern(&self.bytes) + "$"
    }
}
