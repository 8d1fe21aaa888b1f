//! A reset that takes longer now and then than its `expect` waits, or that works when it is done again.

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use super::missing_line_end::unended;

/// The proposed time is this many times the longest that was measured, and the number of tries likewise.
const MARGIN: u32 = 2;
/// It is a multiple of this, in ms.
const STEP_MS: u128 = 100;
/// Fewer resets may fail after the same input by chance.
const ENOUGH: usize = 3;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    slow(evidence).or_else(|| repeated(evidence)).into_iter().collect()
}

fn slow(evidence: &Evidence) -> Option<Finding> {
    let expect = evidence.file.as_ref()?.device().only_expect()?;
    let longest = evidence.slow_resets.iter().max()?;
    let better = (*longest * MARGIN).as_millis().div_ceil(STEP_MS) * STEP_MS;
    let times = evidence.slow_resets.len();
    let text = format!(
        "`within_ms` = {} in the `expect` of [[reset]] is too short at times: the device said what the reset waits for up to {} ms \
         after its last step ({times} of {} failed resets that were listened to). within_ms = {better} in that `expect` waits for it",
        expect.within.as_millis(),
        longest.as_millis(),
        evidence.failed_resets_heard
    );
    let change = Some(Change::ExpectWithin(u64::try_from(better).unwrap_or(u64::MAX)));
    // Once, the device may have been held up by anything.
    let found = if times > 1 { Finding::shown } else { Finding::possible };
    Some(Finding { change, ..found(FindingKind::SlowReset, text) })
}

fn repeated(evidence: &Evidence) -> Option<Finding> {
    // An input without its line end swallows the first line of a reset, so the reset is not to blame.
    if unended(evidence).is_some() {
        return None;
    }
    let [reset] = &evidence.file.as_ref()?.device().resets[..] else { return None };
    let more = evidence.repeated_resets.iter().max()?;
    let now = u32::try_from(reset.tries).unwrap_or(u32::MAX);
    let tries = now.saturating_mul(more.saturating_mul(MARGIN).saturating_add(1));
    let times = evidence.repeated_resets.len();
    let last = format!("works when it is done again, at the latest after {more} more");
    if let Some((input, failed, all)) = failing_input(evidence) {
        let name = evidence.shown(&[input]);
        let text = format!(
            "[[reset]] fails after words with `{name}`, {failed} of {all} times, and {last}. Does `{name}` go on after its answer? Then let its \
             `reply` end with what the device says at last, or give it time by `settle_ms`. Does it lead into a mode in which the device \
             does not hear this reset? A second [[reset]] can lead out of it"
        );
        return Some(Finding::shown(FindingKind::FailedReset, text));
    }
    let text = format!(
        "[[reset]] fails at times: what its `expect` waits for does not come later, either. It worked when it was done again, at the \
         latest after {more} more ({times} of {times} times): the device may be deaf for a while, or bytes are lost. `tries = {tries}` in \
         [[reset]] does it again at once. A shorter `within_ms` in its `expect` makes each try shorter",
    );
    let change = Some(Change::Tries(tries));
    // Once, a byte may have been lost.
    let found = if times > 1 { Finding::shown } else { Finding::possible };
    Some(Finding { change, ..found(FindingKind::FailedReset, text) })
}

/// The input that is in each word before a reset that failed, if most words with it are such; how many are, and how many words have
/// it.
fn failing_input(evidence: &Evidence) -> Option<(Input, usize, usize)> {
    let failed = &evidence.before_failed_resets;
    let words_with =
        |input: &Input| evidence.asked().iter().filter(|it| it.contains(input)).count();
    let first = failed.first().filter(|_| failed.len() >= ENOUGH)?;
    let common = first.iter().filter(|input| failed.iter().all(|word| word.contains(input)));
    let (all, input) = common.map(|input| (words_with(input), *input)).min()?;
    (failed.len() * 2 > all).then_some((input, failed.len(), all))
}
