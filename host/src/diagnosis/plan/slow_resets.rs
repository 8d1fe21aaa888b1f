//! Resets that take longer now and then than their `expect` waits.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::Plan;
use crate::serial::{Passed, TraceEvent, clean};

/// How long to listen after a reset that has failed.
const SLOW: Duration = Duration::from_secs(5);
/// How many such resets are listened after.
const RESETS: u32 = 4;

impl<D: CheckedDevice> Plan<'_, D> {
    /// Listens after a reset that has failed, in which this passed: does the device say later what the reset waits for?
    pub(super) fn hear_slow_reset(&mut self, during: &[TraceEvent]) {
        let Some(file) = &self.evidence.file else { return };
        let Some(expect) = file.device().only_expect().cloned() else { return };
        if self.evidence.failed_resets_heard == RESETS || self.is_lost() {
            return;
        }
        let strip = file.device().strip.clone();
        let received = during.iter().filter_map(|event| match &event.what {
            Passed::Received(bytes) => Some(bytes.as_slice()),
            _ => None,
        });
        let before = received.collect::<Vec<_>>().concat();
        let is_met = |late: &[u8]| {
            expect.pattern.is_match(&clean(&strip, &[before.as_slice(), late].concat()))
        };
        if is_met(&[]) {
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
