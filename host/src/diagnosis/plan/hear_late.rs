//! Listens after a reply, or after a reset that has failed.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::going_on::LateRest;
use super::Plan;
use crate::serial::Passed;

impl<D: CheckedDevice> Plan<'_, D> {
    /// What comes in this time, or until it is enough. `input` says how long to listen at once.
    pub(super) fn hear_late(
        &mut self,
        input: Input,
        time: Duration,
        is_enough: impl Fn(&[u8]) -> bool,
    ) -> LateRest {
        let started = self.device.now();
        let mut late = LateRest { bytes: Vec::new(), ms: 0.0 };
        while self.device.now() < started + time && !is_enough(&late.bytes) && self.goes_on() {
            let before = self.device.now();
            let heard = self.device.listen(input, &[]);
            for event in self.device.take_events() {
                if let Passed::Received(bytes) = event.what {
                    late.ms = event.at.saturating_sub(started).as_secs_f64() * 1000.0;
                    late.bytes.extend(bytes);
                }
            }
            if heard.is_err() || self.device.now() == before {
                break;
            }
        }
        late
    }
}
