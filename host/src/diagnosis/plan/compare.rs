//! Looks for the reason why a word has two answers.

use std::collections::BTreeSet;
use std::time::Duration;

use mealybug_core::Input;

use super::super::answers_after::AnswersAfter;
use super::super::checked_device::CheckedDevice;
use super::super::evidence::Evidence;
use super::super::spells::spells;
use super::super::trial::ProposalTrial;
use super::causes::{CAUSES_TIME, CAUSES_WORDS};
use super::late_actions::{LOOKING_TIME, PROVING_TIME};
use super::{CheckStage, Plan, count};

/// How many words with different answers to look into.
const LOOKED_INTO: usize = 3;
/// How often to repeat a trial.
const TRIES: usize = 3;
/// A trial that has taken this long is not repeated.
const TRIAL_TIME: Duration = Duration::from_secs(60);
/// How many other words to ask before the word in a trial.
const OTHERS: usize = 6;
/// A word that was silent this many times did not just answer too late.
const SILENCES: u32 = 3;
/// The answers of at least this many words have changed where something has changed the device for good.
const CHANGED: usize = 5;
/// At most this many different answers are looked into further.
const FEW: usize = 3;
/// How many words before a rare answer are asked again, how often, and how often the word after them.
const REPLAYED: usize = 12;
const REPLAYS: u32 = 3;
const AFTER_REPLAY: u32 = 4;

impl<D: CheckedDevice> Plan<'_, D> {
    /// How long it takes at most to find out why answers differ: nothing as long as none do. Where some do, others may follow.
    pub(super) fn trials_at_most(&self) -> Duration {
        if self.stage >= CheckStage::Compare || self.evidence.differences().is_empty() {
            return Duration::ZERO;
        }
        let trials = count(self.evidence.timings().len().min(LOOKED_INTO));
        TRIAL_TIME * trials + LOOKING_TIME + PROVING_TIME + CAUSES_TIME
    }

    /// Looks into words with different answers, one for each last input.
    pub(super) fn look_into_differences(&mut self) -> Result<(), D::Error> {
        self.stage = CheckStage::Compare;
        self.evidence.take_out_garbled();
        let mut words: Vec<Vec<Input>> = Vec::new();
        for word in self.evidence.differences() {
            if words.iter().all(|known| known.last() != word.last()) {
                words.push(word.to_vec());
            }
        }
        for word in words.into_iter().take(LOOKED_INTO) {
            let Some(trial) = self.look_into(word)? else { break };
            // What has changed a device for good may have changed the other answers, too.
            let is_for_good = trial.is_for_good;
            let before = self.evidence.trials.len();
            self.evidence.trials.push(trial);
            // Now that the word was asked often, it may show that one of its answers was garbled.
            self.evidence.take_out_garbled();
            if self.evidence.trials.len() == before {
                continue;
            }
            if is_for_good {
                break;
            }
        }
        Ok(())
    }

    /// Looks for the reason why a word has two answers: asks it again after the words that came
    /// before each answer. `None` if the check was ended.
    fn look_into(&mut self, word: Vec<Input>) -> Result<Option<ProposalTrial>, D::Error> {
        let [one, other, ..] = self.evidence.runs(&word) else { return Ok(None) };
        let outputs = [one.output.clone(), other.output.clone()];
        self.is_patient = self.evidence.is_sometimes_silent(&word);
        let trial = self.try_causes(word, outputs);
        self.is_patient = false;
        trial
    }

    /// Asks a word with these two answers again after the words that came before each.
    fn try_causes(
        &mut self,
        word: Vec<Input>,
        outputs: [String; 2],
    ) -> Result<Option<ProposalTrial>, D::Error> {
        let [one, other, ..] = self.evidence.runs(&word) else { return Ok(None) };
        let after = [one.after.clone(), other.after.clone()];
        // The words to ask before it: those before the two answers, with the expected answer, and
        // others.
        let sides = after.iter().zip(&outputs);
        let sides = sides.filter_map(|(after, output)| Some((after.clone()?, Some(output))));
        let others = self.words.iter().filter(|other| **other != word).take(OTHERS);
        let befores: Vec<_> = sides.chain(others.map(|other| (other.clone(), None))).collect();
        self.left.exploring = count(3 * TRIES * befores.len());
        self.left.at_most = Duration::MAX;
        // Asks the word twice after each: the first answer shows what the word before leaves
        // behind.
        let (mut depends, mut seen) = (true, AnswersAfter::default());
        let started = self.device.now();
        let is_for_good = |plan: &Self| plan.evidence.runs(&word).len() == 2;
        for tries in 0..TRIES {
            let spent = self.device.now().saturating_sub(started);
            // What is new each time depends on no word before it.
            if tries > 0 && (is_for_good(self) || spent > TRIAL_TIME || seen.are_all_new()) {
                break;
            }
            for (before, output) in &befores {
                if !self.goes_on() {
                    return Ok(None);
                }
                self.left.exploring = self.left.exploring.saturating_sub(3);
                self.ask(before)?;
                let mut last = || Ok(self.ask(&word)?.and_then(|mut asked| asked.pop()));
                let [first, again] = [last()?, last()?];
                let (Some((_, first)), Some((_, again))) = (first, again) else { continue };
                depends &= output.is_none_or(|output| *output == first);
                seen.push(before, [first, again]);
            }
        }
        let varies = seen.vary();
        let is_for_good = is_for_good(self);
        let mut trial = self.judged_trial(word, outputs, after, seen, depends, is_for_good);
        if trial.is_by_reset
            && depends
            && varies
            && let Some(causes) = trial.opposed_causes()
        {
            // The search for what acts late begins with these words, and is quicker with short ones.
            self.left.exploring = CAUSES_WORDS;
            self.trial_end = self.device.now() + CAUSES_TIME;
            self.shorten_causes(&mut trial, causes)?;
        }
        let word = &trial.word;
        let is_explained = trial.is_by_reset
            || trial.may_be_late
            || spells(self.evidence.runs(word)).is_some()
            || !self.evidence.lines_on_top().is_empty();
        let outputs: BTreeSet<_> = self.evidence.runs(word).iter().map(|run| &run.output).collect();
        // A field has more values than that.
        if !is_explained && outputs.len() <= FEW && !self.replay(word, started + TRIAL_TIME)? {
            return Ok(None);
        }
        Ok(Some(trial))
    }

    /// What a trial of a word shows that was answered so after the words before it. Does each answer depend on these, and did it
    /// stay once it had changed?
    fn judged_trial(
        &self,
        word: Vec<Input>,
        outputs: [String; 2],
        causes: [Option<Vec<Input>>; 2],
        seen: AnswersAfter,
        depends: bool,
        is_for_good: bool,
    ) -> ProposalTrial {
        // A silence is an answer only if it comes again and again, and no other one comes even after it.
        let runs = self.evidence.runs(&word);
        let silences: u32 = runs.iter().filter(|run| run.is_silence).map(|run| run.count).sum();
        let timings =
            word.last().and_then(|last| self.evidence.timings().get(last.index() as usize));
        let is_late = timings.is_some_and(|timing| timing.late > 0);
        let may_be_late = self.is_patient && (is_late || silences < SILENCES);
        let is_for_good = is_for_good && !may_be_late;
        let is_steady = seen.vary() && (depends || seen.are_steady());
        // Another word shows the same, or this one did before.
        let is_repeated = runs[0].count > 1 || are_changed_for_good(&self.evidence);
        ProposalTrial {
            word,
            outputs,
            causes,
            seen,
            is_by_reset: !may_be_late && (is_for_good || is_steady),
            is_by_several: false,
            is_for_good,
            may_be_late,
            is_repeated,
        }
    }

    /// Asks the words before a rare answer again, in their order, and those before the usual one came back, each time with the
    /// word several times after them: what a reset leaves comes again, and stays. Returns `false` if the check was ended.
    fn replay(&mut self, word: &[Input], until: Duration) -> Result<bool, D::Error> {
        let changes = self.evidence.runs(word).iter().skip(1).take(2).map(|run| run.number);
        let before = |number| self.evidence.asked_before(number, REPLAYED).to_vec();
        let parts: Vec<Vec<_>> = changes.map(before).collect();
        let all: usize = parts.iter().map(|part| part.len() + AFTER_REPLAY as usize).sum();
        self.left.exploring = REPLAYS.saturating_mul(count(all));
        for _ in 0..REPLAYS {
            for part in &parts {
                let after = (0..AFTER_REPLAY).map(|_| word);
                for word in part.iter().map(Vec::as_slice).chain(after) {
                    if self.device.now() > until {
                        self.left.exploring = 0;
                        return Ok(true);
                    }
                    if !self.goes_on() {
                        return Ok(false);
                    }
                    self.left.exploring = self.left.exploring.saturating_sub(1);
                    self.ask(word)?;
                }
            }
        }
        Ok(true)
    }
}

