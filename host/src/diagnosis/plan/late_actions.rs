//! Looks for inputs and resets that act only after they were answered: words whose answers differ are asked with pauses.
//!
//! A device may answer a command at once and do it a while later. Then the answers to what follows depend on how fast it
//! follows, and nothing in the words explains them. A pause after the right input, or after the reset, makes them one and
//! the same. All this shows in one pair of words, of which the first leaves something that the second meets.
//!
//! What looks like it must not be taken for it: a device that answers at random, one that a reset does not reach, one that has
//! changed for good. So the answers must differ before the pauses and again after them, and agree with them so often that
//! chance does not explain it, also after another word; and all words must agree with themselves when the pauses are in the
//! file.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fastrand::Rng;
use mealybug_core::Input;

use super::super::checked_device::{CheckedDevice, FaultKind};
use super::super::evidence::ProposalTrial;
use super::super::late_action::LateAction;
use super::{CheckProgress, Plan, count};
use crate::device::Pauses;
use crate::learned_components::output_name;
use crate::shorten::shorten;

/// The longest pause, which is tried first.
const LONGEST: Duration = Duration::from_secs(1);
/// No shorter pause is tried.
pub(super) const SHORTEST: Duration = Duration::from_millis(60);
/// The chance that answers agree so often though pauses change nothing.
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
/// A word with more answers has a field that changes.
const ANSWERS: usize = 4;
/// How many words may leave what the answers depend on.
const BEFORES: usize = 3;
/// And how many words of one input.
const SINGLE: usize = 8;
/// How often the pauses may get longer or more where words still differ.
const MORE_PAUSES: usize = 4;
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

/// A pair of words that shows a difference, the answer that comes after a pause, and how often it is another one without.
struct FoundPair {
    pair: PairedWords,
    answer: String,
    others: usize,
    without: usize,
}

/// Pauses, and the answer that always comes with them.
struct Agreed {
    pauses: Pauses,
    answer: String,
    times: usize,
}

/// Something that is asked under a time limit.
pub(super) type TrialResult<T, D> = Result<T, TrialEnd<<D as mealybug_core::Sul>::Error>>;

