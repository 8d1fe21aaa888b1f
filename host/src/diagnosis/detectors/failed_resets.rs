//! A reset that takes longer now and then than its `expect` waits, or that works when it is done again.

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use super::missing_line_end::unended;

/// The proposed time is this many times the longest that was measured, and the number of tries likewise.
const MARGIN: u32 = 2;
/// It is a multiple of this, in ms.
const STEP_MS: u128 = 100;
/// An input that is in all words before failed resets with no smaller chance may be there by chance.
const CHANCE: f64 = 0.001;
/// The number of resets that failed after words with one input, at which a check ends.
const ENOUGH: usize = 8;

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
    let mut text = format!(
        "[[reset]] fails at times: what its `expect` waits for does not come later, either. It worked when it was done again, at the \
         latest after {more} more ({times} of {times} times): the device may be deaf for a while, or bytes are lost. "
    );
    let cause = FailingInput::of(evidence);
    let change = match cause.as_ref().is_some_and(FailingInput::is_mostly) {
        true => None,
        false => {
            text += &format!(
                "`tries = {tries}` in [[reset]] does it again at once. A shorter `within_ms` in its `expect` makes each try shorter"
            );
            Some(Change::Tries(tries))
        }
    };
    if let Some(cause) = cause {
        let end = if change.is_some() { ". " } else { "" };
        text += &format!("{end}{}", cause.advice(evidence));
    }
    // Once, a byte may have been lost.
    let found = if times > 1 { Finding::shown } else { Finding::possible };
    Some(Finding { change, ..found(FindingKind::FailedReset, text) })
}

/// The input that is in each word before a reset that failed.
pub(in super::super) struct FailingInput {
    input: Input,
    /// How many words with it were before such a reset, and how many words have it.
    failed: usize,
    all: usize,
}

impl FailingInput {
    /// That of a check, unless it is in all these words by chance.
    pub(in super::super) fn of(evidence: &Evidence) -> Option<Self> {
        let failed = &evidence.before_failed_resets;
        let asked = || evidence.asked().iter().filter(|word| !word.is_empty());
        let words_with = |input: &Input| asked().filter(|it| it.contains(input)).count();
        let common = failed.first()?.iter();
        let common = common.filter(|input| failed.iter().all(|word| word.contains(input)));
        let (all, input) = common.map(|input| (words_with(input), *input)).min()?;
        let share = u32::try_from(all).ok().map(f64::from)?
            / u32::try_from(asked().count()).ok().map(f64::from)?;
        let chance = share.powi(i32::try_from(failed.len()).ok()?);
        (chance < CHANCE).then_some(Self { input, failed: failed.len(), all })
    }

    /// Whether a reset fails after most words with the input.
    pub(super) fn is_mostly(&self) -> bool {
        self.failed * 2 > self.all
    }

    /// Whether this is enough to say what is wrong.
    pub(in super::super) fn is_enough(&self) -> bool {
        self.is_mostly() && self.failed >= ENOUGH
    }

    /// What the input may do, and what to do about it.
    pub(super) fn advice(&self, evidence: &Evidence) -> String {
        let Self { input, failed, all } = self;
        let name = evidence.shown(&[*input]);
        format!(
            "`{name}` was in the word before each reset that failed, and one failed after {failed} of the {all} words with it. Does it go on \
             after its answer? Then let its `reply` end with what the device says at last, or give it time by `settle_ms`. Does it lead \
             into a mode in which the device does not hear this [[reset]]? Another [[reset]] can lead out of it"
        )
    }
}
