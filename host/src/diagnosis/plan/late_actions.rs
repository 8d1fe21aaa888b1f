//! Looks for inputs and resets that act only after they were answered: words whose answers differ are asked with pauses.
//!
//! A device may answer a command at once and do it a while later. Then the answers to what follows depend on how fast it
//! follows, and nothing in the words explains them. A pause after the right input, or after the reset, makes them one and
//! the same. All this shows in one pair of words, of which the first leaves something that the second meets.
//!
//! A pause may also only move the action to a place where this pair of words does not look. So answers must agree at other
//! paces, too: each word before is also cut after its actors, and the word is also asked with a long pause after its reset or
//! before its last input. If this does not settle it, nothing is proposed.
//! An action that comes more than two of the longest pauses later may still be missed.
//!
//! What looks like it must not be taken for it: a device that answers at random, or one that a reset does not reach. So the
//! answers must agree with the pauses for enough times that chance does not explain it, and all words must agree with themselves
//! when the pauses are in the file.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fastrand::Rng;
use mealybug_core::Input;

use super::super::checked_device::{CheckedDevice, FaultKind};
use super::super::late_action::LateAction;
use super::super::trial::ProposalTrial;
use super::{Plan, count};
use crate::device::{DeviceFile, Late, Pauses};
use crate::learned_components::output_name;
use crate::shorten::shorten;

/// The longest pause, which is tried first.
const LONGEST: Duration = Duration::from_secs(1);
/// No shorter pause is tried.
const SHORTEST: Duration = Duration::from_millis(60);
/// The chance that all answers agree though pauses change nothing.
const CHANCE: f64 = 0.001;
/// How often a pair of words is asked without pauses, at least and at most, to find out how often answers differ.
const TRIES: usize = 12;
const MOST_TRIES: usize = 60;
/// Fewer other answers than this do not show how often they come.
const KNOWN: usize = 3;
/// How often a pair of words is asked with pauses, at least and at most.
const AGREED: (usize, usize) = (4, 40);
/// One answer in this many is often.
const OFTEN: usize = 3;
/// How often words with different answers are asked with the proposed pauses.
const DIFFERENT: usize = 6;
/// At how many paces a word is asked: without more pauses, with one after its reset, and with one before its last input.
const PACES: usize = 3;
/// How many words may leave what the answers depend on.
const BEFORES: usize = 3;
/// And how many words of one input.
const SINGLE: usize = 8;
/// How long to look for pauses, and then to try what is proposed on all words.
pub(super) const LOOKING_TIME: Duration = Duration::from_secs(120);
pub(super) const PROVING_TIME: Duration = Duration::from_secs(60);
/// The proposed pause is a multiple of this.
const STEP_MS: u64 = 50;

/// Why nothing more is asked.
pub(super) enum TrialEnd<E> {
    /// The user ends the check, or this has taken long.
    Stopped,
    Failed(E),
}

/// A word, and the words before its reset after which its answers differ.
struct PairedWords {
    befores: [Vec<Input>; 2],
    word: Vec<Input>,
}

/// A pair of words that shows a difference, the answers that come after pauses, and the other ones to its last input without.
struct FoundPair {
    pair: PairedWords,
    answers: Vec<String>,
    others: OtherAnswers,
}

/// Answers to a pair of words that are not the one after pauses: how many, of how many, and the latest.
#[derive(Default)]
struct OtherAnswers {
    count: usize,
    of: usize,
    latest: String,
}

/// Something that is asked under a time limit.
pub(super) type TrialResult<T, D> = Result<T, TrialEnd<<D as mealybug_core::Sul>::Error>>;