/// Whether the answers of many words have changed once, and came again since, and no other answer differs. Most words are asked once
/// while the check explores, and again later, so faults that hit a few first answers look the same.
fn are_changed_for_good(evidence: &Evidence) -> bool {
    let words = evidence.differences();
    let stays = |word: &&[Input]| matches!(evidence.runs(word), [_, since] if since.count > 1);
    words.len() >= CHANGED && words.iter().all(stays)
}

#[cfg(test)]
mod tests {
    use super::super::super::evidence::Answer;
    use super::*;

    /// Whether a device has changed for good that answered each of this many inputs so, one after the other.
    fn has_changed(answers: &[&[&str]]) -> bool {
        let names: Vec<_> = (0..answers.len()).map(|input| input.to_string()).collect();
        let mut evidence = Evidence::of_check(&names, None);
        for (input, outputs) in (0..).map(Input::new).zip(answers) {
            for output in *outputs {
                evidence.reset(Duration::ZERO);
                let took = Duration::ZERO;
                evidence.answer(&Answer { input, output, is_silence: false, took }, None);
            }
        }
        are_changed_for_good(&evidence)
    }

    #[test]
    fn a_device_has_changed_for_good_where_the_answers_of_five_words_have() {
        let changed: &[&str] = &["fine", "broken", "broken"];
        assert!(has_changed(&[changed; 5]));
        assert!(!has_changed(&[changed; 4]));
        let with = |other| has_changed(&[changed, changed, changed, changed, changed, other]);
        assert!(with(&["fine", "fine"]));
        // It came back, or has come once so far.
        assert!(!with(&["fine", "broken", "fine"]));
        assert!(!with(&["fine", "broken"]));
    }
}
