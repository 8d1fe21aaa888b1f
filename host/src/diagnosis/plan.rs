//! Checks whether a device file fits its device, before anything is learned.
//!
//! A learner assumes three things: a reset brings the device back to one state, a word always has
//! the same answers, and a reply is over when the file says so. [`check`] explores the device by a
//! short learning run, asks a few words many times, each after different words, listens for late
//! bytes after each, and reports where an assumption fails. It proves nothing, but what it finds
//! would have ended a run later.

mod ask;
mod causes;
mod compare;
mod connection_ends;
mod effects;
mod failed_resets;
mod failures;
mod hear_late;
mod idle;
mod late_actions;
mod rests;
mod slow_answers;
mod slower_words;
mod streams;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fastrand::Rng;
use mealybug_core::Input;

use super::changed_for_good::{is_undone, lasting_change};
use super::checked_device::CheckedDevice;
use super::detectors::{
    DETECTORS, FailingInput, is_noise, leave_out_values, missing_checksum, try_rules,
};
use super::device_file::EditableDeviceFile;
use super::evidence::Evidence;
use super::explore::Exploration;
use super::finding::{Example, Finding, FindingKind};
use super::lasting_change::LastingChange;
use super::pace::{Left, MeanTimes};
use super::slow_answers::SlowAnswers;
use effects::leave_out_effects;

/// The length of the random words that lead away from the initial state.
const LEN: usize = 6;
/// The length of the random words that explore a device without stable answers, and of the longest
/// words of the exploration that are repeated.
const FAR: usize = 20;
/// How many words may explore the device, for each input and each time that words are repeated.
const EXPLORE: u32 = 8;
/// How long exploring may take, as far as the device lets it.
const EXPLORE_TIME: Duration = Duration::from_secs(120);
/// The same while no input has been answered, or no reply has met its end.
const SILENT_TIME: Duration = Duration::from_secs(30);
/// This many words that fail in a row end the exploration.
const FAILURES: u32 = 3;
/// The check ends when this many resets in a row have failed.
const FAILED_RESETS: u32 = 5;
/// Two words, or two ways to ask one, are compared in this order. It has no short period: a device that no reset reaches, such as a
/// switch that each word toggles, or that says something now and then, does not give the same two answers.
const TURNS: [bool; 8] = [false, true, true, false, true, false, false, true];

/// What to check, and how.
#[derive(Clone, Debug)]
pub struct CheckSetup {
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The device file; none for a program.
    pub file: Option<EditableDeviceFile>,
    /// Words of the user, which are asked, too.
    pub words: Vec<Vec<Input>>,
    /// What an earlier check has seen change for good.
    pub earlier_change: Option<LastingChange>,
    /// How often each word is asked.
    pub rounds: u32,
}

/// How far a check is.
#[derive(Clone, Copy, Debug)]
pub struct CheckProgress {
    /// What it does.
    pub stage: CheckStage,
    /// The number of words asked so far.
    pub asked: u32,
    /// The most words that will be asked, as far as known.
    pub total: u32,
    /// About how long it will still take, at most.
    pub left: Duration,
    /// How long exploring, or what is looked into now, will still take at most: a part of `left`. While words are repeated, that is
    /// the next step.
    pub exploring: Duration,
    /// How long it will still listen at most while nothing is asked, if it does.
    pub listening: Option<Duration>,
    /// How long it then takes at most to find out why answers differ, if some do so far.
    pub trials: Duration,
    /// Whether an input was answered.
    pub is_answered: bool,
    /// Whether silence ended each reply, though the device file describes another end.
    pub is_no_end_met: bool,
}

/// What a check does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStage {
    /// Asks each input alone and the user's words. How long the rest takes is not known yet.
    First,
    /// Explores the device.
    Explore,
    /// Asks words again and again.
    Repeat,
    /// Looks into words that had different answers.
    Compare,
}

