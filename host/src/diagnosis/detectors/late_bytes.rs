//! Bytes that come after the end of replies.

use std::collections::BTreeMap;
use std::time::Duration;

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::field::is_text;
use super::super::finding::{Change, Example, Finding, FindingKind, Key};
use super::super::going_on::{LateRest, TriedRest, going_on, late_rest};
use super::common_end::CommonEnd;
use super::double_line_end;
use super::longer_end::LongerEnd;
use super::unasked::at_its_own_time;
use crate::escape::excerpt;

/// The silence that ends a reply is to be longer than its longest pause, in tenths of it.
const MARGIN_TENTHS: u32 = 25;
/// The proposed silence is a multiple of this.
const STEP_MS: u64 = 50;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let on = goes_on(evidence);
    if !on.is_empty() {
        return on;
    }
    let words = evidence.port.as_ref().map_or(0, |port| port.suspect_words);
    let were = match words {
        0 => return Vec::new(),
        1 => "1 word was".to_owned(),
        words => format!("{words} words were"),
    };
    let text = format!(
        "{were} asked again, since bytes came after the end of the last reply. That costs little while it is rare; if it is not, let \
         replies end later: more `lines`, a stricter `match`, a longer `quiet_ms` or `within_ms`"
    );
    vec![Finding::possible(FindingKind::LateBytes, text)]
}

/// Whether replies go on after their end. What a reply leaves comes after the replies to other inputs, too, so the findings for the
/// replies count the words that failed because bytes came late, and say what to do.
pub(super) fn explains_failures(evidence: &Evidence) -> bool {
    !goes_on(evidence).is_empty()
}

/// How many words failed because bytes came late, as the end of a text; empty if none did.
fn failed_words(evidence: &Evidence) -> String {
    match evidence.late_failures() {
        0 => String::new(),
        count => {
            let words = evidence.words();
            format!(". As it is, bytes came late in {count} of {words} words, which failed")
        }
    }
}

/// The findings for inputs whose replies go on. The first of them says how many words failed because of that.
fn goes_on(evidence: &Evidence) -> Vec<Finding> {
    let mut failed = failed_words(evidence);
    if let Some(doubled) = double_line_end::find(evidence, &failed) {
        return vec![doubled];
    }
    let Some(file) = &evidence.file else { return Vec::new() };
    let mut rests = going_on(evidence.exchanges(), &file.device().inputs);
    rests.retain(|&input, _| !evidence.goes_on_speaking(input));
    if rests.len() > 1 && rests.len() == file.device().inputs.len() {
        return of_all(evidence, &rests, &failed).into_iter().collect();
    }
    // One change mends all of them.
    let common = CommonEnd::of(evidence);
    let finding = |(input, LateRest { bytes, ms })| {
        let name = evidence.input(input);
        let (remedy, change) = match better_end(evidence, input, common.as_ref()) {
            Some((remedy, change)) => (remedy, Some(change)),
            None => (
                format!("give `{name}` its own `reply`: {}", later_end(evidence, input, &bytes)),
                None,
            ),
        };
        let text = format!(
            "the reply to `{name}` goes on after its end: {}. If that belongs to it, {remedy}{}{}",
            heard(&bytes, ms),
            std::mem::take(&mut failed),
            at_its_own_time(evidence, input, &bytes)
        );
        let finding = Finding { change, ..Finding::shown(FindingKind::LateBytes, text) };
        with_rest(finding, input, &bytes)
    };
    let is_other = |rest: &&TriedRest| {
        !rests.contains_key(&rest.input) && !evidence.goes_on_speaking(rest.input)
    };
    let others = evidence.rests.iter().filter(is_other);
    let in_some: Vec<_> =
        others.filter_map(|rest| in_some_states(evidence, rest, common.as_ref())).collect();
    let mut findings: Vec<_> = rests.into_iter().map(finding).chain(in_some).collect();
    if common.is_some() {
        findings.truncate(1);
    }
    // If all findings are for some states only, the first of them says it.
    if let Some(first) = findings.first_mut() {
        first.text += &failed;
    }
    findings
}

/// The finding for a device each of whose replies goes on.
fn of_all(evidence: &Evidence, rests: &BTreeMap<usize, LateRest>, failed: &str) -> Option<Finding> {
    let (&input, LateRest { bytes, ms }) =
        rests.iter().max_by(|(_, one), (_, other)| one.ms.total_cmp(&other.ms))?;
    let file = evidence.file.as_ref()?;
    let all = Vec::from_iter(rests.keys().copied());
    // What [reply] says holds for all of them.
    let is_common = !all.iter().any(|input| file.has_own_end(*input));
    let longer = LongerEnd::of(evidence, &all).filter(|_| is_common);
    let (remedy, change) = match (longer, CommonEnd::of(evidence)) {
        (Some(longer), _) => (longer.remedy("[reply]"), Some(longer.change(None))),
        (None, Some(common)) => (common.remedy(), Some(common.change())),
        (None, None) => {
            (format!("let [reply] end later: {}", later_end(evidence, input, bytes)), None)
        }
    };
    let is_same = rests.values().all(|rest| rest.bytes == *bytes);
    let of_reset = match is_same && change.is_none() {
        true => ". If the reset says it so late, let [[reset]] `expect` it",
        false => "",
    };
    let text = format!(
        "the replies to all inputs go on after their end, such as that to `{}`: {}. If that belongs to them, \
         {remedy}{of_reset}{failed}",
        evidence.input(input),
        heard(bytes, *ms)
    );
    let finding = Finding { change, ..Finding::shown(FindingKind::LateBytes, text) };
    Some(with_rest(finding, input, bytes))
}

