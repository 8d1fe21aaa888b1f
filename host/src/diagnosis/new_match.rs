//! Tries a `match` that would be proposed on all replies of a check.

use regex::bytes::Regex;

use super::evidence::Evidence;
use crate::device::ReplySection;

/// Whether `pattern` in place of the `match` of `[reply]` fits the end of each reply to these inputs, and of those that
/// the present one cuts, and nothing earlier in them. All other replies must end where they do now.
pub(super) fn can_match(evidence: &Evidence, pattern: &str, inputs: &[usize]) -> bool {
    let Ok(pattern) = Regex::new(pattern) else { return false };
    let Some(file) = &evidence.file else { return false };
    evidence.exchanges().iter().all(|kept| {
        let Some(input) = kept.input() else { return true };
        let rule = &file.device().inputs[input].reply;
        let is_silent = kept.exchange.without_stripped(rule).all().next().is_none();
        if is_silent || file.common_match(&[input]).is_none() {
            return true;
        }
        let new = ReplySection { patterns: vec![pattern.clone()], ..rule.clone() };
        let [now, rest] = [rule, &new].map(|rule| kept.exchange.rest_after_match(rule));
        let is_cut = now.as_ref().is_some_and(|rest| !rest.is_empty());
        rest.as_ref().is_some_and(Vec::is_empty)
            || !is_cut && !inputs.contains(&input) && rest == now
    })
}