/// The result of a check.
#[derive(Debug)]
pub struct Checked {
    /// What the device was asked and answered.
    pub evidence: Evidence,
    /// What is wrong, and what could be better.
    pub findings: Vec<Finding>,
    /// Whether the check ended early, since no input was answered, no reply met its end, one goes on after its end each time, no
    /// reset worked any more, or resets fail after most words with one input.
    pub is_cut_short: bool,
    /// An answer that has changed for good, in this check or in an earlier one. The next check should know.
    pub lasting_change: Option<LastingChange>,
    /// Whether the next check need not know of the earlier one's any more.
    pub is_undone: bool,
}

/// Checks `device`. `go_on` is called before each word; false ends the check.
///
/// # Errors
/// The device is gone for long, or does not come back from a reset.
pub fn check<D: CheckedDevice>(
    device: &mut D,
    setup: CheckSetup,
    go_on: &mut dyn FnMut(&CheckProgress) -> bool,
) -> Result<Checked, D::Error> {
    let CheckSetup { inputs, file, words: own, earlier_change, rounds } = setup;
    let changed =
        earlier_change.iter().map(|change| change.word.clone()).filter(|word| word.len() > 1);
    let own: Vec<_> = own.into_iter().chain(changed).collect();
    let mut evidence = Evidence::of_check(&inputs, file);
    evidence.earlier_change = earlier_change;
    let alone = (0..count(inputs.len())).map(|number| vec![Input::new(number)]);
    let words: Vec<_> = alone.chain(own).collect();
    let explore = EXPLORE.saturating_mul(rounds).saturating_mul(count(inputs.len()));
    let stage = CheckStage::First;
    let (pace, left) = (MeanTimes::default(), Left::default());
    let (once_more, explored) = (Vec::new(), Vec::new());
    let failed_resets = 0;
    let mut plan = Plan {
        device,
        words,
        once_more,
        evidence,
        explored,
        failed_resets,
        stage,
        pace,
        left,
        is_patient: false,
        listens_always: false,
        listening: None,
        trial_end: Duration::ZERO,
        rests_looked_into: 0,
        slow_answers: SlowAnswers::default(),
        go_on,
    };
    plan.foresee(rounds, explore);
    let asked = plan.ask_all(rounds, explore)?;
    Ok(plan.judge(asked))
}

fn random(rng: &mut Rng, inputs: usize, len: usize) -> Vec<Input> {
    (0..len).map(|_| Input::new(rng.u32(..count(inputs)))).collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The inputs of a word, with their outputs.
type AskedInputs = Vec<(Input, String)>;

/// How far a check has come.
struct AskedStages {
    /// Whether all words were repeated.
    is_complete: bool,
    /// As in [`Checked`].
    is_cut_short: bool,
    /// Whether replies go on after their end.
    goes_on: bool,
}

struct Plan<'s, D> {
    device: &'s mut D,
    /// The words to repeat.
    words: Vec<Vec<Input>>,
    /// The words to ask once more.
    once_more: Vec<Vec<Input>>,
    evidence: Evidence,
    /// The words that explored the device.
    explored: Vec<AskedInputs>,
    /// How many of the last resets failed in a row.
    failed_resets: u32,
    stage: CheckStage,
    pace: MeanTimes,
    left: Left,
    /// Whether an answer that may be late is waited for, after any silence.
    is_patient: bool,
    /// Whether each word is listened to for late bytes.
    listens_always: bool,
    /// How long it still listens while nothing is asked, if it does.
    listening: Option<Duration>,
    /// When the trial that asks words now ends at last.
    trial_end: Duration,
    /// How many words were looked into while exploring, for a reply that goes on.
    rests_looked_into: usize,
    /// What is known of inputs that are only slow.
    slow_answers: SlowAnswers,
    go_on: &'s mut dyn FnMut(&CheckProgress) -> bool,
}