impl<D: CheckedDevice> Plan<'_, D> {
    /// Looks whether pauses explain the first difference that a trial has looked into.
    pub(super) fn look_for_late_actions(&mut self) -> Result<(), D::Error> {
        if self.has_rests() {
            return Ok(());
        }
        let first = self.evidence.trials.iter().find(|it| !it.may_be_late);
        let Some(trial) = first.cloned() else { return Ok(()) };
        self.trial_end = self.device.now() + LOOKING_TIME;
        let found = self.find_late_action(&trial);
        self.evidence.late_action = self.end_trial(found)?.flatten();
        Ok(())
    }

    /// Ends the pauses of a trial. Returns what it has found, if it came to its end.
    pub(super) fn end_trial<T>(&mut self, found: TrialResult<T, D>) -> Result<Option<T>, D::Error> {
        self.device.pause(&Pauses::default());
        self.left.exploring = 0;
        match found {
            Ok(found) => Ok(Some(found)),
            Err(TrialEnd::Stopped) => Ok(None),
            Err(TrialEnd::Failed(error)) => Err(error),
        }
    }

    fn find_late_action(&mut self, trial: &ProposalTrial) -> TrialResult<Option<LateAction>, D> {
        let Some(found) = self.find_pair(trial)? else { return Ok(None) };
        let FoundPair { pair, answers, others } = found;
        let OtherAnswers { count: others, of: without, latest: other } = others;
        let Some(times) = times_to_agree(others, without) else { return Ok(None) };
        let Some(longest) = self.find_pauses(&pair, &answers, times)? else { return Ok(None) };
        let (enough, too_short) = self.shortest_enough(LONGEST, |plan, time| {
            plan.agree(&pair, &answers, &longest.of_length(time), times)
        })?;
        self.trial_end = self.device.now() + PROVING_TIME;
        let pauses = longest.of_length(rounded_up(enough * 3 / 2));
        let Some(words) = self.prove(&pauses)? else { return Ok(None) };
        let PairedWords { befores: [before, _], word } = pair;
        let (others, without, with) = (count(others), count(without), count(times));
        Ok(Some(LateAction {
            pauses,
            enough,
            too_short,
            word,
            before,
            answer: last_of(&answers),
            other,
            others,
            without,
            with,
            words,
        }))
    }

    /// A pair of words that shows the difference, as short as can be.
    fn find_pair(&mut self, trial: &ProposalTrial) -> TrialResult<Option<FoundPair>, D> {
        let word = &trial.word;
        let runs = self.evidence.runs(word).iter().filter_map(|run| run.after.as_ref());
        let mut befores: Vec<_> = trial.causes.iter().flatten().chain(runs).cloned().collect();
        befores.sort_by(|one, other| one.len().cmp(&other.len()).then(one.cmp(other)));
        befores.dedup();
        // The cause may lie several words before.
        let single = self.words.iter().filter(|word| word.len() == 1).take(SINGLE);
        let befores: Vec<_> = befores.into_iter().take(BEFORES).chain(single.cloned()).collect();
        let mut answers: Option<Vec<String>> = None;
        for before in &befores {
            let Some(calm) = self.calm_answers(before, word)? else { return Ok(None) };
            // What a pause does not bring back, the reset does not reach.
            if *answers.get_or_insert_with(|| calm.clone()) != calm {
                return Ok(None);
            }
        }
        let Some(answers) = answers else { return Ok(None) };
        let answer = last_of(&answers);
        for before in befores {
            let other = self.other_before(&before);
            let mut pair = PairedWords { befores: [before, other], word: word.clone() };
            if self.other_answers(&pair, &answer)?.count < 2 {
                continue;
            }
            self.shorten_before(&mut pair, &answer)?;
            let others = self.other_answers(&pair, &answer)?;
            return Ok(Some(FoundPair { pair, answers, others }));
        }
        Ok(None)
    }

    /// The answers to a word that is asked calmly, after all that the word before has begun.
    fn calm_answers(
        &mut self,
        before: &[Input],
        word: &[Input],
    ) -> TrialResult<Option<Vec<String>>, D> {
        if self.ask_apart(before)?.is_none() {
            return Ok(None);
        }
        self.rest()?;
        let pair = PairedWords { befores: [Vec::new(), Vec::new()], word: word.to_vec() };
        let pauses = Pauses { after_reset: true, ..self.all_pauses(&pair) };
        self.device.pause(&pauses);
        let answers = self.ask_apart(word);
        self.device.pause(&Pauses::default());
        answers
    }

    /// Another word to ask before the word of a trial, as short as can be.
    fn other_before(&self, before: &[Input]) -> Vec<Input> {
        let is_other = |word: &&Vec<Input>| word.len() == 1 && !before.contains(&word[0]);
        let other = self.words.iter().find(is_other);
        other.or_else(|| self.words.iter().find(|it| **it != before)).cloned().unwrap_or_default()
    }

    /// The answers to a pair of words that are other ones than this when nothing is waited for.
    fn other_answers(&mut self, pair: &PairedWords, answer: &str) -> TrialResult<OtherAnswers, D> {
        self.rest()?;
        let mut others = OtherAnswers::default();
        let until = self.device.now() + LONGEST;
        for tries in 1..=MOST_TRIES {
            for before in &pair.befores {
                let Some(given) = self.ask_after(before, &pair.word)? else { continue };
                others.of += 1;
                if given != answer {
                    others.count += 1;
                    others.latest = given;
                }
            }
            // What one word has begun may show only in a later one.
            let is_over = tries >= TRIES && self.device.now() >= until;
            if is_over || others.count >= KNOWN && others.count * OFTEN >= others.of {
                break;
            }
        }
        Ok(others)
    }

    /// Leaves out inputs of the word before, as long as other answers still come after it.
    fn shorten_before(&mut self, pair: &mut PairedWords, answer: &str) -> TrialResult<(), D> {
        let (word, other) = (pair.word.clone(), pair.befores[1].clone());
        shorten(&mut pair.befores[0], |shorter| {
            let pair =
                PairedWords { befores: [shorter.to_vec(), other.clone()], word: word.clone() };
            let others = self.other_answers(&pair, answer)?;
            Ok((others.count >= 2).then(|| shorter.to_vec()))
        })
    }

    /// The longest pauses after the reset and after all inputs that may matter.
    fn all_pauses(&self, pair: &PairedWords) -> Pauses {
        let before_last = &pair.word[..pair.word.len() - 1];
        let inputs = pair.befores.iter().flatten().chain(before_last);
        let device = self.evidence.file.as_ref().map(|file| file.device());
        let after_inputs = inputs.map(|it| it.index() as usize).collect();
        // A reply that may go on late, even after the next reset, does not show that the reset acts late.
        let is_late =
            |device: &DeviceFile| device.inputs.iter().any(|it| it.reply.late != Late::Error);
        Pauses { time: LONGEST, after_reset: !device.is_some_and(is_late), after_inputs }
    }

    /// As few of the longest pauses as possible with which these answers always come. Without any of them, others come.
    fn find_pauses(
        &mut self,
        pair: &PairedWords,
        answers: &[String],
        times: usize,
    ) -> TrialResult<Option<Pauses>, D> {
        let mut pauses = self.all_pauses(pair);
        let single = pauses.each();
        for one in single.iter().rev() {
            if self.agree(pair, answers, one, times)? == Some(true) {
                return Ok(Some(one.clone()));
            }
        }
        if self.agree(pair, answers, &pauses, times)? != Some(true) {
            return Ok(None);
        }
        for one in &single {
            let fewer = pauses.without(one);
            if self.agree(pair, answers, &fewer, times)? == Some(true) {
                pauses = fewer;
            }
        }
        Ok(Some(pauses))
    }

    /// Halves a time that is enough, as long as it stays so. Returns the longest time that is not, too. What is known when no
    /// more may be asked will do. `is_enough` returns `None` if a word failed.
    pub(super) fn shortest_enough(
        &mut self,
        longest: Duration,
        mut is_enough: impl FnMut(&mut Self, Duration) -> TrialResult<Option<bool>, D>,
    ) -> TrialResult<(Duration, Option<Duration>), D> {
        let mut enough = longest;
        while enough / 2 >= SHORTEST {
            match is_enough(self, enough / 2) {
                Ok(Some(true)) => enough /= 2,
                Ok(Some(false)) => return Ok((enough, Some(enough / 2))),
                Ok(None) | Err(TrialEnd::Stopped) => break,
                Err(failed) => return Err(failed),
            }
        }
        Ok((enough, None))
    }

    /// Whether a pair of words has these answers each time with these pauses, at any pace. `None` if a word failed.
    fn agree(
        &mut self,
        pair: &PairedWords,
        answers: &[String],
        pauses: &Pauses,
        times: usize,
    ) -> TrialResult<Option<bool>, D> {
        let mut befores = Vec::new();
        for before in &pair.befores {
            befores.push(&before[..]);
            // What follows an actor would give it more time than the pause.
            let all = BTreeSet::from_iter(before);
            let last =
                all.into_iter().filter_map(|input| before.iter().rposition(|it| it == input));
            befores.extend(last.map(|at| &before[..=at]).filter(|it| it.len() < before.len()));
        }
        // An earlier reset that acts late hides that the last one does.
        let pace_before = pauses.after_reset.then_some(0);
        let paces = paces(&pair.word);
        self.rest()?;
        // Each round goes through the words before, and each of them has another pace in each round: a few times show many of both.
        for number in 0..times {
            let (round, at) = (number / befores.len(), number % befores.len());
            let (before, pace) = (befores[at], paces[(at + round) % paces.len()]);
            if !before.is_empty() && self.ask_at_pace(before, pauses, pace_before)?.is_none() {
                return Ok(None);
            }
            match self.ask_at_pace(&pair.word, pauses, pace)? {
                None => return Ok(None),
                Some(given) if given != answers => return Ok(Some(false)),
                Some(_) => {}
            }
        }
        Ok(Some(true))
    }

    /// Asks a word with these pauses, and with the longest one at the place `slow`: after the reset at 0, after input `n` at `n`.
    fn ask_at_pace(
        &mut self,
        word: &[Input],
        pauses: &Pauses,
        slow: Option<usize>,
    ) -> TrialResult<Option<Vec<String>>, D> {
        if self.device.now() >= self.trial_end {
            return Err(TrialEnd::Stopped);
        }
        self.left.at_most = self.trial_end.saturating_sub(self.device.now());
        self.left.exploring = self.pace.words_in(self.left.at_most);
        let after_inputs = word.iter().map(|it| it.index() as usize).collect();
        let long = Pauses { time: LONGEST, after_reset: true, after_inputs };
        let given = self.ask_changing(word, |device, at| match slow {
            Some(slow) if slow == at => device.pause(&long),
            _ => device.pause(pauses),
        });
        self.device.pause(&Pauses::default());
        given
    }

    /// Asks the words whose answers differed often, and all others at each of three paces, with these pauses. Returns the number
    /// of words, if no answer differs.
    fn prove(&mut self, pauses: &Pauses) -> TrialResult<Option<usize>, D> {
        let different = self.evidence.differences().into_iter().map(<[Input]>::to_vec);
        let different: Vec<_> = different.take(DIFFERENT).collect();
        let mut order: Vec<_> = (0..DIFFERENT).flat_map(|_| different.clone()).collect();
        let often = order.len();
        for round in 0..3 {
            let mut words = self.words.clone();
            Rng::with_seed(round).shuffle(&mut words);
            order.extend(words);
        }
        self.rest()?;
        let mut known: BTreeMap<Vec<Input>, String> = BTreeMap::new();
        let mut asked: BTreeMap<Vec<Input>, usize> = BTreeMap::new();
        for (at, word) in order.into_iter().enumerate() {
            // The same word comes at another pace each time.
            let times = asked.entry(word.clone()).or_default();
            let pace = paces(&word)[*times % PACES];
            let outputs = match self.ask_at_pace(&word, pauses, pace) {
                // What was asked by then is enough.
                Err(TrialEnd::Stopped) if at >= often => break,
                other => other?,
            };
            let Some(outputs) = outputs else { continue };
            *times += 1;
            for (len, output) in (1..).zip(outputs) {
                if *known.entry(word[..len].to_vec()).or_insert_with(|| output.clone()) != output {
                    return Ok(None);
                }
            }
        }
        Ok(Some(asked.values().filter(|times| **times > 1).count()))
    }

    /// Lets what the last words have begun come to its end.
    fn rest(&mut self) -> TrialResult<(), D> {
        self.device.pause(&Pauses { time: LONGEST, after_reset: true, ..Pauses::default() });
        self.ask_apart(&[])?;
        self.device.pause(&Pauses::default());
        Ok(())
    }

    /// The answer to the last input of a word, after another word and a reset; `None` if one of them failed.
    fn ask_after(&mut self, before: &[Input], word: &[Input]) -> TrialResult<Option<String>, D> {
        if !before.is_empty() && self.ask_apart(before)?.is_none() {
            return Ok(None);
        }
        Ok(self.ask_apart(word)?.and_then(|mut outputs| outputs.pop()))
    }

    /// Asks a word whose answers are no evidence, since they depend on pauses. `None` if it failed.
    fn ask_apart(&mut self, word: &[Input]) -> TrialResult<Option<Vec<String>>, D> {
        if self.device.now() >= self.trial_end {
            return Err(TrialEnd::Stopped);
        }
        // How much it takes is not known: at most as long as it may.
        self.left.at_most = self.trial_end.saturating_sub(self.device.now());
        self.left.exploring = self.pace.words_in(self.left.at_most);
        self.ask_as_foreseen(word)
    }

    /// The same for one of the words that are left.
    fn ask_as_foreseen(&mut self, word: &[Input]) -> TrialResult<Option<Vec<String>>, D> {
        self.ask_changing(word, |_, _| {})
    }

    /// The same. `before_each` may change the device before its reset, at 0, and before input `n` of the word, at `n`.
    fn ask_changing(
        &mut self,
        word: &[Input],
        before_each: impl Fn(&mut D, usize),
    ) -> TrialResult<Option<Vec<String>>, D> {
        Ok(self.try_changing(word, before_each)?.ok())
    }

    /// The same, with the error if the word failed.
    pub(super) fn try_changing(
        &mut self,
        word: &[Input],
        before_each: impl Fn(&mut D, usize),
    ) -> TrialResult<Result<Vec<String>, D::Error>, D> {
        if !self.goes_on() {
            return Err(TrialEnd::Stopped);
        }
        before_each(self.device, 0);
        let answers = self.reset_apart().and_then(|()| {
            self.evidence.pass(word);
            let steps = (1..).zip(word).map(|(at, input)| {
                before_each(self.device, at);
                self.device.step(*input).map(output_name)
            });
            steps.collect()
        });
        self.device.take_events();
        match answers {
            Err(error) if matches!(D::fault(&error), FaultKind::Away | FaultKind::Device) => {
                Err(TrialEnd::Failed(error))
            }
            answers => Ok(answers),
        }
    }
}

