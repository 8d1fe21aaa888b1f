//! Replies that meet no end of the device file after some words, though others do: silence ends them, which takes long.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use super::super::unasked::KeptExchange;
use crate::device::{DeviceFile, InputRule};
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
    let unmet = unmet(evidence, device);
    let Some((&input, kept)) = unmet.first_key_value() else { return Vec::new() };
    let others: Vec<_> =
        unmet.keys().skip(1).map(|&input| format!("`{}`", evidence.input(input))).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!(" The same holds for some words that end with {}.", others.join(", ")),
    };
    let rule = &device.inputs[input];
    let text = format!(
        "after `{}` no reply to `{}` met an end that the file names, though other replies to it did: each time silence ended \
         `{}` after {} ms.{others} If such a reply is whole, let an end fit it, too, in [reply] or in the `reply` of the input: that saves \
         this time",
        evidence.shown(&kept.word),
        evidence.input(input),
        excerpt(&kept.exchange.body(device, rule)),
        rule.reply.silence().as_millis()
    );
    vec![Finding::possible(FindingKind::UnmetEnd, text)]
}

/// For each such input, by number, its exchange in a shortest word.
fn unmet<'e>(evidence: &'e Evidence, device: &DeviceFile) -> BTreeMap<usize, &'e KeptExchange> {
    let mut asked: BTreeMap<&[Input], Vec<&KeptExchange>> = BTreeMap::new();
    for kept in evidence.exchanges() {
        asked.entry(&kept.word).or_default().push(kept);
    }
    let mut unmet: BTreeMap<usize, &KeptExchange> = BTreeMap::new();
    let mut met = BTreeSet::new();
    for all in asked.values() {
        let first = all[0];
        let Some(input) = first.input() else { continue };
        let rule = &device.inputs[input];
        let count = all.iter().filter(|kept| is_unmet(kept, device, rule)).count();
        if count == 0 && first.exchange.meets_end(&rule.reply) {
            met.insert(input);
        }
        let is_shortest = unmet.get(&input).is_none_or(|it| first.word.len() < it.word.len());
        if count == all.len() && count >= TIMES && is_shortest {
            unmet.insert(input, first);
        }
    }
    // Where no reply to an input meets its end, another finding says so.
    unmet.retain(|input, _| met.contains(input));
    unmet
}

/// Whether silence ended a reply that says something.
fn is_unmet(kept: &KeptExchange, device: &DeviceFile, rule: &InputRule) -> bool {
    let exchange = &kept.exchange;
    let has_end = rule.reply.has_end() && !rule.waits();
    let Some((last, _)) = exchange.reply.last().filter(|_| has_end) else { return false };
    exchange.end.saturating_sub(*last) >= rule.reply.silence().max(LONG)
        && !exchange.meets_end(&rule.reply)
        && !exchange.body(device, rule).is_empty()
}
