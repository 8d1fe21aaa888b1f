//! Replies that go on after the end that the device file describes.

use std::collections::BTreeMap;
use std::time::Duration;

use mealybug_core::Input;

use super::exchange::ObservedExchange;
use super::unasked::KeptExchange;
use crate::device::{InputRule, Late};
use crate::line_kind::line_pattern;
use crate::serial::clean_finished;

/// How often more must have come: less may have been unasked.
pub(super) const TIMES: usize = 3;
/// What comes after each input belongs to its reply if it is always about as late: its times differ by at most this, in ms.
const PUNCTUAL_MS: f64 = 25.0;
/// The rest of a reply comes at once if it begins in this time after the end. What comes at its own time may, too, but not each time.
const AT_ONCE: Duration = Duration::from_millis(10);

/// What came after the end of the replies to an input.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LateRest {
    pub(super) bytes: Vec<u8>,
    /// How long after the input its last byte came, at most.
    pub(super) ms: f64,
}

/// An input whose reply goes on in some states, as a trial has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TriedRest {
    /// The number of the input.
    pub(super) input: usize,
    /// The word that ends with it.
    pub(super) word: Vec<Input>,
    /// How often more came when nothing else was sent. Without the input, nothing came.
    pub(super) times: usize,
}

/// What came after the end of a reply, or with it. The beginning of a line that `strip` removes does not count: the check stopped
/// listening there.
fn late_bytes(kept: &KeptExchange, input: &InputRule) -> Option<LateRest> {
    let ObservedExchange { reply, late, .. } = &kept.exchange;
    let rule = &input.reply;
    let mut bytes = if input.waits() { Vec::new() } else { kept.exchange.excess(rule) };
    bytes.extend(late.iter().flat_map(|(_, bytes)| bytes));
    let bytes = clean_finished(&rule.strip, &bytes);
    let last = late.last().or(reply.last());
    let ms = last.map_or(0.0, |(at, _)| at.as_secs_f64() * 1000.0);
    (!bytes.is_empty()).then_some(LateRest { bytes, ms })
}

/// What came with the end of a reply, or while the check listened after a reply that had met its end: silence did not end it.
pub(super) fn late_rest(kept: &KeptExchange, input: &InputRule) -> Option<LateRest> {
    let rule = &input.reply;
    if comes_with_end(kept, input) {
        return late_bytes(kept, input);
    }
    let exchange = &kept.exchange;
    let (last, _) = exchange.reply.last().filter(|_| exchange.is_heard_out)?;
    let silence = rule.silence().min(rule.within);
    let is_met = rule.has_end() && exchange.end.saturating_sub(*last) < silence;
    late_bytes(kept, input).filter(|_| is_met && rule.late == Late::Error)
}

/// Whether more came with the end of a reply.
pub(super) fn comes_with_end(kept: &KeptExchange, input: &InputRule) -> bool {
    let rule = &input.reply;
    let is_met = !input.waits()
        && rule.has_end()
        && rule.late == Late::Error
        && kept.exchange.meets_end(rule);
    is_met && !clean_finished(&rule.strip, &kept.exchange.excess(rule)).is_empty()
}

/// The replies to each input, by number, that show whether more comes: it was asked alone and listened to, or more came with the
/// end of the reply, as it did most of the time.
fn asked_alone<'e>(
    exchanges: &'e [KeptExchange],
    inputs: &[InputRule],
) -> BTreeMap<usize, Vec<&'e KeptExchange>> {
    let mut alone: BTreeMap<usize, Vec<&KeptExchange>> = BTreeMap::new();
    for kept in exchanges {
        let &[input] = &*kept.word else { continue };
        let input = input.index() as usize;
        if !kept.exchange.reply.is_empty() && inputs[input].reply.late == Late::Error {
            alone.entry(input).or_default().push(kept);
        }
    }
    for (input, all) in &mut alone {
        let rule = &inputs[*input];
        let is_more = |kept: &&KeptExchange| comes_with_end(kept, rule);
        // These words were not listened to: they failed there.
        let counts = all.iter().filter(|kept| is_more(kept)).count() * 2 > all.len();
        all.retain(|kept| kept.exchange.is_heard_out || counts && is_more(kept));
    }
    alone
}

