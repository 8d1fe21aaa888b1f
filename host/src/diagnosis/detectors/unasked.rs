//! A device that speaks unasked.

use regex::bytes::Regex;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use super::super::unasked::{InResets, UnaskedLine, in_resets};
use super::strip_line::strip_line;
use crate::escape::escape;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for line in &evidence.unasked {
        // Each list is whole: there is one `strip` in a file.
        let stripped = found.iter().filter_map(|finding| match &finding.change {
            Some(Change::Strip(pattern)) => Some(pattern.as_str()),
            _ => None,
        });
        let own = line.strip();
        let stripped: Vec<_> = stripped.chain([own.as_str()]).collect();
        let strip = strip_line(evidence, &stripped);
        found.push(finding(evidence, line, &strip));
    }
    found
}

/// What to do if a line in the rest of the reply to this input comes at its own time.
pub(super) fn at_its_own_time(evidence: &Evidence, input: usize, rest: &[u8]) -> String {
    let Some(line) = evidence.moving_line(input, rest) else { return String::new() };
    if in_resets_of(evidence, &line) != InResets::Other {
        return String::new();
    }
    let others = line.inputs.iter().filter(|&&other| other != input);
    let others: Vec<_> = others.map(|&other| format!("`{}`", evidence.input(other))).collect();
    format!(
        ". A line like `{}` also came on top of the replies to {}, or after them: if the device says it at its own time, and it \
         tells nothing that you want to learn, this takes it out, in [reply]:\n{}",
        escape(&line.example),
        others.join(", "),
        strip_line(evidence, &[&line.strip()])
    )
}

/// What is said of a line that came unasked; `strip` is the line of a device file that takes it out.
fn finding(evidence: &Evidence, line: &UnaskedLine, strip: &str) -> Finding {
    if !evidence.is_by_itself(line) {
        return only_on_top(evidence, line, strip);
    }
    let in_resets = in_resets_of(evidence, line);
    let remedy = match in_resets {
        InResets::Awaited => {
            "The [[reset]] waits for such a line, so `strip` must not take it out: does the device restart by itself? If \
             not, let the [[reset]] wait for another text"
                .to_owned()
        }
        _ => format!(
            "If it tells nothing that you want to learn, this takes it out, in [reply]:\n{strip}\n  {}What else is said here \
             does not count these lines. Check again with it",
            lengths(evidence)
        ),
    };
    let text = format!(
        "the device speaks unasked: a line like `{}` came {} times on top of the replies to {}, or after them, or after a \
         reset. {remedy}",
        escape(&line.example),
        line.times,
        names(evidence, line)
    );
    let can_strip = in_resets != InResets::Awaited;
    let change = can_strip.then(|| Change::Strip(line.strip()));
    Finding { change, ..Finding::shown(FindingKind::Unasked, text) }
}

/// The finding for a line that came on top of replies, and not while the device was only listened to.
fn only_on_top(evidence: &Evidence, line: &UnaskedLine, strip: &str) -> Finding {
    let (heard, lasted) = match evidence.listening.times(line) {
        None => (String::new(), String::new()),
        Some((count, lasted)) => {
            let often = match count {
                0 => "never".to_owned(),
                1 => "only once".to_owned(),
                count => format!("only {count} times"),
            };
            let lasted = format!(". It listened for {} s", lasted.as_secs());
            (format!(", and {often} while nothing was asked"), lasted)
        }
    };
    let each = line.follows.map_or_else(String::new, |input| {
        format!(", each time in a word with `{}`", evidence.input(input))
    });
    let remedy = match in_resets_of(evidence, line) {
        // What it says is to be learned.
        _ if line.is_of_its_answer => String::new(),
        InResets::Other => format!(
            "If the device says it unasked, and it tells nothing that you want to learn, this takes it out, in \
             [reply]:\n{strip}\n  "
        ),
        _ => "Resets say it, too: it may say that the device has restarted. ".to_owned(),
    };
    let text = format!(
        "a line like `{}` came {} times on top of the replies to {}, or after them{each}{heard}: {}. {remedy}What else is said here \
         does not count these lines{lasted}",
        escape(&line.example),
        line.times,
        names(evidence, line),
        late_part(evidence, line)
    );
    match evidence.is_taken_out {
        true => Finding::shown(
            FindingKind::Unasked,
            text + ". As it is, answers are not stable: a run cannot learn the device",
        ),
        false => Finding::possible(FindingKind::Unasked, text),
    }
}

