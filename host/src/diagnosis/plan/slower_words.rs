//! Looks for answers that depend on how fast inputs follow each other.
//!
//! A check asks all words at one pace. What an input does only after its answer, and time-outs of the device, then change no
//! answer: nothing differs, until a run or a user goes at another pace. So words are asked again with a pause before their
//! last input.

use std::collections::BTreeMap;
use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::late_action::SlowerAnswer;
use super::super::pace::Left;
use super::late_actions::{TrialEnd, TrialResult};
use super::{CheckProgress, CheckStage, Plan, count};
use crate::device::Pauses;

/// The pause that is tried.
const PAUSE: Duration = Duration::from_millis(500);
/// How long words are asked with it.
const LOOKING_TIME: Duration = Duration::from_secs(30);
/// And how long it is then tried whether the pause is the reason.
const CONFIRMING_TIME: Duration = Duration::from_secs(30);
/// How often both answers must come again.
const TIMES: usize = 3;

impl<D: CheckedDevice, F: FnMut(&CheckProgress) -> bool> Plan<'_, D, F> {
    /// Asks words with a pause, where all answers were stable so far.
    pub(super) fn look_at_slower_words(&mut self) -> Result<(), D::Error> {
        let is_stable = self.evidence.trials.is_empty() && self.evidence.differences().is_empty();
        if !is_stable || self.has_rests() {
            return Ok(());
        }
        self.stage = CheckStage::Compare;
        self.trial_end = self.device.now() + LOOKING_TIME;
        let found = self.find_slower_answer();
        self.left.pauses = Duration::ZERO;
        self.evidence.slower = self.end_trial(found)?.flatten();
        Ok(())
    }

    /// What these words will take, if answers stay stable.
    pub(super) fn left_for_slower_words(&self) -> Left {
        let words = count(self.words_to_slow_down().len());
        let pauses = Self::pauses_of(words);
        Left { exploring: words, at_most: LOOKING_TIME, pauses, ..Left::default() }
    }

    /// How long the pauses of this number of words take.
    pub(super) fn pauses_of(words: u32) -> Duration {
        PAUSE.saturating_mul(words).min(LOOKING_TIME)
    }

    fn find_slower_answer(&mut self) -> TrialResult<Option<SlowerAnswer>, D> {
        let words = self.words_to_slow_down();
        let mut left = count(words.len());
        for (word, usual) in words {
            (self.left.exploring, self.left.pauses) = (left, Self::pauses_of(left));
            left -= 1;
            let Some(slow) = self.last_answer(&word, PAUSE)?.filter(|it| *it != usual) else {
                continue;
            };
            let looking_ends = self.trial_end;
            let began = self.device.now();
            self.trial_end = began + CONFIRMING_TIME;
            if self.is_by_pause(&word, PAUSE, [&usual, &slow])? {
                let (enough, too_short) = self.shortest_enough(PAUSE, |plan, time| {
                    plan.is_by_pause(&word, time, [&usual, &slow]).map(Some)
                })?;
                return Ok(Some(SlowerAnswer { word, usual, slow, enough, too_short }));
            }
            self.trial_end = looking_ends + self.device.now().saturating_sub(began);
        }
        Ok(None)
    }

    /// For each two inputs in a row, the shortest word that ends with them, and the answer to its last input.
    fn words_to_slow_down(&self) -> Vec<(Vec<Input>, String)> {
        let device = self.evidence.file.as_ref().map(|file| file.device());
        let can_follow = |input: &Input| {
            device.is_none_or(|device| Pauses::can_follow(device, input.index() as usize))
        };
        let mut words: BTreeMap<[Input; 2], (Vec<Input>, String)> = BTreeMap::new();
        for (word, runs) in self.evidence.answers() {
            let ([.., before, last], [run]) = (word, runs) else { continue };
            let known = words.get(&[*before, *last]);
            let is_shorter = known.is_none_or(|(known, _)| word.len() < known.len());
            if is_shorter && can_follow(before) {
                words.insert([*before, *last], (word.to_vec(), run.output.clone()));
            }
        }
        let mut words: Vec<_> = words.into_values().collect();
        words.sort_by_key(|(word, _)| word.len());
        words
    }

    /// The answer to the last input of a word after a pause of this length before it; `None` if the word failed.
    fn last_answer(&mut self, word: &[Input], pause: Duration) -> TrialResult<Option<String>, D> {
        let before = word[..word.len() - 1].last().map(|input| input.index() as usize);
        let after_inputs = before.into_iter().collect();
        self.device.pause(&Pauses { time: pause, after_reset: false, after_inputs });
        if self.device.now() >= self.trial_end {
            return Err(TrialEnd::Stopped);
        }
        Ok(self.ask_as_foreseen(word)?.and_then(|mut outputs| outputs.pop()))
    }

    /// Whether a word has one answer each time without a pause, and the other one each time with it.
    fn is_by_pause(
        &mut self,
        word: &[Input],
        pause: Duration,
        [usual, slow]: [&String; 2],
    ) -> TrialResult<bool, D> {
        for _ in 0..TIMES {
            let fast = self.last_answer(word, Duration::ZERO)?;
            let paused = self.last_answer(word, pause)?;
            if fast.as_ref() != Some(usual) || paused.as_ref() != Some(slow) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
