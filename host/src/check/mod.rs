//! Finds out whether a device file fits its device, before anything is learned.
//!
//! A learner believes three things: a reset brings the device back to one state, the same word is
//! answered the same, and a reply is over when the file says so. [`check`] asks a few words many
//! times over, each after different ones, listens after each for what comes late, and says where
//! one of the three is not so. It is no proof, but what it finds would have ended a run later.

mod advice;
mod rewrite;
#[cfg(test)]
mod tests;
mod timing;
mod words;

use std::time::Duration;

use mealybug_core::{Input, Sul};

pub use advice::{Advice, Key};
pub use rewrite::Rewrite;
pub use timing::{Spread, Timing};

use crate::hints::Varying;
use crate::learned::output_name;
use crate::serial::{Event, Link, LinkError, Passed, SerialSul, Traced};

/// How long a device that has answered is listened to.
const LISTEN: Duration = Duration::from_millis(200);
/// A device that was silent is listened to for its patience again, but no longer than this.
const LISTEN_AT_MOST: Duration = Duration::from_secs(2);
/// So many words that were answered differently are looked into.
const LOOKED_INTO: usize = 3;
/// A suspicion is tried so often.
const TRIES: usize = 3;
/// So many other words are asked before the one that is looked into.
const OTHERS: usize = 6;

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many words were asked.
    pub words: u32,
    /// Each input's replies, by its number.
    pub timings: Vec<Timing>,
    /// Each input's first answer from a reset.
    pub answers: Vec<Option<String>>,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// Something that is wrong with the device file, or with the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// After a reset, a word is answered differently depending on what was asked before the reset.
    ResetLeaves {
        /// What differed.
        answers: Different,
        /// What was asked before the reset when the first answer came; nothing at the beginning.
        after: [Option<Vec<Input>>; 2],
    },
    /// A word is answered differently for no reason that can be seen.
    Unstable {
        /// What differed.
        answers: Different,
        /// The part in which the replies differ, if they are otherwise the same.
        varying: Option<Varying>,
    },
    /// A word could not be asked to its end.
    Fault {
        /// What went wrong.
        message: String,
        /// How often.
        count: u32,
    },
}

/// Two answers to one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Different {
    /// The word, up to the input that was answered differently.
    pub word: Vec<Input>,
    /// The answers to its last input.
    pub outputs: [String; 2],
}

/// One asking of a word.
#[derive(Clone)]
struct Asked {
    /// The number of the word that was asked before.
    before: Option<usize>,
    outputs: Vec<String>,
    /// The bytes behind each output.
    raw: Vec<Vec<u8>>,
}

/// Asks the device in so many rounds; `go_on` hears how many words were asked, of how many, and
/// may end it.
///
/// # Errors
/// The device is gone, or does not come back from a reset.
pub fn check<L: Link>(
    sul: &mut SerialSul<Traced<L>>,
    rounds: u32,
    mut go_on: impl FnMut(u32, u32) -> bool,
) -> Result<Report, LinkError> {
    let inputs = sul.device().inputs.len();
    let words = words::words(inputs);
    let total = rounds.saturating_mul(u32::try_from(words.len()).unwrap_or(u32::MAX));
    let timings = vec![Timing::default(); inputs];
    let (before, faults) = (None, Vec::new());
    let mut checker =
        Checker { sul, words, timings, asked: 0, total, before, listens: true, faults };
    let mut askings: Vec<Vec<Asked>> = vec![Vec::new(); checker.words.len()];
    'rounds: for round in 0..rounds {
        for word in words::order(checker.words.len(), round) {
            if !go_on(checker.asked, checker.total) {
                break 'rounds;
            }
            askings[word].extend(checker.ask(word)?);
        }
    }
    checker.listens = false;
    let findings = checker.findings(&askings, &mut go_on)?;
    // The words of one input come first, one for each.
    let answers = askings.iter().take(inputs);
    let answers = answers.map(|askings| Some(askings.first()?.outputs.first()?.clone())).collect();
    Ok(Report { words: checker.asked, timings: checker.timings, answers, findings })
}

struct Checker<'s, L> {
    sul: &'s mut SerialSul<Traced<L>>,
    words: Vec<Vec<Input>>,
    timings: Vec<Timing>,
    asked: u32,
    /// So many words will be asked, as far as is known.
    total: u32,
    before: Option<usize>,
    /// Whether the device is listened to after each word.
    listens: bool,
    faults: Vec<(String, u32)>,
}

