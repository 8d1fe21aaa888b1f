//! A control byte that comes into replies now and then.

use regex::bytes::Regex;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Example, Finding, FindingKind};
use super::answers_to_word::asked;
use super::strip_line::strip_line;
use crate::short_output::short_both;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    // Answers that were no news when they came may contradict it by now.
    let Some(stray) = evidence.stray.as_ref().and_then(|_| evidence.find_stray()) else {
        return Vec::new();
    };
    let what = match stray.byte {
        0 => "a NUL byte".to_owned(),
        byte => format!("the control byte 0x{byte:02x}"),
    };
    let [usual, odd] = short_both([&stray.usual, &stray.odd]);
    let mut text = format!(
        "{what} came in {} answers that also come without it. {} `{usual}`, or `{odd}`",
        stray.times,
        asked(evidence, &stray.word)
    );
    let pattern = stray.strip.as_str();
    let change = match evidence.has_file {
        true => {
            text += &format!(
                ". If it means nothing, this takes it out, in [reply]:\n{}",
                strip_line(evidence, &[pattern])
            );
            if evidence.keeps_all() {
                text += "\n  ";
                text += &tried(evidence, &stray.strip).unwrap_or_default();
                text += "What else is said here does not count these answers. Check again with it";
            }
            Some(Change::Strip(pattern.to_owned()))
        }
        false => {
            text += ". If it means nothing, let the program take it out";
            None
        }
    };
    let answers = vec![stray.usual.clone(), stray.odd.clone()];
    let example = Some(Example { word: stray.word.clone(), answers });
    // A run keeps too few answers to know that no word is always answered with it.
    let found = if evidence.keeps_all() { Finding::shown } else { Finding::possible };
    vec![Finding { example, change, ..found(FindingKind::StrayByte, text) }]
}

/// What came of trying this pattern on all replies of a check.
fn tried(evidence: &Evidence, strip: &Regex) -> Option<String> {
    let device = evidence.file.as_ref()?.device();
    let (mut again, mut usual, mut hidden) = (0, 0, 0);
    let holds = |bytes: &[u8]| strip.is_match(bytes);
    for kept in evidence.exchanges() {
        let Some(input) = kept.input() else { continue };
        if !kept.exchange.reply.iter().any(|(_, bytes)| holds(bytes)) {
            continue;
        }
        let rule = &device.inputs[input];
        let mut better = rule.clone();
        better.reply.strip.push(strip.clone());
        let (old, new) = (&rule.reply, &better.reply);
        hidden += u32::from(!kept.exchange.meets_end(old) && kept.exchange.meets_end(new));
        let body = kept.exchange.body(device, &better);
        let others = || {
            let of_word = evidence.exchanges().iter().filter(|it| it.word == kept.word);
            of_word.map(|it| it.exchange.body(device, rule)).filter(|body| !holds(body))
        };
        again += u32::from(others().next().is_some());
        usual += u32::from(others().any(|other| other == body));
    }
    let mut text = format!(
        "Tried on all replies: of {again} with it to words that were asked again, {usual} become the usual one. "
    );
    if hidden > 0 {
        text += &format!(
            "In {hidden}, it came after the end and hid it, so that silence ended the reply. "
        );
    }
    (again > 0).then_some(text)
}
