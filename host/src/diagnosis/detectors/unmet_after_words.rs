//! Replies that meet no end of the device file after some words, though others do: silence ends them, which takes long.

use std::collections::BTreeMap;
use std::time::Duration;

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use super::super::unasked::KeptExchange;
use crate::device::{DeviceFile, DeviceStep, InputRule};
use crate::escape::excerpt;

/// A word must have been asked at least this often, and its last reply have met no end each time: once, bytes may have been lost.
const TIMES: usize = 3;
/// A shorter silence costs little, and may be meant.
const LONG: Duration = Duration::from_millis(100);

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(file) = evidence.file.as_ref().filter(|_| evidence.keeps_all()) else {
        return Vec::new();
    };
    let device = file.device();
    let mut asked: BTreeMap<&[Input], Vec<&KeptExchange>> = BTreeMap::new();
    for kept in evidence.exchanges().iter().filter(|kept| !kept.word.is_empty()) {
        asked.entry(&kept.word).or_default().push(kept);
    }
    let mut unmet: BTreeMap<usize, &KeptExchange> = BTreeMap::new();
    let mut are_met = vec![false; device.inputs.len()];
    for all in asked.values() {
        let (Some(first), Some(input)) = (all.first(), all.first().and_then(|it| it.input()))
        else {
            continue;
        };
        let count = all.iter().filter(|kept| is_unmet(kept, device, input)).count();
        are_met[input] |= count == 0 && first.exchange.meets_end(&device.inputs[input].reply);
        let shortest = unmet.get(&input).is_none_or(|known| first.word.len() < known.word.len());
        if count == all.len() && count >= TIMES && shortest {
            unmet.insert(input, first);
        }
    }
    // Where no reply to an input meets its end, another finding says so.
    unmet.retain(|input, _| are_met[*input]);
    let Some((&input, kept)) = unmet.first_key_value() else { return Vec::new() };
    let others: Vec<_> =
        unmet.keys().skip(1).map(|&input| format!("`{}`", evidence.input(input))).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!(" So it was after words with {}.", others.join(", ")),
    };
    let text = format!(
        "after `{}` the reply to `{}` met no end of the file each time, though others did: silence ended `{}` after {} \
         ms.{others} If such a reply is whole, let an end fit it, too: that saves this time, in [reply] or in the `reply` of the \
         input",
        evidence.shown(&kept.word),
        evidence.input(input),
        excerpt(&kept.exchange.body(device, &device.inputs[input])),
        silence(&device.inputs[input]).as_millis()
    );
    vec![Finding::possible(FindingKind::UnmetEnd, text)]
}

/// Whether silence ended a reply that says something.
fn is_unmet(kept: &KeptExchange, device: &DeviceFile, input: usize) -> bool {
    let rule = &device.inputs[input];
    let waits = matches!(rule.steps.last(), Some(DeviceStep::Wait(_)));
    let Some((last, _)) = kept.exchange.reply.last().filter(|_| rule.reply.has_end() && !waits)
    else {
        return false;
    };
    let was_silent = kept.exchange.end.saturating_sub(*last);
    was_silent >= silence(rule).max(LONG)
        && !kept.exchange.meets_end(&rule.reply)
        && !kept.exchange.body(device, rule).is_empty()
}

/// The silence that ends a reply.
fn silence(rule: &InputRule) -> Duration {
    rule.reply.quiet.unwrap_or(rule.reply.within).min(rule.reply.within)
}