/// What came behind the end of a reply, and when.
fn heard(rest: &[u8], ms: f64) -> String {
    format!("`{}` came up to {:.0} ms after the input", excerpt(rest), ms.ceil().max(1.0))
}

/// The finding with the rest of the reply to an input as its example.
fn with_rest(finding: Finding, input: usize, rest: &[u8]) -> Finding {
    let word = u32::try_from(input).map(|input| vec![Input::new(input)]).unwrap_or_default();
    Finding { example: Some(Example { word, answers: vec![excerpt(rest)] }), ..finding }
}

/// The finding for an input whose reply goes on in some states only.
fn in_some_states(
    evidence: &Evidence,
    rest: &TriedRest,
    common: Option<&CommonEnd>,
) -> Option<Finding> {
    let TriedRest { input, word, times } = rest;
    let file = evidence.file.as_ref()?;
    let rule = &file.device().inputs[*input].reply;
    let of_word = evidence.exchanges().iter().filter(|kept| kept.word == *word);
    let rests = of_word.filter_map(|kept| late_rest(kept, &file.device().inputs[*input]));
    let LateRest { bytes, ms } = rests.max_by(|one, other| one.ms.total_cmp(&other.ms))?;
    let (name, shown) = (evidence.input(*input), evidence.shown(word));
    let without = match word.len() {
        1 => String::new(),
        len => format!(", and nothing after `{}`", evidence.shown(&word[..len - 1])),
    };
    let mut text = format!(
        "the reply to `{name}` goes on after its end in some states: after `{shown}`, {}, {times} of {times} times when nothing \
         else was sent{without}. ",
        heard(&bytes, ms)
    );
    let example = Some(Example { word: word.clone(), answers: vec![excerpt(&bytes)] });
    if let Some((remedy, change)) = better_end(evidence, *input, common) {
        text += "If that belongs to it, ";
        text += &remedy;
        let change = Some(change);
        return Some(Finding { example, change, ..Finding::shown(FindingKind::LateBytes, text) });
    }
    let can_wait = !file.has_own_end(*input) && rule.checksum.is_none();
    let quiet = quiet(evidence, *input).filter(|_| can_wait);
    let change = quiet.map(|(better, replies)| {
        let ms = better.as_millis();
        text += &format!(
            "If that belongs to it, quiet_ms = {ms} in the `reply` of `{name}` waits for it: none of {replies} replies has a \
             pause of half that time"
        );
        if is_text(&bytes) {
            text += ". A `last_line` that fits the last line of each reply is faster";
        }
        Change::TimeOut { key: Key::Quiet, input: Some(*input), better }
    });
    if change.is_none() {
        text += &match rule.checksum {
            Some(_) => {
                "If that belongs to it, let its `reply` end by silence (`quiet_ms`), with checksum = \"none\": a checksum is \
                 that of a single frame"
                    .to_owned()
            }
            None => format!(
                "If that belongs to it, let its `reply` say so: {}, or `quiet_ms`",
                later_end(evidence, *input, &bytes)
            ),
        };
    }
    Some(Finding { example, change, ..Finding::shown(FindingKind::LateBytes, text) })
}

/// What to write so that the reply to an input ends later, and why; the end that all replies have goes before one of its own.
fn better_end(
    evidence: &Evidence,
    input: usize,
    common: Option<&CommonEnd>,
) -> Option<(String, Change)> {
    if let Some(common) = common {
        return Some((common.remedy(), common.change()));
    }
    let longer = LongerEnd::of(evidence, &[input])?;
    let place = format!("the `reply` of `{}`", evidence.input(input));
    Some((longer.remedy(&place), longer.change(Some(input))))
}

/// Which end can be later, for a reply with this rest.
fn later_end(evidence: &Evidence, input: usize, rest: &[u8]) -> &'static str {
    let rule = evidence.file.as_ref().map(|file| &file.device().inputs[input].reply);
    if rule.is_some_and(|rule| !rule.patterns.is_empty()) {
        return "a `match` that fits only the end of all that comes, or a longer `grace_ms`";
    }
    match is_text(rest) && rest.contains(&b'\n') {
        true => "more `lines`, or the last line (`last_line`)",
        false => "its `length` or, where that varies, what all replies end with (`match`)",
    }
}

/// A silence that is longer than twice each pause in the replies to an input, and the number of these replies.
fn quiet(evidence: &Evidence, input: usize) -> Option<(Duration, usize)> {
    let own = evidence.exchanges().iter().filter(|kept| kept.input() == Some(input));
    let times = own.map(|kept| kept.exchange.all().map(|(at, _)| *at).collect::<Vec<_>>());
    let times: Vec<_> = times.filter(|times| !times.is_empty()).collect();
    let pauses = times.iter().flat_map(|times| times.windows(2));
    let longest = pauses.map(|pair| pair[1].saturating_sub(pair[0])).max()?;
    let ms = u64::try_from((longest * MARGIN_TENTHS / 10).as_millis()).ok()?;
    Some((Duration::from_millis(ms.max(1).div_ceil(STEP_MS) * STEP_MS), times.len()))
}