/// The inputs, by number, after whose replies the same came each time and at once when a check asked them alone, and how often.
pub(super) fn going_on_at_once(
    exchanges: &[KeptExchange],
    inputs: &[InputRule],
) -> BTreeMap<usize, usize> {
    let at_once = |kept: &&KeptExchange, input: &InputRule| {
        let rule = &input.reply;
        let ObservedExchange { late, end, .. } = &kept.exchange;
        let is_met = rule.has_end() && kept.exchange.meets_end(rule);
        let rest = late_bytes(kept, input).filter(|_| is_met)?;
        let is_late = !comes_with_end(kept, input)
            && late.first().is_some_and(|(at, _)| at.saturating_sub(*end) > AT_ONCE);
        (!is_late).then(|| line_pattern(&rest.bytes))
    };
    let mut found = BTreeMap::new();
    for (input, all) in asked_alone(exchanges, inputs) {
        let rests: Vec<_> = all.iter().map(|kept| at_once(kept, &inputs[input])).collect();
        if rests.iter().all(|rest| rest.is_some() && *rest == rests[0]) && !rests.is_empty() {
            found.insert(input, rests.len());
        }
    }
    found
}

/// The inputs, by number, after whose replies more comes most of the time, when a check asks them alone and listens.
///
/// Where more comes after others now and then, or at any time after all of them, the device may speak unasked. Then only those
/// count after which it comes at once, each time.
pub(super) fn going_on(
    exchanges: &[KeptExchange],
    inputs: &[InputRule],
) -> BTreeMap<usize, LateRest> {
    let alone = asked_alone(exchanges, inputs);
    let mut rests = BTreeMap::new();
    let (mut is_punctual, mut is_now_and_then) = (true, false);
    for (input, all) in alone {
        let asked = all.len();
        let late: Vec<_> =
            all.into_iter().filter_map(|kept| late_bytes(kept, &inputs[input])).collect();
        // Once, the rest may be that of the word before.
        if late.len() < 2 {
            continue;
        }
        if late.len() < TIMES || late.len() * 2 <= asked || !inputs[input].reply.has_end() {
            is_now_and_then = true;
            continue;
        }
        let earliest = late.iter().map(|rest| rest.ms).fold(f64::INFINITY, f64::min);
        let is_always = late.len() == asked;
        let latest = late.into_iter().max_by(|one, other| one.ms.total_cmp(&other.ms));
        is_punctual &=
            is_always && latest.as_ref().is_some_and(|it| it.ms - earliest <= PUNCTUAL_MS);
        rests.extend(latest.map(|latest| (input, latest)));
    }
    if is_now_and_then || rests.len() == inputs.len() && !is_punctual {
        let at_once = going_on_at_once(exchanges, inputs);
        rests.retain(|input, _| at_once.contains_key(input));
    }
    rests
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::device::DeviceFile;

    const FILE: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\n\
                        [reply]\nlines = 1\nstrip = ['ALARM\\n']\n[inputs]\nlook = \"look\\n\"";

    /// Whether more comes with the end of this reply.
    fn has_more(reply: &[u8]) -> bool {
        let device = DeviceFile::parse(Path::new("lamp.toml"), FILE).expect("a device file");
        let rule = &device.inputs[0];
        let reply = vec![(Duration::ZERO, reply.to_vec())];
        let exchange = ObservedExchange { reply, ..ObservedExchange::default() };
        let kept = KeptExchange::new(vec![Input::new(0)], exchange, None, &rule.reply);
        comes_with_end(&kept, rule)
    }

    #[test]
    fn a_line_that_is_stripped_is_not_more_of_the_reply() {
        assert!(has_more(b"on\nmore\n"));
        assert!(!has_more(b"on\n"));
        assert!(!has_more(b"on\nALARM\n"));
        assert!(!has_more(b"on\nALA"), "the rest of the line may come later");
    }
}