impl<D: CheckedDevice> Plan<'_, D> {
    /// Asks all that a check asks.
    fn ask_all(&mut self, rounds: u32, explore: u32) -> Result<AskedStages, D::Error> {
        let is_asked = self.ask_first()?;
        let goes_on = is_asked && self.confirm_rests()?;
        let is_explored = is_asked && (goes_on || self.explore(rounds, explore)?);
        if is_explored {
            self.try_other_ends()?;
        }
        let goes_on = goes_on || !self.evidence.rests.is_empty();
        let can_go_on = is_explored && !goes_on && self.can_hear();
        let mut is_complete = false;
        if can_go_on {
            self.choose_words(rounds);
            is_complete = self.ask_rounds(rounds)?;
            // What comes at the end of a reset makes all that follows differ.
            if is_complete && self.evidence.late_resets().is_none() {
                self.look_closer()?;
            }
        }
        self.look_for_streams()?;
        let goes_on =
            goes_on || !self.evidence.rests.is_empty() || !self.evidence.streams.is_empty();
        let is_cut_short = is_explored && !can_go_on
            || self.is_lost()
            || self.has_deaf_input()
            || self.evidence.said_by_each_reset().is_some();
        Ok(AskedStages { is_complete, is_cut_short, goes_on })
    }

    /// Looks into what the repeated words have shown.
    fn look_closer(&mut self) -> Result<(), D::Error> {
        self.evidence.take_out_stray();
        self.listen_while_idle()?;
        self.look_for_rests()?;
        self.look_into_differences()?;
        self.look_for_late_actions()?;
        self.find_causes()?;
        self.look_at_slower_words()?;
        // These words may show more such lines.
        self.listen_while_idle()?;
        self.look_for_life()
    }

    /// Judges what was asked.
    fn judge(self, AskedStages { is_complete, is_cut_short, goes_on }: AskedStages) -> Checked {
        let is_lost = self.is_lost();
        let mut evidence = self.evidence;
        if is_lost {
            evidence.lose_device();
        }
        evidence.take_out_unasked();
        evidence.take_out_garbled();
        evidence.port = self.device.port().cloned();
        let missing = missing_checksum(&evidence);
        if let Some((_, Some(checksum))) = &missing {
            evidence.take_off(checksum);
        }
        let mut findings: Vec<_> = DETECTORS.iter().flat_map(|find| find(&evidence)).collect();
        leave_out_values(&mut evidence, &mut findings);
        findings.extend(missing.map(|(finding, _)| finding));
        // What was not asked any more may be slower, and a few answers may be lines that came unasked.
        findings.retain(|finding| is_complete || !finding.rests_on_many_answers());
        if goes_on {
            let is_echo = |it: &Finding| it.kind == FindingKind::Echo;
            let has_echo = findings.iter().any(is_echo);
            findings.retain(|it| if has_echo { is_echo(it) } else { it.is_wrong() });
        }
        try_rules(&mut findings, 0, &evidence, &evidence.answers);
        // What is no text explains all else.
        findings.sort_by_key(|finding| (finding.kind != FindingKind::Noise, !finding.is_wrong()));
        leave_out_effects(&mut findings);
        // What something else explains has not changed.
        let is_found = |change: &LastingChange| {
            let is_of_word = |it: &Example| it.word == change.word;
            let mut of_kind = findings.iter().filter(|it| it.kind == FindingKind::ResetLeaves);
            of_kind.any(|it| it.example.as_ref().is_some_and(is_of_word))
        };
        let lasting_change = lasting_change(&evidence).filter(is_found);
        let is_undone = is_undone(&evidence);
        Checked { evidence, findings, is_cut_short, lasting_change, is_undone }
    }

    /// Whether no reset has worked for long: the device does not come back.
    fn is_lost(&self) -> bool {
        self.failed_resets >= FAILED_RESETS
    }

    fn goes_on(&mut self) -> bool {
        if self.is_lost() {
            return false;
        }
        let (asked, trials) = (self.evidence.words(), self.trials_at_most());
        let left = &self.left;
        // While words are repeated, no pauses are due yet.
        let later = if self.stage == CheckStage::Repeat { left.pauses } else { Duration::ZERO };
        let exploring = self.pace.exploring(left).saturating_add(later);
        (self.go_on)(&CheckProgress {
            stage: self.stage,
            asked,
            total: asked.saturating_add(left.words()),
            left: self.pace.time(left),
            exploring,
            listening: self.listening,
            trials,
            is_answered: self.evidence.is_answered(),
            is_no_end_met: self.evidence.is_no_end_met(),
        })
    }

    /// Estimates what is left at the start, when only the words of the first stage are known.
    fn foresee(&mut self, rounds: u32, explore: u32) {
        let inputs = count(self.evidence.names().len());
        let more = rounds.saturating_mul(inputs);
        let places = Self::places_at_most(inputs);
        self.left = Left {
            exploring: explore.saturating_add(2 * places + 1),
            at_most: EXPLORE_TIME,
            pauses: Self::pauses_at(places),
            ..Left::default()
        };
        self.left.add(&self.words, rounds);
        self.left.repeating = self.left.repeating.saturating_add(more);
        self.left.unknown = more.saturating_mul(count(LEN));
    }

    /// Whether inputs are answered, and not each reply ended by silence against the device file: else all that follows would
    /// take long and show nothing more.
    fn can_hear(&self) -> bool {
        let counted = self.device.port();
        let is_noise = counted.is_some_and(|port| port.has_baud && is_noise(port));
        self.evidence.is_answered() && !self.evidence.is_no_end_met() && !is_noise
    }

    /// Whether resets fail after most words with one input: each takes long, and the answers after it show nothing more.
    fn has_deaf_input(&self) -> bool {
        let is_slow = !self.evidence.slow_resets.is_empty();
        !is_slow && FailingInput::of(&self.evidence).is_some_and(|it| it.is_enough())
    }

    /// Asks each input alone, and the user's words. Returns `false` if the check was ended.
    fn ask_first(&mut self) -> Result<bool, D::Error> {
        let mut are_slow = false;
        for word in self.words.clone() {
            if !self.goes_on() {
                return Ok(false);
            }
            let asked = self.ask(&word)?;
            if let Some([(input, output)]) = asked.as_deref()
                && self.device.is_silence(*input, output)
            {
                are_slow |= self.wait_for_answer(*input)?;
            }
        }
        if are_slow {
            let before = self.begin_anew();
            let is_asked = self.ask_first()?;
            if !is_asked {
                self.take_back(before);
            }
            return Ok(is_asked);
        }
        if self.evidence.is_no_end_met() && self.have_one_output() {
            self.is_quiet_after_reset()?;
        }
        // What is sent too early shows nothing.
        Ok(self.evidence.said_by_each_reset().is_none())
    }

    /// Whether several inputs were answered, and all by the same output.
    fn have_one_output(&self) -> bool {
        let runs = self.evidence.answers().flat_map(|(_, runs)| runs);
        let outputs: Vec<_> = runs.filter(|run| !run.is_silence).map(|run| &run.output).collect();
        outputs.len() > 1 && outputs.iter().all(|output| *output == outputs[0])
    }

    /// Explores the device by at most this many words of a short learning run: slow answers may be
    /// far from the initial state. Returns `false` if the check was ended.
    fn explore(&mut self, rounds: u32, words: u32) -> Result<bool, D::Error> {
        self.stage = CheckStage::Explore;
        let inputs = self.evidence.names().len();
        let mut learning = Exploration::new(count(inputs), words);
        // For a device whose answers contradict each other: nothing of it can be learned.
        let mut rng = Rng::with_seed(2);
        let mut random_words = rounds.saturating_mul(count(inputs));
        let mut failures = 0;
        let started = self.device.now();
        for _ in 0..words {
            let spent = self.device.now().saturating_sub(started);
            let may_take = if self.can_hear() { EXPLORE_TIME } else { SILENT_TIME };
            self.left.at_most = may_take.saturating_sub(spent);
            if spent > may_take {
                break;
            }
            let has_word = learning.as_mut().is_some_and(Exploration::has_word);
            let is_learned = learning.as_ref().is_some_and(|it| !it.is_contradicted());
            if failures == FAILURES || !has_word && (is_learned || random_words == 0) {
                break;
            }
            if !self.goes_on() {
                return Ok(false);
            }
            self.left.exploring = self.left.exploring.saturating_sub(1);
            let known = self.evidence.exchanges().len();
            let asked = match learning.as_mut().filter(|_| has_word) {
                Some(learning) => {
                    let asked = self.ask_by(&mut |output| learning.input(output))?;
                    if asked.is_none() {
                        learning.failed();
                    }
                    asked
                }
                None => {
                    random_words -= 1;
                    self.ask(&random(&mut rng, inputs, FAR))?
                }
            };
            failures = if asked.is_some() { 0 } else { failures + 1 };
            self.explored.extend(asked);
            if self.has_deaf_input() || self.confirm_rest_of_word(known)? {
                break;
            }
        }
        self.left.exploring = 0;
        let names = self.evidence.names();
        let is_silence = |input, output: &str| self.device.is_silence(input, output);
        let is_end = |output: &str| self.device.is_end(output);
        let explored = learning.and_then(|learning| learning.explored(names, is_silence, is_end));
        self.evidence.explored = explored;
        Ok(true)
    }

    /// Adds the words that showed the most different outputs, and random ones, to those to repeat.
    fn choose_words(&mut self, rounds: u32) {
        let inputs = self.evidence.names().len();
        let mut seen = BTreeSet::new();
        let mut chosen: Vec<Vec<Input>> = Vec::new();
        while chosen.len() < inputs {
            let last_new =
                |asked: &AskedInputs| asked.iter().take(FAR).rposition(|pair| !seen.contains(pair));
            let news = |asked: &&AskedInputs| {
                asked.iter().take(FAR).filter(|pair| !seen.contains(*pair)).count()
            };
            let Some(asked) = self.explored.iter().max_by_key(news) else { break };
            // What follows the last new output costs time and shows nothing.
            let Some(last) = last_new(asked) else { break };
            chosen.push(asked[..=last].iter().map(|(input, _)| *input).collect());
            seen.extend(asked[..=last].iter().cloned());
        }
        let mut rng = Rng::with_seed(1);
        let missing = inputs - chosen.len();
        chosen.extend((0..missing).map(|_| random(&mut rng, inputs, LEN)));
        self.words.extend(chosen);
        self.once_more = self.words_of_single_outputs();
        self.left = self.left_for_slower_words();
        self.left.add(&self.words, rounds);
        self.left.add(&self.once_more, 1);
    }

    /// Words, at most as many as there are inputs, that end with an output that came only once while
    /// exploring. A device that has changed for good does not give it again.
    fn words_of_single_outputs(&self) -> Vec<Vec<Input>> {
        let mut seen: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for asked in &self.explored {
            for (at, pair) in asked.iter().take(FAR).enumerate() {
                seen.entry(pair).or_default().push(&asked[..=at]);
            }
        }
        let single = seen.values().filter(|places| places.len() == 1).map(|places| places[0]);
        let words = single.map(|asked| asked.iter().map(|(input, _)| *input).collect());
        let is_repeated = |word: &Vec<Input>| self.words.iter().any(|it| it.starts_with(word));
        let mut words: Vec<Vec<Input>> = words.filter(|word| !is_repeated(word)).collect();
        words.sort_by_key(Vec::len);
        words.truncate(self.evidence.names().len());
        words
    }

    /// Asks all words once a round, each round in another order, so that each word follows
    /// different words. Returns `false` if the check was ended.
    fn ask_rounds(&mut self, rounds: u32) -> Result<bool, D::Error> {
        self.stage = CheckStage::Repeat;
        for round in 0..rounds {
            let mut order = self.words.clone();
            order.append(&mut self.once_more);
            Rng::with_seed(u64::from(round)).shuffle(&mut order);
            for word in &order {
                if self.has_deaf_input() || !self.goes_on() {
                    return Ok(false);
                }
                self.left.take(word);
                self.ask(word)?;
            }
        }
        Ok(true)
    }
}
