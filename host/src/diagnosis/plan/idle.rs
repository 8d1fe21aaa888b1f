//! Listens while nothing is asked, where lines came on top of answers: does the device say them by itself?
//!
//! A late part of an answer looks like a line that is said unasked, and may come in any word. Only one of them comes again and
//! again when nothing is asked.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::{CheckedDevice, FaultKind};
use super::super::unasked::UnaskedLine;
use super::{CheckStage, Plan};
use crate::serial::Passed;

/// What was asked may still be answered for this long.
const STILL_ANSWERED: Duration = Duration::from_secs(10);
/// What a reset says may come for this long after it. A connection that ends sooner cannot be listened to.
const RESET_SPEAKS: Duration = Duration::from_millis(500);
/// It then listens this many times as long as the mean time between two such lines.
const TIMES: u32 = 4;
/// But at least so long: lines may come on top of answers more often than by themselves.
const AT_LEAST: Duration = Duration::from_secs(20);
/// It listens no longer than this in all.
const AT_MOST: Duration = Duration::from_secs(60);
/// A line comes again if it comes the mean time between two such lines later, or this time.
const LATER_AT_MOST: Duration = Duration::from_secs(15);

/// A time in which nothing is asked.
struct IdleTime {
    /// What comes counts from then on.
    counts_from: Duration,
    until: Duration,
    /// A line that comes again comes at least so long later.
    later: Duration,
}

impl<D: CheckedDevice> Plan<'_, D> {
    /// Listens until each kind of line that came on top of answers has come again, or should have. Kinds that were listened for
    /// before do not count.
    pub(super) fn listen_while_idle(&mut self) -> Result<(), D::Error> {
        let mut lines = self.evidence.lines_on_top();
        lines.retain(|line| !self.evidence.listening.is_awaited(line));
        let Some(rarest) = lines.iter().map(|line| line.times).min() else { return Ok(()) };
        self.stage = CheckStage::Compare;
        // The clock began with the check.
        let now = self.device.now();
        let between = now / u32::try_from(rarest).unwrap_or(u32::MAX);
        let idle = IdleTime {
            counts_from: now + STILL_ANSWERED,
            until: now + (STILL_ANSWERED + (between * TIMES).max(AT_LEAST)).min(AT_MOST),
            later: between.min(LATER_AT_MOST),
        };
        let pauses = self.left.pauses;
        let is_heard = self.hear(&lines, &idle);
        (self.left.pauses, self.listening) = (pauses, None);
        if is_heard? {
            self.evidence.listening.judge(lines, idle.later);
        }
        Ok(())
    }

    /// Listens for these lines, on a new connection where one has ended. Returns whether that was long enough.
    fn hear(&mut self, lines: &[UnaskedLine], idle: &IdleTime) -> Result<bool, D::Error> {
        let pauses = self.left.pauses;
        let end = lines.first().map(|line| line.end).unwrap_or_default();
        loop {
            if self.reset().0.is_err() {
                // The words that follow find it again.
                return Ok(false);
            }
            self.evidence.listening.begin(end);
            let begun = self.device.now();
            let counts_from = idle.counts_from.max(begun + RESET_SPEAKS);
            let (mut now, mut is_gone) = (begun, false);
            while !is_gone {
                let has_all =
                    lines.iter().all(|it| self.evidence.listening.has_again(it, idle.later));
                if now >= idle.until || has_all {
                    return Ok(true);
                }
                self.left.pauses = pauses + (idle.until - now);
                self.listening = Some(idle.until - now);
                if !self.goes_on() {
                    return Ok(false);
                }
                // Input 0 says how long it listens at once.
                let heard = self.device.listen(Input::new(0), &[]);
                match heard.as_ref().map_err(D::fault) {
                    Err(FaultKind::Interruption) => return Ok(false),
                    Err(FaultKind::Gone) => is_gone = true,
                    _ => drop(heard?),
                }
                for event in self.device.take_events() {
                    if let Passed::Received(bytes) = event.what
                        && event.at >= counts_from
                    {
                        let time = event.at.saturating_sub(now.max(counts_from));
                        self.evidence.listening.add(time, &bytes);
                        now = now.max(event.at);
                    }
                }
                let end = self.device.now();
                self.evidence.listening.add(end.saturating_sub(now.max(counts_from)), &[]);
                now = end;
            }
            if now.saturating_sub(begun) < RESET_SPEAKS {
                return Ok(false);
            }
        }
    }
}
