//! Which words, asked before a reset, decide the answer after it.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::trial::ProposalTrial;
use super::Plan;
use crate::shorten::shorten;

/// The most words to ask while the words that decide an answer are found and shortened, and how long that may take.
pub(super) const CAUSES_WORDS: u32 = 80;
pub(super) const CAUSES_TIME: Duration = Duration::from_secs(60);

impl<D: CheckedDevice> Plan<'_, D> {
    /// Finds the words that decide the answer of the first trial that shows a reset which leaves something behind.
    pub(super) fn find_causes(&mut self) -> Result<(), D::Error> {
        let by_reset = self.evidence.trials.iter().position(|it| it.is_by_reset && !it.is_for_good);
        let (None, Some(number)) = (&self.evidence.late_action, by_reset) else { return Ok(()) };
        self.left.exploring = CAUSES_WORDS;
        self.trial_end = self.device.now() + CAUSES_TIME;
        let mut trial = self.evidence.trials[number].clone();
        let found = self.find_causes_of(&mut trial);
        self.left.exploring = 0;
        self.evidence.trials[number] = trial;
        found
    }

    /// Keeps the words that came before the answers if they decide. Else they only came after what an earlier word had left, and words
    /// that bring the answers take their places, if there are such words.
    fn find_causes_of(&mut self, trial: &mut ProposalTrial) -> Result<(), D::Error> {
        let Some(known) = trial.opposed_causes() else { return Ok(()) };
        if self.decide(&known, trial)? != Some(false) {
            return Ok(());
        }
        let bringing = |side: usize| trial.seen.bringing(&trial.outputs[side]).cloned();
        let causes = bringing(0).zip(bringing(1)).map(|(one, other)| [one, other]);
        let decides = match &causes {
            Some(causes) => self.decide(causes, trial)?,
            None => Some(false),
        };
        trial.is_by_several = decides == Some(false);
        let Some(causes) = causes.filter(|_| decides == Some(true)) else { return Ok(()) };
        for (named, cause) in trial.causes.iter_mut().zip(&causes) {
            *named = named.is_some().then(|| cause.clone());
        }
        self.shorten_causes(trial, causes)
    }

    /// Shortens the words that bring the answers of a trial.
    pub(super) fn shorten_causes(
        &mut self,
        trial: &mut ProposalTrial,
        mut causes: [Vec<Input>; 2],
    ) -> Result<(), D::Error> {
        for side in 0..2 {
            if trial.causes[side].is_none() {
                continue;
            }
            let mut word = causes[side].clone();
            let result = shorten(&mut word, |shorter| {
                let mut shortened = causes.clone();
                shortened[side] = shorter.to_vec();
                match self.decide(&shortened, trial) {
                    Ok(Some(true)) => Ok(Some(shorter.to_vec())),
                    Ok(Some(false)) => Ok(None),
                    Ok(None) => Err(None),
                    Err(error) => Err(Some(error)),
                }
            });
            causes[side].clone_from(&word);
            trial.causes[side] = Some(word);
            match result {
                Err(Some(error)) => return Err(error),
                Err(None) => return Ok(()),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    /// Whether these words, asked before the word of a trial, decide its answer. `None` if no more words may be asked.
    fn decide(
        &mut self,
        causes: &[Vec<Input>; 2],
        trial: &ProposalTrial,
    ) -> Result<Option<bool>, D::Error> {
        if causes[0] == causes[1] {
            return Ok(Some(false));
        }
        // Each cause is asked after the other, which leaves something else behind, and one after itself: what only toggles something
        // brings another answer then.
        for side in [0, 1, 1, 0] {
            let is_over = self.left.exploring < 2 || self.device.now() > self.trial_end;
            if is_over || !self.goes_on() {
                return Ok(None);
            }
            self.left.exploring -= 2;
            self.ask(&causes[side])?;
            let answer = self.ask(&trial.word)?.and_then(|mut asked| asked.pop());
            if answer.is_none_or(|(_, answer)| answer != trial.outputs[side]) {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    }
}
