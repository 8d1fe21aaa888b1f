//! Words and resets that fail, and a device that does not come back.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::{CheckedDevice, FaultKind};
use super::super::failed_words::LostDevice;
use super::{FAILED_RESETS, Plan};

/// A device is lost if no reset works in this time...
const BUSY: Duration = Duration::from_secs(10);
/// ...or if this many fail: where there is no link to the device, they fail at once.
const BUSY_RESETS: u32 = 100;

impl<D: CheckedDevice> Plan<'_, D> {
    /// Records that a word failed. Returns the reason if the word is to be asked again, as a run does.
    pub(super) fn fail(&mut self, error: &D::Error) -> Option<String> {
        let reason = D::reason(error);
        let may_mend = self.evidence.is_mended(&reason);
        self.evidence.fault(D::fault(error), reason.clone(), error.to_string(), D::help(error));
        (may_mend && self.goes_on()).then_some(reason)
    }

    /// Records what came of a word that had failed for this reason, and was asked again.
    pub(super) fn judge_again<T>(&mut self, reason: &str, again: Result<T, &D::Error>) {
        match again {
            Ok(_) => self.evidence.mend(reason),
            Err(error) if D::fault(error).is_of_word() => {
                let (kind, message) = (D::fault(error), error.to_string());
                self.evidence.fault(kind, reason.to_owned(), message, D::help(error));
            }
            // Other faults are found again by the words that follow.
            Err(_) => {}
        }
    }

    /// Resets the device, and counts how many resets have failed in a row.
    pub(super) fn count_reset(&mut self) -> Result<(), D::Error> {
        let (result, took) = self.reset();
        self.evidence.reset(took);
        self.pace.reset(took);
        self.failed_resets = if result.is_ok() { 0 } else { self.failed_resets + 1 };
        if self.failed_resets == 1
            && result.as_ref().is_err_and(|error| D::fault(error) == FaultKind::Reset)
        {
            self.evidence.fail_reset();
        }
        if self.failed_resets == FAILED_RESETS && self.resets_until_back().is_some() {
            self.failed_resets = 0;
        }
        result
    }

    /// Resets the device until that works, for a while: it may only be busy. Returns how many resets it took.
    pub(super) fn resets_until_back(&mut self) -> Option<u32> {
        let until = self.device.now() + BUSY;
        for resets in 1..=BUSY_RESETS {
            // This begins no word.
            let (result, _) = self.reset();
            drop(self.device.take_events());
            match result {
                Ok(()) => return Some(resets),
                Err(error) if D::fault(&error) == FaultKind::Interruption => return None,
                Err(_) if self.device.now() >= until => return None,
                Err(_) => {}
            }
        }
        None
    }

    /// Resets the device before a word whose answers are not kept. A reset that fails is recorded, and tried again once.
    pub(super) fn reset_apart(&mut self) -> Result<(), D::Error> {
        let result = self.count_reset();
        // Bytes that came late belong to the word before, and to its pauses.
        let is_fault = |error: &&D::Error| {
            let kind = D::fault(error);
            kind.is_of_word() && !kind.is_of_late_bytes()
        };
        let reason = result.as_ref().err().filter(is_fault).and_then(|error| self.fail(error));
        let Some(reason) = reason else { return result };
        let again = self.count_reset();
        self.judge_again(&reason, again.as_ref());
        again
    }

    /// Resets the device once more, since late bytes of the word before fail the first reset. What else fails here fails again.
    pub(super) fn shake_off(&mut self) {
        drop(self.reset());
    }

    /// Asks a word that was always answered, until it is answered again: where a reset only sends something, it seems to work
    /// though the device is dead.
    pub(super) fn look_for_life(&mut self) -> Result<(), D::Error> {
        let Some(word) = self.answered_word() else { return Ok(()) };
        self.shake_off();
        let mut silences = 0;
        for _ in 0..FAILED_RESETS {
            self.left.exploring = 1;
            if !self.goes_on() {
                return Ok(());
            }
            let asked = self.ask(&word)?;
            let is_silence =
                |(input, output): &(Input, String)| self.device.is_silence(*input, output);
            match asked {
                Some(asked) if asked.iter().all(is_silence) => silences += 1,
                Some(_) => return Ok(()),
                None => {}
            }
        }
        if silences == FAILED_RESETS {
            self.evidence.lost = Some(LostDevice::Mute(word));
        }
        Ok(())
    }

    /// A shortest word whose last input always had the same answer.
    fn answered_word(&self) -> Option<Vec<Input>> {
        let stable =
            self.evidence.answers().filter(|(_, runs)| matches!(runs, [run] if !run.is_silence));
        stable.map(|(word, _)| word).min_by_key(|word| word.len()).map(<[Input]>::to_vec)
    }
}
