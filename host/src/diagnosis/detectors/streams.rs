//! An input after which the device goes on speaking.

use super::super::evidence::{Evidence, LineStream};
use super::super::finding::{Change, Finding, FindingKind};
use super::strip_line::strip_line;
use crate::escape::escape;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    // Each list is whole: there is one `strip` in a file.
    let mut patterns: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for LineStream { pattern, .. } in &evidence.streams {
        if !patterns.contains(&pattern.as_str()) {
            patterns.push(pattern);
            let alike = evidence.streams.iter().filter(|stream| stream.pattern == *pattern);
            found.push(finding(evidence, &Vec::from_iter(alike), &patterns));
        }
    }
    found
}

/// The finding for inputs after which lines of one kind come; `patterns` are all that `strip` needs.
fn finding(evidence: &Evidence, alike: &[&LineStream], patterns: &[&str]) -> Finding {
    let LineStream { example, pattern, lines, time, .. } = alike[0];
    let all = |name: &dyn Fn(&LineStream) -> String| {
        let names: Vec<_> = alike.iter().map(|stream| format!("`{}`", name(stream))).collect();
        names.join(" and ")
    };
    let text = format!(
        "after {} the device goes on speaking: {lines} lines such as `{}` came in {} s while nothing else was sent, so no end of a reply \
         takes them all. To ignore these lines, write into [reply]:\n{}\n  Or leave {} out",
        all(&|stream| evidence.shown(&stream.word)),
        escape(example),
        time.as_secs(),
        strip_line(evidence, patterns),
        all(&|stream| evidence.input(stream.input()))
    );
    let change = Some(Change::Strip(pattern.clone()));
    Finding { change, ..Finding::shown(FindingKind::Unasked, text) }
}