impl<D: CheckedDevice, F: FnMut(&CheckProgress) -> bool> Plan<'_, D, F> {
    /// Looks whether pauses explain the first difference that a trial has looked into.
    pub(super) fn look_for_late_actions(&mut self) -> Result<(), D::Error> {
        if self.has_rests() {
            return Ok(());
        }
        let answers = |trial: &&ProposalTrial| {
            let runs = self.evidence.runs(&trial.word).iter();
            runs.map(|run| &run.output).collect::<BTreeSet<_>>().len()
        };
        let may_be = |it: &&ProposalTrial| !it.may_be_late && !it.is_for_good;
        let first = self.evidence.trials.iter().find(|it| may_be(it) && answers(it) <= ANSWERS);
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
        let FoundPair { pair, answer, others, without } = found;
        let Some(times) = times_to_agree(others, without) else { return Ok(None) };
        let Some(agreed) = self.find_pauses(&pair, &answer, times)? else { return Ok(None) };
        let (pauses, too_short) = self.shorten_pauses(&pair, &agreed)?;
        self.trial_end = self.device.now() + PROVING_TIME;
        let Some(other) = self.differs_again(&pair, &answer, 2 * times)? else { return Ok(None) };
        let enough = pauses.time;
        let pauses = pauses.of_length(rounded_up(enough * 3 / 2));
        let Some((pauses, words)) = self.prove(pauses)? else { return Ok(None) };
        let PairedWords { befores: [before, _], word } = pair;
        let (others, without, with) = (count(others), count(without), count(times));
        Ok(Some(LateAction {
            pauses,
            enough,
            too_short,
            word,
            before,
            answer,
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
        let mut befores: Vec<_> = trial.after.iter().flatten().chain(runs).cloned().collect();
        befores.sort_by(|one, other| one.len().cmp(&other.len()).then(one.cmp(other)));
        befores.dedup();
        // The cause may lie several words before.
        let single = self.words.iter().filter(|word| word.len() == 1).take(SINGLE);
        let befores: Vec<_> = befores.into_iter().take(BEFORES).chain(single.cloned()).collect();
        let mut answer: Option<String> = None;
        for before in &befores {
            let Some(calm) = self.calm_answer(before, word)? else { return Ok(None) };
            // What a pause does not bring back, the reset does not reach.
            if answer.get_or_insert_with(|| calm.clone()) != &calm {
                return Ok(None);
            }
        }
        let Some(answer) = answer else { return Ok(None) };
        for before in befores {
            let other = self.other_before(&before);
            let mut pair = PairedWords { befores: [before, other], word: word.clone() };
            if self.other_answers(&pair, &answer)?.0 < 2 {
                continue;
            }
            self.shorten_before(&mut pair, &answer)?;
            let (others, without) = self.other_answers(&pair, &answer)?;
            return Ok(Some(FoundPair { pair, answer, others, without }));
        }
        Ok(None)
    }

    /// The answer to a word that is asked calmly, after all that the word before has begun.
    fn calm_answer(&mut self, before: &[Input], word: &[Input]) -> TrialResult<Option<String>, D> {
        if self.ask_apart(before)?.is_none() {
            return Ok(None);
        }
        self.rest()?;
        let pair = PairedWords { befores: [Vec::new(), Vec::new()], word: word.to_vec() };
        self.device.pause(&self.all_pauses(&pair));
        let answer = self.ask_after(&[], word);
        self.device.pause(&Pauses::default());
        answer
    }

    /// Another word to ask before the word of a trial, as short as can be.
    fn other_before(&self, before: &[Input]) -> Vec<Input> {
        let is_other = |word: &&Vec<Input>| word.len() == 1 && !before.contains(&word[0]);
        let other = self.words.iter().find(is_other);
        other.or_else(|| self.words.iter().find(|it| **it != before)).cloned().unwrap_or_default()
    }

    /// How often a pair of words is answered otherwise when nothing is waited for, and of how many times.
    fn other_answers(
        &mut self,
        pair: &PairedWords,
        answer: &str,
    ) -> TrialResult<(usize, usize), D> {
        self.rest()?;
        let (mut others, mut all) = (0, 0);
        let until = self.device.now() + LONGEST;
        for tries in 1..=MOST_TRIES {
            for before in &pair.befores {
                let given = self.ask_after(before, &pair.word)?;
                all += usize::from(given.is_some());
                others += usize::from(given.is_some_and(|given| given != answer));
            }
            // What one word has begun may show only in a later one.
            let is_over = tries >= TRIES && self.device.now() >= until;
            if is_over || others >= KNOWN && others * OFTEN >= all {
                break;
            }
        }
        Ok((others, all))
    }

    /// Leaves out inputs of the word before, as long as other answers still come after it.
    fn shorten_before(&mut self, pair: &mut PairedWords, answer: &str) -> TrialResult<(), D> {
        let (word, other) = (pair.word.clone(), pair.befores[1].clone());
        shorten(&mut pair.befores[0], |shorter| {
            let pair =
                PairedWords { befores: [shorter.to_vec(), other.clone()], word: word.clone() };
            let (others, _) = self.other_answers(&pair, answer)?;
            Ok((others >= 2).then(|| shorter.to_vec()))
        })
    }

    /// The longest pauses after the reset and after all inputs that may matter.
    fn all_pauses(&self, pair: &PairedWords) -> Pauses {
        let before_last = &pair.word[..pair.word.len() - 1];
        let inputs = pair.befores[0].iter().chain(before_last).map(|it| it.index() as usize);
        let device = self.evidence.file.as_ref().map(|file| file.device());
        let can_follow = |it: &usize| device.is_none_or(|device| Pauses::can_follow(device, *it));
        let after_inputs = inputs.filter(can_follow).collect();
        Pauses { time: LONGEST, after_reset: true, after_inputs }
    }

    /// As few of these pauses as possible with which the answer comes so often and no other one does.
    fn find_pauses(
        &mut self,
        pair: &PairedWords,
        answer: &str,
        times: usize,
    ) -> TrialResult<Option<Agreed>, D> {
        let all = self.all_pauses(pair);
        let of = |after_reset, input: Option<usize>| Pauses {
            time: LONGEST,
            after_reset,
            after_inputs: input.into_iter().collect(),
        };
        // The last inputs first.
        let inputs = || all.after_inputs.iter().rev().copied().map(Some);
        let single = [of(true, None)].into_iter().chain(inputs().map(|input| of(false, input)));
        let double = inputs().map(|input| of(true, input));
        for pauses in single.chain(double).chain([all.clone()]) {
            if self.agree(pair, [&pauses; 2], times)?.is_some_and(|it| it == answer) {
                return Ok(Some(Agreed { pauses, answer: answer.to_owned(), times }));
            }
        }
        Ok(None)
    }

    /// Halves the pauses as long as that is enough. Returns the longest time that is not, too.
    fn shorten_pauses(
        &mut self,
        pair: &PairedWords,
        agreed: &Agreed,
    ) -> TrialResult<(Pauses, Option<Duration>), D> {
        let mut pauses = agreed.pauses.clone();
        while pauses.time / 2 >= SHORTEST {
            let shorter = pauses.of_length(pauses.time / 2);
            // An earlier reset that acts late hides that the last one does: so the word before gets the longest pauses, too.
            let longest = if shorter.after_reset { &agreed.pauses } else { &shorter };
            let pauses_before = [longest, &shorter];
            let is_enough = |plan: &mut Self, before: &Pauses| {
                let given = plan.agree(pair, [before, &shorter], agreed.times)?;
                Ok(given.is_some_and(|it| it == agreed.answer))
            };
            let enough = match is_enough(self, pauses_before[0]) {
                Ok(true) => is_enough(self, pauses_before[1]),
                other => other,
            };
            // What is known when the time is over will do.
            if matches!(enough, Err(TrialEnd::Stopped)) && self.device.now() >= self.trial_end {
                return Ok((pauses, None));
            }
            if !enough? {
                return Ok((pauses, Some(shorter.time)));
            }
            pauses = shorter;
        }
        Ok((pauses, None))
    }

    /// The answer to a pair of words with these pauses in the first and in the second, if it is always the same.
    fn agree(
        &mut self,
        pair: &PairedWords,
        [first, second]: [&Pauses; 2],
        times: usize,
    ) -> TrialResult<Option<String>, D> {
        self.rest()?;
        let mut agreed = None;
        for before in pair.befores.iter().cycle().take(times) {
            self.device.pause(first);
            if !before.is_empty() && self.ask_apart(before)?.is_none() {
                return Ok(None);
            }
            self.device.pause(second);
            let Some(answer) = self.ask_after(&[], &pair.word)? else { return Ok(None) };
            if agreed.get_or_insert_with(|| answer.clone()) != &answer {
                return Ok(None);
            }
        }
        Ok(agreed)
    }

    /// Another answer to a pair of words than this one, if one comes without pauses.
    fn differs_again(
        &mut self,
        pair: &PairedWords,
        answer: &str,
        times: usize,
    ) -> TrialResult<Option<String>, D> {
        self.rest()?;
        for before in pair.befores.iter().cycle().take(times) {
            let other = self.ask_after(before, &pair.word)?.filter(|it| it != answer);
            if other.is_some() {
                return Ok(other);
            }
        }
        Ok(None)
    }

    /// Asks the words whose answers differed often, and all others twice, with these pauses, and with more or longer ones if
    /// answers still differ. Returns the pauses with which no answer differs, and the number of words.
    fn prove(&mut self, mut pauses: Pauses) -> TrialResult<Option<(Pauses, usize)>, D> {
        for _ in 0..=MORE_PAUSES {
            let (differing, words) = self.differing(&pauses)?;
            let Some(word) = differing else { return Ok(Some((pauses, words))) };
            pauses = match self.one_more(&pauses, &word)? {
                Some(more) => more,
                None if pauses.time < LONGEST => pauses.of_length((pauses.time * 2).min(LONGEST)),
                None => return Ok(None),
            };
        }
        Ok(None)
    }

    /// The first word whose answers differ with these pauses, and how many words were asked twice.
    fn differing(&mut self, pauses: &Pauses) -> TrialResult<(Option<Vec<Input>>, usize), D> {
        let different = self.evidence.differences().into_iter().map(<[Input]>::to_vec);
        let different: Vec<_> = different.take(DIFFERENT).collect();
        let mut order: Vec<_> = (0..DIFFERENT).flat_map(|_| different.clone()).collect();
        for round in 0..2 {
            let mut words = self.words.clone();
            Rng::with_seed(round).shuffle(&mut words);
            order.extend(words);
        }
        self.rest()?;
        self.device.pause(pauses);
        let mut known: BTreeMap<Vec<Input>, String> = BTreeMap::new();
        let (mut once, mut twice) = (BTreeSet::new(), BTreeSet::new());
        for (at, word) in order.into_iter().enumerate() {
            let is_late = self.device.now() >= self.trial_end;
            // What was asked often enough is enough.
            if is_late && at >= DIFFERENT * different.len() {
                break;
            }
            let Some(outputs) = self.ask_apart(&word)? else { continue };
            for (len, output) in (1..).zip(outputs) {
                let before = known.entry(word[..len].to_vec()).or_insert_with(|| output.clone());
                if *before != output {
                    return Ok((Some(word[..len].to_vec()), 0));
                }
            }
            if !once.insert(word.clone()) {
                twice.insert(word);
            }
        }
        Ok((None, twice.len()))
    }

    /// These pauses and one after one more input of a word, with which its answers no longer differ.
    fn one_more(&mut self, pauses: &Pauses, word: &[Input]) -> TrialResult<Option<Pauses>, D> {
        for input in word[..word.len() - 1].iter().rev() {
            let mut more = pauses.clone();
            let pair = PairedWords { befores: [word.to_vec(), Vec::new()], word: word.to_vec() };
            if more.after_inputs.insert(input.index() as usize)
                && self.agree(&pair, [&more; 2], TRIES)?.is_some()
            {
                return Ok(Some(more));
            }
        }
        Ok(None)
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
        if self.device.now() >= self.trial_end {
            return Err(TrialEnd::Stopped);
        }
        if !before.is_empty() && self.ask_apart(before)?.is_none() {
            return Ok(None);
        }
        Ok(self.ask_apart(word)?.and_then(|mut outputs| outputs.pop()))
    }

    /// Asks a word whose answers are no evidence, since they depend on pauses. `None` if it failed.
    fn ask_apart(&mut self, word: &[Input]) -> TrialResult<Option<Vec<String>>, D> {
        // How much it takes is not known: at most as long as it may.
        self.left.at_most = self.trial_end.saturating_sub(self.device.now());
        self.left.exploring = self.pace.words_in(self.left.at_most);
        self.ask_as_foreseen(word)
    }

    /// The same for one of the words that are left.
    pub(super) fn ask_as_foreseen(
        &mut self,
        word: &[Input],
    ) -> TrialResult<Option<Vec<String>>, D> {
        if !self.goes_on() {
            return Err(TrialEnd::Stopped);
        }
        let (result, took) = self.reset();
        self.evidence.pass(word, took);
        let answers = result.and_then(|()| {
            word.iter().map(|input| self.device.step(*input).map(output_name)).collect()
        });
        self.device.take_events();
        match answers {
            Ok(answers) => Ok(Some(answers)),
            Err(error) => match D::fault(&error) {
                FaultKind::Away | FaultKind::Device => Err(TrialEnd::Failed(error)),
                _ => Ok(None),
            },
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