/// Of which answer the line may be a late part, and what that input needs then.
fn late_part(evidence: &Evidence, line: &UnaskedLine) -> String {
    let whose = line.follows.map(|input| format!("`{}`", evidence.input(input)));
    let whose = whose.unwrap_or_else(|| "an input before it".to_owned());
    let is_part = match line.is_of_its_answer {
        true => format!(
            "it is a late part of the answer to {whose}, which holds it most of the time. That input needs"
        ),
        false => format!("it may be a late part of the answer to {whose}. Then that input needs"),
    };
    let file = evidence.file.as_ref().zip(line.follows);
    let waits = file.is_some_and(|(file, input)| file.device().inputs[input].waits());
    let wait = if waits { "a longer `wait_ms`" } else { "a `wait_ms` beside what it sends" };
    format!("{is_part} a reply that ends after it, or {wait}")
}

/// The inputs after which it came.
fn names(evidence: &Evidence, line: &UnaskedLine) -> String {
    let names: Vec<_> = line.inputs.iter().map(|&it| format!("`{}`", evidence.input(it))).collect();
    names.join(", ")
}

/// What to do where `length` may end a reply in the middle of a line, before the whole line is taken out.
fn lengths(evidence: &Evidence) -> String {
    let file = evidence.file.iter();
    let inputs = file.flat_map(|file| file.device().inputs.iter());
    let has_length = inputs.filter(|input| input.reply.length.is_some());
    let names: Vec<_> = has_length.map(|input| format!("`{}`", input.name)).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "`strip` takes out whole lines, and `length` may end a reply in the middle of one: end replies by `match` instead (those to \
         {}). ",
        names.join(", ")
    )
}

/// What lines like this are to resets.
fn in_resets_of(evidence: &Evidence, line: &UnaskedLine) -> InResets {
    match (&evidence.file, Regex::new(&line.pattern)) {
        (Some(file), Ok(pattern)) => in_resets(evidence.exchanges(), &pattern, file.device()),
        _ => InResets::Other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::super::super::device_file::EditableDeviceFile;
    use super::*;
    use crate::device::DeviceFile;
    use crate::line_kind::LineEnd;

    #[test]
    fn a_part_of_an_answer_is_never_taken_out() {
        let found = |join: &str, is_of_its_answer| {
            let text = format!(
                "[[reset]]\nsteps = [{{ send = \"r\" }}]\n[reply]\nlines = 1\n[inputs]\njoin = {join}\ntx = \"tx\\n\""
            );
            let device = DeviceFile::parse(Path::new("modem.toml"), &text).expect("a device file");
            let file = EditableDeviceFile::new(device, &text).expect("TOML");
            let mut evidence = Evidence::of_file(file);
            evidence.unasked = vec![UnaskedLine {
                example: b"accepted".to_vec(),
                end: LineEnd::of([&b"accepted\n"[..]]),
                pattern: "accepted\\r?\\n".to_owned(),
                follows_blank: false,
                inputs: BTreeSet::from([1]),
                times: 7,
                follows: Some(0),
                is_of_its_answer,
                as_answer: 0,
            }];
            let [finding] = &find(&evidence)[..] else { panic!("one finding") };
            finding.text.clone()
        };
        let sends = r#"{ send = "join\n" }"#;
        let waits = r#"{ send = "join\n", wait_ms = 900 }"#;
        let text = found(waits, true);
        let part = "it is a late part of the answer to `join`, which holds it most of the time. That input needs a reply that ends \
                    after it, or a longer `wait_ms`. What";
        assert!(text.contains(part) && !text.contains("strip"), "{text}");
        let text = found(sends, true);
        assert!(text.contains("or a `wait_ms` beside what it sends. What"), "{text}");
        let text = found(sends, false);
        assert!(text.contains("may be a late part of the answer to `join`"), "{text}");
        assert!(text.contains(r"strip = ['accepted\r?\n']"), "{text}");
    }
}
