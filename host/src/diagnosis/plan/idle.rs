//! Listens while nothing is asked, where lines came on top of answers: does the device say them by itself?
//!
//! A late part of an answer looks like a line that is said unasked, and may come in any word. Only one of them comes when
//! nothing is asked.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::{CheckedDevice, FaultKind};
use super::{CheckProgress, CheckStage, Plan};
use crate::serial::Passed;

/// After a reset, what was asked before may still be answered for this long.
const STILL_ANSWERED: Duration = Duration::from_secs(3);
/// It listens this many times as long as the mean time between two such lines.
const TIMES: u32 = 4;
/// It listens no longer than this.
const AT_MOST: Duration = Duration::from_secs(60);

impl<D: CheckedDevice, F: FnMut(&CheckProgress) -> bool> Plan<'_, D, F> {
    /// Listens until each kind of line that came on top of answers has come, or should have.
    pub(super) fn listen_while_idle(&mut self) -> Result<(), D::Error> {
        let lines = self.evidence.lines_on_top();
        let Some(rarest) = lines.iter().map(|line| line.times).min() else { return Ok(()) };
        if self.reset().0.is_err() {
            // The words that follow find it again.
            return Ok(());
        }
        self.device.take_events();
        let was = (self.stage, self.left.pauses);
        self.stage = CheckStage::Compare;
        // The clock began with the check.
        let between = self.device.now() / u32::try_from(rarest).unwrap_or(u32::MAX);
        let counts_from = self.device.now() + STILL_ANSWERED;
        let until = counts_from + (between * TIMES).min(AT_MOST);
        let mut now = self.device.now();
        let mut is_ended = false;
        while now < until && !is_ended {
            self.left.pauses = was.1 + (until - now);
            if !self.goes_on() {
                break;
            }
            // Input 0 says how long it listens at once.
            let heard = self.device.listen(Input::new(0), &[]);
            is_ended = match heard.as_ref().map_err(D::fault) {
                // The next reset opens a new connection.
                Err(FaultKind::Gone | FaultKind::Interruption) => true,
                _ => heard.map(|_| false)?,
            };
            for event in self.device.take_events() {
                if let Passed::Received(bytes) = event.what
                    && event.at >= counts_from
                {
                    self.evidence.heard_idle.extend(bytes);
                }
            }
            // The clock stands still where the connection has ended.
            is_ended |=
                self.device.now() == now || lines.iter().all(|it| self.evidence.is_by_itself(it));
            now = self.device.now();
        }
        (self.stage, self.left.pauses) = was;
        Ok(())
    }
}
