//! Resets that fail now and then: they take longer than their `expect` waits, or they work when they are done again.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::evidence::{Evidence, received};
use super::Plan;
use crate::serial::{TraceEvent, clean};

/// How long to listen after a reset that has failed.
const SLOW: Duration = Duration::from_secs(5);
/// How many such resets are listened after.
const RESETS: u32 = 4;

impl<D: CheckedDevice> Plan<'_, D> {
    /// Looks into a reset that has failed, in which this passed: does the device say later what the reset waits for? If it never
    /// does, does the reset work when it is done again?
    pub(super) fn look_into_failed_reset(&mut self, during: &[TraceEvent]) {
        let Some(file) = &self.evidence.file else { return };
        let Some(expect) = file.device().only_expect().cloned() else { return };
        if self.is_lost() {
            return;
        }
        let strip = file.device().strip.clone();
        let before = received(during);
        let is_met = |late: &[u8]| {
            expect.pattern.is_match(&clean(&strip, &[before.as_slice(), late].concat()))
        };
        if is_met(&[]) {
            return;
        }
        let Evidence { slow_resets, repeated_resets, failed_resets_heard, .. } = &self.evidence;
        let listened = *failed_resets_heard as usize;
        // Only from the first one on that fails, all are counted.
        let is_first = self.failed_resets == 1;
        if is_first && slow_resets.is_empty() && repeated_resets.len() < listened {
            let resets = self.resets_until_back();
            self.evidence.repeated_resets.extend(resets);
            return;
        }
        if *failed_resets_heard == RESETS {
            return;
        }
        self.evidence.failed_resets_heard += 1;
        let late = self.hear_late(Input::new(0), SLOW, is_met);
        if is_met(&late.bytes) {
            let after = Duration::from_secs_f64(late.ms / 1000.0);
            self.evidence.slow_resets.push(expect.within + after);
        }
        if !late.bytes.is_empty() {
            self.shake_off();
        }
    }
}