impl<L: Link> Checker<'_, L> {
    /// Asks a word from a reset on; `None` when that failed in a way that another try may not.
    fn ask(&mut self, number: usize) -> Result<Option<Asked>, LinkError> {
        let before = self.before.replace(number);
        self.asked += 1;
        let word = self.words[number].clone();
        let mut asked = Asked { before, outputs: Vec::new(), raw: Vec::new() };
        match self.ask_word(&word, &mut asked) {
            Ok(()) => Ok(Some(asked)),
            Err(error) if error.is_interruption() => Ok(None),
            Err(error) if error.is_worth_a_retry() => {
                let message = error.to_string();
                match self.faults.iter_mut().find(|(known, _)| *known == message) {
                    Some((_, count)) => *count += 1,
                    None => self.faults.push((message, 1)),
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn ask_word(&mut self, word: &[Input], asked: &mut Asked) -> Result<(), LinkError> {
        self.sul.reset()?;
        self.sul.link().take();
        for (position, &input) in word.iter().enumerate() {
            let output = self.sul.step(input).map(output_name);
            let came_late = |error: &LinkError| matches!(error, LinkError::Late { before, .. } if before.is_empty());
            if output.as_ref().is_err_and(came_late) {
                self.timings[input.index() as usize].late += 1;
            }
            asked.outputs.push(output?);
            let during = self.sul.link().take();
            let end = self.sul.link().now();
            let is_last = self.listens && position + 1 == word.len();
            let (is_late, later) =
                if is_last { self.listen(input, &during)? } else { (false, Vec::new()) };
            asked.raw.push(received(&during));
            let timing = &mut self.timings[input.index() as usize];
            let rule = &self.sul.device().inputs[input.index() as usize].reply;
            timing.add(rule, &during, end, &later);
            timing.late += u32::from(is_late);
        }
        Ok(())
    }

    /// Whether anything was left over from a reply or comes after it, and what comes.
    fn listen(&mut self, input: Input, during: &[Event]) -> Result<(bool, Vec<Event>), LinkError> {
        let rule = &self.sul.device().inputs[input.index() as usize].reply;
        let is_silent = received(during).is_empty();
        let time = if is_silent { rule.within.clamp(LISTEN, LISTEN_AT_MOST) } else { LISTEN };
        let is_late = !self.sul.listen(time)?.is_empty();
        Ok((is_late, self.sul.link().take()))
    }

    fn findings(
        &mut self,
        askings: &[Vec<Asked>],
        go_on: &mut impl FnMut(u32, u32) -> bool,
    ) -> Result<Vec<Finding>, LinkError> {
        let mut findings = Vec::new();
        // One finding for each input that is answered differently is enough.
        let mut found = Vec::new();
        for (number, askings) in askings.iter().enumerate() {
            let Some(first) = askings.first() else { continue };
            let other = askings.iter().find(|asked| asked.outputs != first.outputs);
            let Some(other) = other.filter(|_| findings.len() < LOOKED_INTO) else { continue };
            let outputs = first.outputs.iter().zip(&other.outputs);
            let position = outputs.take_while(|(one, other)| one == other).count();
            let input = self.words[number][position];
            if !found.contains(&input) {
                found.push(input);
                let pair = [first.clone(), other.clone()];
                match self.look_into(number, position, pair, askings, go_on)? {
                    Some(finding) => findings.push(finding),
                    None => break,
                }
            }
        }
        let faults = self.faults.drain(..);
        findings.extend(faults.map(|(message, count)| Finding::Fault { message, count }));
        Ok(findings)
    }

    /// Why a word was answered in two ways: asks it again after what was asked before each. `None`
    /// when that was ended.
    fn look_into(
        &mut self,
        number: usize,
        position: usize,
        pair: [Asked; 2],
        askings: &[Asked],
        go_on: &mut impl FnMut(u32, u32) -> bool,
    ) -> Result<Option<Finding>, LinkError> {
        let outputs = [0, 1].map(|side: usize| pair[side].outputs[position].clone());
        let answers = Different { word: self.words[number][..=position].to_vec(), outputs };
        let mut befores: Vec<_> = pair.iter().filter_map(|asked| asked.before).collect();
        let sides = befores.len();
        befores.extend((0..self.words.len()).filter(|before| *before != number).take(OTHERS));
        self.total += u32::try_from(3 * TRIES * befores.len()).unwrap_or(u32::MAX);
        // What each of these words leaves: the answers right after it, and once more.
        let (mut depends, mut is_steady, mut seen) = (true, true, Vec::new());
        for _ in 0..TRIES {
            for (at, &before) in befores.iter().enumerate() {
                if !go_on(self.asked, self.total) {
                    return Ok(None);
                }
                self.ask(before)?;
                let [first, again] = [self.ask(number)?, self.ask(number)?];
                let (Some(first), Some(again)) = (first, again) else { continue };
                is_steady &= first.outputs == again.outputs;
                let side = pair.iter().filter(|asked| asked.before.is_some()).nth(at);
                depends &= at >= sides || side.is_none_or(|side| side.outputs == first.outputs);
                seen.push(first.outputs);
            }
        }
        let varies = seen.windows(2).any(|pair| pair[0] != pair[1]);
        // The first answer came once and never again: what was asked since has changed the device.
        let at = askings.iter().position(|asked| asked.outputs == pair[1].outputs).unwrap_or(0);
        let mut changed = askings[at..].iter().map(|asked| &asked.outputs).chain(&seen);
        let is_for_good = changed.all(|outputs| *outputs == pair[1].outputs);
        if is_for_good || varies && (depends || is_steady) {
            let after = pair.map(|asked| asked.before.map(|before| self.words[before].clone()));
            return Ok(Some(Finding::ResetLeaves { answers, after }));
        }
        let raw: Vec<_> = askings.iter().filter_map(|asked| asked.raw.get(position)).collect();
        let mut raw: Vec<_> = raw.into_iter().map(Vec::as_slice).collect();
        raw.sort_unstable();
        raw.dedup();
        Ok(Some(Finding::Unstable { answers, varying: Varying::find(&raw) }))
    }
}

/// The bytes that came.
fn received(events: &[Event]) -> Vec<u8> {
    let bytes = events.iter().filter_map(|event| match &event.what {
        Passed::Received(bytes) => Some(bytes.as_slice()),
        _ => None,
    });
    bytes.collect::<Vec<_>>().concat()
}
