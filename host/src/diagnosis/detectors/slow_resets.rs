//! A reset that takes longer now and then than its `expect` waits.

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};

/// The proposed time is this many times the longest that was measured.
const MARGIN: u32 = 2;
/// It is a multiple of this, in ms.
const STEP_MS: u128 = 100;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let expect = evidence.file.as_ref().and_then(|file| file.device().only_expect());
    let Some((longest, expect)) = evidence.slow_resets.iter().max().zip(expect) else {
        return Vec::new();
    };
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
    vec![Finding { change, ..found(FindingKind::SlowReset, text) }]
}
