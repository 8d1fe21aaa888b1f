//! Inputs that are silent after a reset: are they only slow?
//!
//! Where replies begin after `within_ms`, each answer is taken for that of the next input, and nothing else that a check sees is
//! certain. So an input that was silent is waited for. If its answer comes then, the check goes on with a longer `within_ms` for this
//! input, and the finding that proposes one rests on what was measured.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::evidence::Evidence;
use super::super::field::is_text;
use super::super::going_on::LateRest;
use super::super::late_resets::SaidAfterReset;
use super::Plan;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long what the device says by itself is listened to: in this time, the text of a start has ended.
const LONGEST: Duration = Duration::from_secs(15);
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
        let mut anew = Evidence::of_check(self.evidence.names(), file);
        anew.earlier_change = self.evidence.earlier_change.take();
        std::mem::replace(&mut self.evidence, anew)
    }

    /// The check was ended before it was as far as before: what was asked `before` is all that it knows.
    pub(super) fn take_back(&mut self, before: Evidence) {
        let Evidence { file, earlier_change, .. } = std::mem::replace(&mut self.evidence, before);
        self.evidence.file = file;
        self.evidence.earlier_change = earlier_change;
    }

    /// Whether a longer time changes anything: a wait at the end has a time of its own.
    fn can_be_slow(&self, input: Input) -> bool {
        let Some(file) = &self.evidence.file else { return false };
        let rule = &file.device().inputs[input.index() as usize];
        !rule.waits() && rule.reply.within < PATIENCE
    }

    /// Whether the device says nothing as long as nothing is sent: what comes after an input is its answer then.
    pub(super) fn is_quiet_after_reset(&mut self) -> Result<bool, D::Error> {
        if let Some(is_quiet) = self.slow_answers.is_quiet {
            return Ok(is_quiet);
        }
        let said = self.hear_after_reset()?;
        let is_quiet = said.as_ref().is_some_and(|said| said.rest.bytes.is_empty());
        self.slow_answers.is_quiet = Some(is_quiet);
        if !is_quiet {
            self.evidence.said_after_reset = self.heard_again(said)?;
        }
        Ok(is_quiet)
    }

    /// Listens to more resets, until the same comes after two. After the first one, the rest of an earlier start may have come.
    fn heard_again(
        &mut self,
        mut said: Option<SaidAfterReset>,
    ) -> Result<Option<SaidAfterReset>, D::Error> {
        for _ in 0..2 {
            let Some(before) = said.as_ref().filter(|said| said.end_pattern().is_some()) else {
                break;
            };
            let Some(again) = self.hear_after_reset()? else { break };
            if again.is_like(before) {
                return Ok(Some(again));
            }
            said = Some(again);
        }
        Ok(said.map(|said| SaidAfterReset { has_ended: false, ..said }))
    }

    /// What the device says after a reset, when nothing is sent. `None` if the reset fails.
    fn hear_after_reset(&mut self) -> Result<Option<SaidAfterReset>, D::Error> {
        if self.ask(&[])?.is_none() {
            return Ok(None);
        }
        let started = self.device.now();
        let is_any = |bytes: &[u8]| !bytes.is_empty();
        let mut rest = self.hear_late(Input::new(0), 2 * PATIENCE, is_any);
        let mut has_ended = rest.bytes.is_empty();
        while !has_ended
            && is_text(&rest.bytes)
            && self.device.now() < started + LONGEST
            && self.goes_on()
        {
            let begun = self.device.now().saturating_sub(started).as_secs_f64() * 1000.0;
            let LateRest { bytes, ms } = self.hear_late(Input::new(0), PATIENCE, is_any);
            has_ended = bytes.is_empty();
            if !has_ended {
                rest.bytes.extend(bytes);
                rest.ms = begun + ms;
            }
        }
        Ok(Some(SaidAfterReset { rest, has_ended }))
    }
}
