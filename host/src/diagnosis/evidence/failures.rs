//! Records the words of a check that fail.

use mealybug_core::Input;

use super::super::checked_device::FaultKind;
use super::super::device_file::EditableDeviceFile;
use super::super::failed_words::{FailedWords, LostDevice, WordFailure};
use super::Evidence;

/// A line garbles at most one reply in this many; a wrong rule of the device file garbles nearly all.
const GARBLED_AT_MOST: u32 = 5;

impl Evidence {
    /// Records that a word failed: the kind of the fault, the reason, what is said of this word, and what to do about it.
    pub(in super::super) fn fault(
        &mut self,
        kind: FaultKind,
        reason: String,
        message: String,
        help: Option<String>,
    ) {
        let word = WordFailure { message, is_mended: false };
        match self.faults.iter_mut().find(|known| known.are_for(&reason)) {
            Some(known) => known.words.push(word),
            None => self.faults.push(FailedWords { kind, reason, words: vec![word], help }),
        }
    }

    /// How many words failed by a reply that shows a fault of the line itself; 0 if it may be a wrong rule of the device file. Replies
    /// that break a rule each time are no fault of the line.
    pub(in super::super) fn garbled_replies(&self) -> u32 {
        let garbled = self
            .faults
            .iter()
            .filter(|it| it.kind == FaultKind::GarbledReply && it.is_any_mended());
        let count: u32 = garbled.map(FailedWords::count).sum();
        let answers: u32 = self.timings.iter().map(|timing| timing.count).sum();
        if count.saturating_mul(GARBLED_AT_MOST) <= answers { count } else { 0 }
    }

    /// Whether replies to an input end with a checksum: then a reply that is taken for an answer was hardly garbled.
    pub(in super::super) fn has_checksum(&self, input: Input) -> bool {
        let reply = |file: &EditableDeviceFile| {
            file.device().inputs[input.index() as usize].reply.checksum.is_some()
        };
        self.file.as_ref().is_some_and(reply)
    }

    /// Records that the last word that had failed for this reason worked when it was asked again.
    pub(in super::super) fn mend(&mut self, reason: &str) {
        let known = self.faults.iter_mut().find(|known| known.are_for(reason));
        if let Some(word) = known.and_then(|known| known.words.last_mut()) {
            word.is_mended = true;
        }
    }

    /// Whether all words that failed for this reason worked when they were asked again.
    pub(in super::super) fn is_mended(&self, reason: &str) -> bool {
        let known = self.faults.iter().find(|known| known.are_for(reason));
        known.is_none_or(FailedWords::are_mended)
    }

    /// How many words failed because bytes came after a reply.
    pub(in super::super) fn late_failures(&self) -> u32 {
        self.faults.iter().filter(|it| it.kind.is_of_late_bytes()).map(FailedWords::count).sum()
    }

    /// Takes out the words that failed because this text came late.
    pub(super) fn forget_late(&mut self, text: &str) {
        for failed in self.faults.iter_mut().filter(|failed| failed.kind.is_of_late_bytes()) {
            failed.words.retain(|word| !word.message.contains(text));
        }
        self.faults.retain(|failed| !failed.words.is_empty());
    }

    /// Records that no reset works any more.
    pub(in super::super) fn lose_device(&mut self) {
        self.lost = Some(LostDevice::NoReset(self.before.clone().unwrap_or_default()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_late_failure_is_judged_by_itself() {
        let reason = || "bytes came after the reply to `a` had ended".to_owned();
        for order in [[r"`\x00`", "`more`"], ["`more`", r"`\x00`"]] {
            let mut evidence = Evidence::of_check(&["a".to_owned()], None);
            for came in order {
                evidence.fault(
                    FaultKind::LateBytes,
                    reason(),
                    format!("{}: {came}", reason()),
                    None,
                );
            }
            evidence.mend(&reason());
            evidence.forget_late(r"\x00");
            let [failed] = &evidence.faults[..] else { panic!("{:?}", evidence.faults) };
            assert!(failed.count() == 1 && failed.first().ends_with("`more`"), "{failed:?}");
            assert_eq!(failed.are_mended(), order[1] == "`more`", "the last one was mended");
            assert_eq!(evidence.late_failures(), 1);
            evidence.forget_late("more");
            assert!(evidence.faults.is_empty());
        }
    }
}
