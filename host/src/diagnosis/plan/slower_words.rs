//! Looks for answers that depend on how fast inputs follow each other.
//!
//! A check asks all words at one pace. What an input does only after its answer, and time-outs of the device, then change no
//! answer: nothing differs, until a run or a user goes at another pace. So words are asked twice: without a pause, and with one
//! after the reset or after an input. Each input gets its pause in all states that answers tell apart.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::going_on::LateRest;
use super::super::late_action::{Actor, ActorRest, SlowOutcome, SlowerAnswer};
use super::super::pace::Left;
use super::late_actions::{TrialEnd, TrialResult};
use super::{CheckStage, Plan, TURNS, count};
use crate::device::{Late, Pauses};
use crate::serial::clean_finished;

/// The pause that is tried.
const PAUSE: Duration = Duration::from_secs(1);
/// How long words are asked with it, and without.
const LOOKING_TIME: Duration = Duration::from_secs(60);
/// And how long it is then tried whether the pause is the reason.
const CONFIRMING_TIME: Duration = Duration::from_secs(60);
/// How long the rest of a reply may come after its end.
const REST: Duration = Duration::from_secs(3);

/// A word with a pause after its reset or one of its inputs.
struct SlowPlace {
    word: Vec<Input>,
    /// What is followed by a pause, each time.
    actor: Actor,
}

/// A word, and what its last input comes to without a pause and with it.
struct PacedWord {
    word: Vec<Input>,
    outcomes: [SlowOutcome; 2],
}

/// What a trial has found; `None` if its time was over.
fn if_in_time<T, E>(found: Result<Option<T>, TrialEnd<E>>) -> Result<Option<T>, TrialEnd<E>> {
    match found {
        Err(TrialEnd::Stopped) => Ok(None),
        found => found,
    }
}

