//! Looks for answers that depend on how fast inputs follow each other.
//!
//! A check asks all words at one pace. What an input does only after its answer, and time-outs of the device, then change no
//! answer: nothing differs, until a run or a user goes at another pace. So words are asked again with a pause before their
//! last input: for each input, what follows it in the states that answers tell apart.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::late_action::{SlowOutcome, SlowerAnswer};
use super::super::pace::Left;
use super::late_actions::{TrialEnd, TrialResult};
use super::{CheckProgress, CheckStage, Plan, count};
use crate::device::Pauses;

/// The pause that is tried.
const PAUSE: Duration = Duration::from_secs(1);
/// How long words are asked with it.
const LOOKING_TIME: Duration = Duration::from_secs(60);
/// And how long it is then tried whether the pause is the reason.
const CONFIRMING_TIME: Duration = Duration::from_secs(60);
/// How many outputs an input may have, for an estimate.
const OUTPUTS: u32 = 2;
/// Which of the words have the pause that must show both answers again. No short period fits this: a device whose state
/// outlives its resets does not answer so because of the words before.
const PAUSED: [bool; 8] = [false, true, true, false, true, false, false, true];

impl<D: CheckedDevice, F: FnMut(&CheckProgress) -> bool> Plan<'_, D, F> {
    /// Asks words with a pause whose answers were stable so far.
    pub(super) fn look_at_slower_words(&mut self) -> Result<(), D::Error> {
        if self.evidence.late_action.is_some() || self.has_rests() {
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

    /// How many words there will be at most, as far as is known before the device has answered: some outputs for each input.
    pub(super) fn slower_words_at_most(inputs: u32) -> u32 {
        let pairs = inputs.saturating_mul(inputs);
        pairs.saturating_mul(OUTPUTS * OUTPUTS).min(Self::slower_words_in_time())
    }

    /// How many words there is time for.
    fn slower_words_in_time() -> u32 {
        u32::try_from(LOOKING_TIME.as_millis() / PAUSE.as_millis()).unwrap_or(u32::MAX)
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
            let usual_outcome = SlowOutcome::Answer(usual.clone());
            let slow = self.outcome(&word, PAUSE)?;
            let Some(slow) = slow.filter(|slow| !slow.is_same(&usual_outcome)) else { continue };
            let looking_ends = self.trial_end;
            let began = self.device.now();
            self.trial_end = began + CONFIRMING_TIME;
            let outcomes = [&usual_outcome, &slow];
            if self.is_by_pause(&word, PAUSE, outcomes)? {
                let (enough, too_short) = self.shortest_enough(PAUSE, |plan, time| {
                    plan.is_by_pause(&word, time, outcomes).map(Some)
                })?;
                return Ok(Some(SlowerAnswer { word, usual, slow, enough, too_short }));
            }
            self.trial_end = looking_ends + self.device.now().saturating_sub(began);
        }
        Ok(None)
    }

    /// For each two inputs in a row and each pair of outputs that they had, the shortest word that ends with them, and the
    /// output of the last one. Each input is followed by others in turn, first by those with the most different outputs.
    fn words_to_slow_down(&self) -> Vec<(Vec<Input>, String)> {
        let device = self.evidence.file.as_ref().map(|file| file.device());
        let can_follow = |input: &Input| {
            device.is_none_or(|device| Pauses::can_follow(device, input.index() as usize))
        };
        let stable: BTreeMap<&[Input], &str> = self
            .evidence
            .answers()
            .filter_map(|(word, runs)| Some((word, runs.first().filter(|_| runs.len() == 1)?)))
            .map(|(word, run)| (word, run.output.as_str()))
            .collect();
        let mut outputs: BTreeMap<Input, BTreeSet<&str>> = BTreeMap::new();
        let mut shortest: BTreeMap<_, &[Input]> = BTreeMap::new();
        for (&word, &output) in &stable {
            let [.., before, last] = word else { continue };
            outputs.entry(*last).or_default().insert(output);
            let Some(&output_before) = stable.get(&word[..word.len() - 1]) else { continue };
            let is_stable = (1..word.len()).all(|len| stable.contains_key(&word[..len]));
            if is_stable && can_follow(before) {
                let known = shortest.entry((*before, output_before, *last, output)).or_insert(word);
                *known = if word.len() < known.len() { word } else { known };
            }
        }
        let mut after: BTreeMap<Input, Vec<(&[Input], &str)>> = BTreeMap::new();
        for ((before, _, _, output), word) in shortest {
            after.entry(before).or_default().push((word, output));
        }
        let tells = |word: &[Input]| {
            word.last().and_then(|last| outputs.get(last)).map_or(0, BTreeSet::len)
        };
        for words in after.values_mut() {
            words.sort_by_key(|(word, _)| (std::cmp::Reverse(tells(word)), word.len()));
        }
        let most = after.values().map(Vec::len).max().unwrap_or(0);
        let turns =
            (0..most).flat_map(|turn| after.values().filter_map(move |words| words.get(turn)));
        let words = turns.map(|(word, output)| (word.to_vec(), (*output).to_owned()));
        words.take(Self::slower_words_in_time() as usize).collect()
    }

    /// What a word comes to with a pause of this length before its last input; `None` if what failed was no fault of the word.
    fn outcome(&mut self, word: &[Input], pause: Duration) -> TrialResult<Option<SlowOutcome>, D> {
        let before = word[..word.len() - 1].last().map(|input| input.index() as usize);
        let after_inputs = before.into_iter().collect();
        self.device.pause(&Pauses { time: pause, after_reset: false, after_inputs });
        if self.device.now() >= self.trial_end {
            return Err(TrialEnd::Stopped);
        }
        Ok(match self.try_changing(word, |_, _| {})? {
            Ok(mut outputs) => outputs.pop().map(SlowOutcome::Answer),
            Err(error) if D::fault(&error).is_of_word() => {
                Some(SlowOutcome::Failure(error.to_string()))
            }
            Err(_) => None,
        })
    }

    /// Whether a word comes to one thing each time without a pause, and to the other one each time with it.
    fn is_by_pause(
        &mut self,
        word: &[Input],
        pause: Duration,
        [usual, slow]: [&SlowOutcome; 2],
    ) -> TrialResult<bool, D> {
        // Where other answers differ, chance may agree for once.
        let rounds = if self.evidence.differences().is_empty() { 1 } else { 2 };
        for is_paused in PAUSED.into_iter().cycle().take(PAUSED.len() * rounds) {
            let (pause, expected) = if is_paused { (pause, slow) } else { (Duration::ZERO, usual) };
            if self.outcome(word, pause)?.is_none_or(|outcome| !outcome.is_same(expected)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
