//! The words of a check that failed, and how it lost its device.

use mealybug_core::Input;

use super::super::checked_device::BYTES_AFTER;
use super::Evidence;

/// Words that failed for the same reason.
#[derive(Debug)]
pub(in super::super) struct FailedWords {
    reason: String,
    /// Each of them; there is at least one.
    pub(super) words: Vec<FailedWord>,
    /// What to do about it, if that is known.
    pub(in super::super) help: Option<String>,
}

/// A word that failed.
#[derive(Debug)]
pub(super) struct FailedWord {
    /// What was said of it.
    pub(super) message: String,
    /// Whether it worked when it was asked again.
    is_mended: bool,
}

/// How a check lost its device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum LostDevice {
    /// No reset has worked any more after this word; none has worked at all if it is empty.
    NoReset(Vec<Input>),
    /// This word was answered in the check, and was not answered any more at its end.
    Mute(Vec<Input>),
}

impl FailedWords {
    /// Whether bytes came after a reply.
    pub(in super::super) fn is_of_late_bytes(&self) -> bool {
        self.reason.starts_with(BYTES_AFTER)
    }

    /// What was said of the first of them.
    pub(in super::super) fn first(&self) -> &str {
        self.words.first().map_or("", |word| &word.message)
    }

    /// How many they are.
    pub(in super::super) fn count(&self) -> u32 {
        u32::try_from(self.words.len()).unwrap_or(u32::MAX)
    }

    /// Whether all of them worked when they were asked again.
    pub(in super::super) fn are_mended(&self) -> bool {
        self.words.iter().all(|word| word.is_mended)
    }
}

impl Evidence {
    /// Records that a word failed: the reason, what is said of this word, and what to do about it.
    pub(in super::super) fn fault(
        &mut self,
        reason: String,
        message: String,
        help: Option<String>,
    ) {
        let word = FailedWord { message, is_mended: false };
        let is_same = |known: &&mut FailedWords| shape(&known.reason) == shape(&reason);
        match self.faults.iter_mut().find(is_same) {
            Some(known) => known.words.push(word),
            None => self.faults.push(FailedWords { reason, words: vec![word], help }),
        }
    }

    /// Records that the last word that had failed for this reason worked when it was asked again.
    pub(in super::super) fn mend(&mut self, reason: &str) {
        let is_same = |known: &&mut FailedWords| shape(&known.reason) == shape(reason);
        let known = self.faults.iter_mut().find(is_same);
        if let Some(word) = known.and_then(|known| known.words.last_mut()) {
            word.is_mended = true;
        }
    }

    /// Whether all words that failed for this reason worked when they were asked again.
    pub(in super::super) fn is_mended(&self, reason: &str) -> bool {
        let is_same = |known: &&FailedWords| shape(&known.reason) == shape(reason);
        self.faults.iter().find(is_same).is_none_or(FailedWords::are_mended)
    }

    /// How many words failed because bytes came after a reply.
    pub(in super::super) fn late_failures(&self) -> u32 {
        self.faults.iter().filter(|it| it.is_of_late_bytes()).map(FailedWords::count).sum()
    }

    /// Takes out the words that failed because this text came late.
    pub(super) fn forget_late(&mut self, text: &str) {
        for failed in self.faults.iter_mut().filter(|failed| failed.is_of_late_bytes()) {
            failed.words.retain(|word| !word.message.contains(text));
        }
        self.faults.retain(|failed| !failed.words.is_empty());
    }

    /// Records that no reset works any more.
    pub(in super::super) fn lose_device(&mut self) {
        self.lost = Some(LostDevice::NoReset(self.before.clone().unwrap_or_default()));
    }
}

/// What the reasons of failures of one kind share: neither digits, since measurements and counters differ from one time to the
/// next, nor what stands in backticks, since it happens at several inputs.
fn shape(text: &str) -> String {
    let unquoted = text.split('`').step_by(2).flat_map(str::chars);
    unquoted.filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_late_failure_is_judged_by_itself() {
        let reason = || format!("{BYTES_AFTER}the reply to `a` had ended");
        for order in [[r"`\x00`", "`more`"], ["`more`", r"`\x00`"]] {
            let mut evidence = Evidence::of_check(&["a".to_owned()], None);
            for came in order {
                evidence.fault(reason(), format!("{}: {came}", reason()), None);
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
