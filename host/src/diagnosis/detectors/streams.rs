//! An input after which the device goes on speaking.

use super::super::evidence::{Evidence, LineStream};
use super::super::finding::{Change, Finding, FindingKind};
use super::strip_line::strip_line;
use crate::escape::escape;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let patterns: Vec<_> = evidence.streams.iter().map(|stream| stream.pattern.as_str()).collect();
    // Each list is whole: there is one `strip` in a file.
    let numbered = evidence.streams.iter().zip(1..);
    numbered.map(|(stream, count)| finding(evidence, stream, &patterns[..count])).collect()
}

fn finding(evidence: &Evidence, stream: &LineStream, patterns: &[&str]) -> Finding {
    let LineStream { word, example, pattern, lines, time } = stream;
    let input = evidence.input(stream.input());
    let text = format!(
        "after `{}` the device goes on speaking: {lines} lines like `{}` came in {} s while nothing else was sent, so no end of the \
         reply to `{input}` takes them all. If they tell nothing that you want to learn, this takes them out, in [reply]:\n{}\n  Else \
         leave `{input}` out",
        evidence.shown(word),
        escape(example),
        time.as_secs(),
        strip_line(evidence, patterns)
    );
    let change = Some(Change::Strip(pattern.clone()));
    Finding { change, ..Finding::shown(FindingKind::Unasked, text) }
}
