//! Inputs that are silent after a reset: are they only slow?
//!
//! Where replies begin after `within_ms`, each answer is taken for that of the next input, and nothing else that a check sees is
//! certain. So an input that was silent is waited for. If its answer comes then, the check goes on with a longer `within_ms` for this
//! input, and the finding that proposes one rests on what was measured.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::evidence::Evidence;
use super::Plan;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(3);
/// After this many silent inputs that did not answer, no other is waited for.
const IN_VAIN: u32 = 3;
/// From then on the check waits this many times as long as the answer took.
const MARGIN: u32 = 4;

impl<D: CheckedDevice> Plan<'_, D> {
    /// The input was asked alone and was silent: waits for its answer. If it comes again, the check waits for it from now on.
    /// Returns whether that is so.
    pub(super) fn wait_for_answer(&mut self, input: Input) -> Result<bool, D::Error> {
        if !self.can_be_slow(input) || self.slow_answers.in_vain == IN_VAIN {
            return Ok(false);
        }
        let has_answered = self.evidence.timings[input.index() as usize].late > 0;
        let is_any = |bytes: &[u8]| !bytes.is_empty();
        if !has_answered && self.hear_late(input, PATIENCE, is_any).bytes.is_empty() {
            self.slow_answers.in_vain += 1;
            return Ok(false);
        }
        if !self.slow_answers.waits_for.insert(input) || !self.is_quiet_after_reset()? {
            return Ok(false);
        }
        // So long was it waited for, too.
        let within = self.device.set_within(input, 2 * PATIENCE);
        let asked = self.ask(&[input])?;
        let is_answered = asked.is_some_and(|asked| {
            asked.last().is_some_and(|(_, output)| !self.device.is_silence(input, output))
        });
        let wait = self.evidence.timings[input.index() as usize].wait.longest;
        let longer = if is_answered { (wait * MARGIN).max(within) } else { within };
        self.device.set_within(input, longer);
        Ok(is_answered)
    }

    /// Forgets what was asked while answers were not waited for, and returns it.
    pub(super) fn begin_anew(&mut self) -> Evidence {
        let file = self.evidence.file.take();
        let anew = Evidence::of_check(self.evidence.names(), file);
        std::mem::replace(&mut self.evidence, anew)
    }

    /// The check was ended before it was as far as before: what was asked `before` is all that it knows.
    pub(super) fn take_back(&mut self, before: Evidence) {
        let file = self.evidence.file.take();
        self.evidence = before;
        self.evidence.file = file;
    }

    /// Whether a longer time changes anything: a wait at the end has a time of its own.
    fn can_be_slow(&self, input: Input) -> bool {
        let Some(file) = &self.evidence.file else { return false };
        let rule = &file.device().inputs[input.index() as usize];
        !rule.waits() && rule.reply.within < PATIENCE
    }

    /// Whether the device says nothing as long as nothing is sent: what comes after an input is its answer then.
    fn is_quiet_after_reset(&mut self) -> Result<bool, D::Error> {
        if let Some(is_quiet) = self.slow_answers.is_quiet {
            return Ok(is_quiet);
        }
        let is_reset = self.ask(&[])?.is_some();
        let heard = self.hear_late(Input::new(0), 2 * PATIENCE, |bytes| !bytes.is_empty());
        let is_quiet = is_reset && heard.bytes.is_empty();
        self.slow_answers.is_quiet = Some(is_quiet);
        self.evidence.said_after_reset = Some(heard).filter(|_| is_reset && !is_quiet);
        Ok(is_quiet)
    }
}
