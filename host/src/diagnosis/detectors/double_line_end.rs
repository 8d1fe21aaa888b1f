//! A line end of two bytes that the device takes for two line ends, so that its prompt comes twice.

use std::collections::BTreeMap;

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use super::super::going_on::{LateRest, going_on};
use super::super::unasked::KeptExchange;
use crate::escape::excerpt;

/// What inputs end with there.
const LINE_END: &[u8] = b"\r\n";

/// The finding, where nothing but a prompt follows each reply that goes on.
pub(super) fn find(evidence: &Evidence, failed: &str) -> Option<Finding> {
    let rests = doubled(evidence)?;
    let (&input, LateRest { bytes, .. }) = rests.first_key_value()?;
    let text = format!(
        "after the replies to `{}` and {} more, `{}` comes once more: the device takes `\\r\\n` for two line ends. End what is sent \
         with `\\r` alone, or with `\\n`, resets included{failed}",
        evidence.input(input),
        rests.len() - 1,
        excerpt(bytes.trim_ascii_start())
    );
    Some(Finding::shown(FindingKind::LateBytes, text))
}

/// The rests of replies, if each is the prompt that ends the reply, and all inputs that have one end with both bytes.
pub(super) fn doubled(evidence: &Evidence) -> Option<BTreeMap<usize, LateRest>> {
    let device = evidence.file.as_ref()?.device();
    let rests = going_on(evidence.exchanges(), &device.inputs);
    let is_doubled = |(&input, rest): (&usize, &LateRest)| {
        let rule = &device.inputs[input];
        let prompt = rest.bytes.trim_ascii_start();
        let is_prompt = !prompt.contains(&b'\n')
            && rule.reply.patterns.iter().any(|pattern| pattern.is_match(&rest.bytes));
        let is_own = |kept: &&KeptExchange| kept.word.len() == 1 && kept.input() == Some(input);
        let mut own = evidence.exchanges().iter().filter(is_own);
        is_prompt
            && own.all(|kept| kept.exchange.reply_bytes().ends_with(prompt))
            && rule.sends(&device.variables()).ends_with(LINE_END)
    };
    (rests.len() > 1 && rests.iter().all(is_doubled)).then_some(rests)
}