/// How many answers must agree before chance does not explain it. Without pauses, `others` of `of` answers were other ones.
/// `None` if they were too rare.
fn times_to_agree(others: usize, of: usize) -> Option<usize> {
    if others < 2 {
        return None;
    }
    let rate = f64::from(count(others)) / f64::from(count(of));
    let (least, most) = AGREED;
    (least..=most).find(|&times| (1.0 - rate).powf(f64::from(count(times))) <= CHANCE)
}

/// The places of one more pause in a word: none, after its reset, and before its last input.
fn paces(word: &[Input]) -> [Option<usize>; PACES] {
    [None, Some(0), Some(word.len().saturating_sub(1))]
}

/// The answer to the last input of a word.
fn last_of(answers: &[String]) -> String {
    answers.last().cloned().unwrap_or_default()
}

/// Rounds a pause up to a rounder number of ms.
fn rounded_up(time: Duration) -> Duration {
    let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(ms.div_ceil(STEP_MS).saturating_mul(STEP_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_differences_need_more_tries() {
        assert_eq!(times_to_agree(12, 12), Some(4));
        assert_eq!(times_to_agree(6, 12), Some(10));
        assert_eq!(times_to_agree(6, 24), Some(25));
        assert_eq!(times_to_agree(2, 24), None);
        assert_eq!(times_to_agree(1, 4), None);
    }

    #[test]
    fn a_pause_is_a_round_number() {
        let ms = Duration::from_millis;
        assert_eq!(rounded_up(ms(375)), ms(400));
        assert_eq!(rounded_up(ms(1500)), ms(1500));
    }
}