impl<D: CheckedDevice> Plan<'_, D> {
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
        self.look_for_rest_of_actor()
    }

    /// A word that fails when there is a pause has met the rest of a reply before it: what goes on is that reply, if it does each
    /// time, and not an answer that depends on the pace.
    fn look_for_rest_of_actor(&mut self) -> Result<(), D::Error> {
        let slower = self.evidence.slower.as_ref();
        let failed = slower.filter(|it| matches!(it.slow, SlowOutcome::Failure(_)));
        let Some(SlowerAnswer { word, actor: Actor::Input(actor), .. }) = failed else {
            return Ok(());
        };
        let Some((_, before)) = word.split_last() else { return Ok(()) };
        let Some(last) = before.iter().rposition(|it| it == actor) else { return Ok(()) };
        let upto = before[..=last].to_vec();
        self.find_rests(&[upto])
    }

    /// What these words and the last one of the check will take, if answers stay stable.
    pub(super) fn left_for_slower_words(&self) -> Left {
        let places = count(self.places().len());
        let pauses = Self::pauses_at(places);
        Left { exploring: 2 * places + 1, at_most: LOOKING_TIME, pauses, ..Left::default() }
    }

    /// At how many places there will be a pause at most, as far as is known before the device has answered: after the reset and
    /// each input, before each input.
    pub(super) fn places_at_most(inputs: u32) -> u32 {
        inputs.saturating_mul(inputs.saturating_add(1)).min(Self::places_in_time())
    }

    /// At how many places there is time for a pause.
    fn places_in_time() -> u32 {
        u32::try_from(LOOKING_TIME.as_millis() / PAUSE.as_millis()).unwrap_or(u32::MAX)
    }

    /// How long the pauses at this number of places take.
    pub(super) fn pauses_at(places: u32) -> Duration {
        PAUSE.saturating_mul(places).min(LOOKING_TIME)
    }

    fn find_slower_answer(&mut self) -> TrialResult<Option<SlowerAnswer>, D> {
        let places = self.places();
        let most = count(places.len());
        for (left, SlowPlace { mut word, actor }) in (1..=most).rev().zip(places) {
            (self.left.exploring, self.left.pauses) = (2 * left + 1, Self::pauses_at(left));
            let time_left = self.trial_end.saturating_sub(self.device.now());
            let takes = |plan: &Self, word: &[Input]| 2 * plan.pace.word_of(word) + PAUSE;
            while word.len() > actor.place(&word) + 1 && takes(self, &word) > time_left {
                word.pop();
            }
            let found = self.first_difference(&word, actor)?;
            let Some(PacedWord { word, outcomes }) = found else { continue };
            let looking_ends = self.trial_end;
            let began = self.device.now();
            self.trial_end = began + CONFIRMING_TIME;
            if self.is_by_pause(&word, actor.pauses(PAUSE), &outcomes)? {
                return self.looked_into(word, actor, outcomes).map(Some);
            }
            self.trial_end = looking_ends + self.device.now().saturating_sub(began);
        }
        Ok(None)
    }

    /// What a pause after the actor shows: what has acted, how long the pause must be, and what comes when nothing else is sent.
    fn looked_into(
        &mut self,
        word: Vec<Input>,
        actor: Actor,
        outcomes: [SlowOutcome; 2],
    ) -> TrialResult<SlowerAnswer, D> {
        let earlier = if_in_time(self.earlier_actor(&word, actor, &outcomes))?;
        let [usual, slow] = outcomes;
        let (mut actor, mut slow) = earlier.unwrap_or((actor, slow));
        let mut rest = if_in_time(self.rest_after(&word, actor))?;
        let speaker = rest.as_ref().and_then(|it| it.word.last()).map(|it| Actor::Input(*it));
        if let Some(speaker) = speaker.filter(|it| *it != actor) {
            match if_in_time(self.outcome(&word, &speaker.pauses(PAUSE)))? {
                Some(same) if same.is_same(&slow) => (actor, slow) = (speaker, same),
                _ => rest = None,
            }
        }
        let outcomes = [usual, slow];
        let is_by_pause =
            |plan: &mut Self, time| plan.is_by_pause(&word, actor.pauses(time), &outcomes);
        let (enough, too_short) =
            self.shortest_enough(PAUSE, |plan, time| is_by_pause(plan, time).map(Some))?;
        let [usual, slow] = outcomes;
        Ok(SlowerAnswer { word, actor, usual, slow, enough, too_short, rest })
    }

    /// The reset or the first input of a word after which the pause of the actor does the same, and what the word comes to then:
    /// what takes its time began there. `None` if that is the actor.
    fn earlier_actor(
        &mut self,
        word: &[Input],
        actor: Actor,
        outcomes: &[SlowOutcome; 2],
    ) -> TrialResult<Option<(Actor, SlowOutcome)>, D> {
        let Some(at) = actor.place(word).checked_sub(1) else { return Ok(None) };
        // A pause after the actor as well would show the actor again.
        let inputs: BTreeSet<_> = word[..at].iter().filter(|it| !word[at..].contains(it)).collect();
        let mut earlier: Vec<_> = inputs.into_iter().map(|input| Actor::Input(*input)).collect();
        earlier.push(Actor::Reset);
        earlier.retain(|it| self.can_follow(*it));
        earlier.sort_by_key(|it| it.place(word));
        for earlier in earlier {
            let pauses = earlier.pauses(PAUSE);
            // Once is enough to rule most of them out.
            if let Some(slow) = self.outcome(word, &pauses)?
                && slow.is_same(&outcomes[1])
                && self.is_by_pause(word, pauses, outcomes)?
            {
                return Ok(Some((earlier, slow)));
            }
        }
        Ok(None)
    }

    /// The shortest beginning of a word, up to the actor at most, after which the same comes twice when nothing else is sent.
    fn rest_after(&mut self, word: &[Input], actor: Actor) -> TrialResult<Option<ActorRest>, D> {
        let mut found: Option<ActorRest> = None;
        for end in (1..=actor.place(word)).rev() {
            let word = &word[..end];
            let Some(rest) = self.heard_after(word)? else { break };
            if found.as_ref().is_some_and(|later| later.rest.bytes != rest.bytes) {
                break;
            }
            found = Some(ActorRest { word: word.to_vec(), rest });
        }
        let Some(found) = found else { return Ok(None) };
        let again = self.heard_after(&found.word)?;
        Ok(again.filter(|again| again.bytes == found.rest.bytes).map(|_| found))
    }

    /// What comes after this word when nothing else is sent.
    fn heard_after(&mut self, word: &[Input]) -> TrialResult<Option<LateRest>, D> {
        let is_answered = self.outputs(word, &Pauses::default())?.is_ok();
        Ok(word.last().filter(|_| is_answered).and_then(|last| self.hear_rest(*last)))
    }

    /// What comes first in the time after the end of a reply to this input.
    fn hear_rest(&mut self, input: Input) -> Option<LateRest> {
        let mut rest = self.hear_late(input, REST, |bytes| !bytes.is_empty());
        if let Some(file) = &self.evidence.file {
            // What is taken out is no rest.
            let rule = &file.device().inputs[input.index() as usize].reply;
            rest.bytes = clean_finished(&rule.strip, &rest.bytes);
        }
        Some(rest).filter(|rest| !rest.bytes.is_empty())
    }

    /// Whether a pause can follow, and shows something: a reply that may go on late, even after the next reset, takes time, too.
    fn can_follow(&self, actor: Actor) -> bool {
        let Some(file) = &self.evidence.file else { return true };
        let device = file.device();
        match actor {
            Actor::Reset => device.inputs.iter().all(|it| it.reply.late == Late::Error),
            Actor::Input(input) => Pauses::can_follow(device, input.index() as usize),
        }
    }

    /// Asks a word without a pause and with one after the actor. Returns its beginning up to the first output that differs;
    /// `None` if none does.
    fn first_difference(
        &mut self,
        word: &[Input],
        actor: Actor,
    ) -> TrialResult<Option<PacedWord>, D> {
        let [none, pause] = [Duration::ZERO, PAUSE].map(|time| actor.pauses(time));
        let Ok(usual) = self.outputs(word, &none)? else { return Ok(None) };
        let answer = |outputs: &[String], at: usize| SlowOutcome::Answer(outputs[at].clone());
        Ok(match self.outputs(word, &pause)? {
            Ok(slow) => {
                let at = usual.iter().zip(&slow).position(|(usual, slow)| usual != slow);
                at.map(|at| {
                    let outcomes = [answer(&usual, at), answer(&slow, at)];
                    PacedWord { word: word[..=at].to_vec(), outcomes }
                })
            }
            // What the actor says late is met before the input that follows it.
            Err(error) if D::fault(&error).is_of_word() => {
                let at = actor.place(word);
                let slow = SlowOutcome::Failure(error.to_string());
                let outcomes = [answer(&usual, at), slow];
                Some(PacedWord { word: word[..=at].to_vec(), outcomes })
            }
            Err(_) => None,
        })
    }

    /// Where to pause: after the reset, before each input; and after each input, in the states that stable answers tell apart, the
    /// nearest ones first. The inputs that are known to follow there follow the pause, those with the most different outputs first;
    /// after the reset, one of them follows the input.
    fn places(&self) -> Vec<SlowPlace> {
        let stable: BTreeMap<&[Input], &str> = self
            .evidence
            .answers()
            .filter_map(|(word, runs)| Some((word, runs.first().filter(|_| runs.len() == 1)?)))
            .map(|(word, run)| (word, run.output.as_str()))
            .collect();
        let mut outputs: BTreeMap<Input, BTreeSet<&str>> = BTreeMap::new();
        let mut shortest: BTreeMap<_, &[Input]> = BTreeMap::new();
        for (&word, &output) in &stable {
            let [.., actor, last] = word else { continue };
            outputs.entry(*last).or_default().insert(output);
            let Some(&before) = stable.get(&word[..word.len() - 1]) else { continue };
            let is_stable = (1..word.len()).all(|len| stable.contains_key(&word[..len]));
            if is_stable && self.can_follow(Actor::Input(*actor)) {
                let known = shortest.entry((*actor, before, *last, output)).or_insert(word);
                *known = if word.len() < known.len() { word } else { known };
            }
        }
        let mut followers: BTreeMap<&[Input], BTreeSet<Input>> = BTreeMap::new();
        for (last, before) in shortest.values().filter_map(|word| word.split_last()) {
            followers.entry(before).or_default().insert(*last);
        }
        let mut of_actor: BTreeMap<Actor, Vec<&[Input]>> = BTreeMap::new();
        for &before in followers.keys() {
            of_actor.entry(Actor::Input(before[before.len() - 1])).or_default().push(before);
        }
        if self.can_follow(Actor::Reset) {
            let first = stable.keys().copied().filter(|word| word.len() == 1);
            of_actor.insert(Actor::Reset, first.collect());
        }
        of_actor.values_mut().for_each(|words| words.sort_by_key(|word| word.len()));
        let most = of_actor.values().map(Vec::len).max().unwrap_or(0);
        let turns = (0..most).flat_map(|turn| {
            of_actor.iter().filter_map(move |(actor, words)| Some((*actor, *words.get(turn)?)))
        });
        let place = |(actor, before): (Actor, &[Input])| {
            let mut after: Vec<_> = followers.get(before).into_iter().flatten().copied().collect();
            // The actor comes last: it would act once more, and there would be a second pause.
            after.sort_by_key(|it| {
                (Actor::Input(*it) == actor, Reverse(outputs.get(it).map_or(0, BTreeSet::len)))
            });
            if actor == Actor::Reset {
                after.truncate(1);
            }
            SlowPlace { word: before.iter().copied().chain(after).collect(), actor }
        };
        turns.take(Self::places_in_time() as usize).map(place).collect()
    }

    /// The outputs of a word with these pauses, or why it failed.
    fn outputs(
        &mut self,
        word: &[Input],
        pauses: &Pauses,
    ) -> TrialResult<Result<Vec<String>, D::Error>, D> {
        self.device.pause(pauses);
        if self.device.now() >= self.trial_end {
            return Err(TrialEnd::Stopped);
        }
        let result = self.try_changing(word, |_, _| {})?;
        // What fails without a pause fails in a run, too. A reset that failed has been counted.
        let is_fault = pauses.is_none() && self.failed_resets == 0;
        let Some(error) = result.as_ref().err().filter(|it| is_fault && D::fault(it).is_of_word())
        else {
            return Ok(result);
        };
        if D::fault(error).is_of_late_bytes() {
            // What comes late is counted where it is listened for.
            self.listens_always = true;
            let asked = self.ask(word);
            self.listens_always = false;
            return asked.map(|_| result).map_err(TrialEnd::Failed);
        }
        let Some(reason) = self.fail(error) else { return Ok(result) };
        let again = self.try_changing(word, |_, _| {})?;
        self.judge_again(&reason, again.as_ref());
        Ok(again)
    }

    /// Whether a word has the usual outcome each time without pauses, and the slow one each time with them.
    fn is_by_pause(
        &mut self,
        word: &[Input],
        pauses: Pauses,
        [usual, slow]: &[SlowOutcome; 2],
    ) -> TrialResult<bool, D> {
        // Where other answers differ, chance may agree for once.
        let rounds = if self.evidence.differences().is_empty() { 1 } else { 2 };
        let none = Pauses::default();
        for is_paused in TURNS.into_iter().cycle().take(TURNS.len() * rounds) {
            let (pauses, expected) = if is_paused { (&pauses, slow) } else { (&none, usual) };
            if self.outcome(word, pauses)?.is_none_or(|outcome| !outcome.is_same(expected)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What the last input of a word comes to with these pauses; `None` if the device could not be asked.
    fn outcome(&mut self, word: &[Input], pauses: &Pauses) -> TrialResult<Option<SlowOutcome>, D> {
        Ok(match self.outputs(word, pauses)? {
            Ok(mut outputs) => Some(SlowOutcome::Answer(outputs.pop().unwrap_or_default())),
            Err(error) if D::fault(&error).is_of_word() => {
                Some(SlowOutcome::Failure(error.to_string()))
            }
            Err(_) => None,
        })
    }
}
