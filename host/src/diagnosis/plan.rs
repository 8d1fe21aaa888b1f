//! Checks whether a device file fits its device, before anything is learned.
//!
//! A learner assumes three things: a reset brings the device back to one state, a word always has
//! the same answers, and a reply is over when the file says so. [`check`] asks a few words many
//! times, each after different words, listens for late bytes after each, and reports where an
//! assumption fails. It proves nothing, but what it finds would have ended a run later.

use std::time::Duration;

use fastrand::Rng;
use mealybug_core::{Input, Sul};

use super::detectors::DETECTORS;
use super::device_file::EditableDeviceFile;
use super::evidence::{Answer, Evidence, ProposalTrial};
use super::exchange::ObservedExchange;
use super::finding::{Finding, FindingKind};
use crate::learned::output_name;
use crate::serial::{Link, LinkError, Passed, SerialSul, TraceEvent, Traced};

/// The length of the words that lead away from the initial state.
const LEN: usize = 6;
/// The length of the words that look for slower answers.
const FAR: usize = 20;
/// How long to listen to a device that has answered.
const LISTEN: Duration = Duration::from_millis(200);
/// A device that was silent is listened to for another `within_ms`, but at most this long.
const LISTEN_AT_MOST: Duration = Duration::from_secs(2);
/// How many words with different answers to look into.
const LOOKED_INTO: usize = 3;
/// How often to repeat a trial.
const TRIES: usize = 3;
/// How many other words to ask before the word in a trial.
const OTHERS: usize = 6;

/// The result of a check.
#[derive(Debug)]
pub struct Checked {
    /// What the device was asked and answered.
    pub evidence: Evidence,
    /// What is wrong, and what could be better.
    pub findings: Vec<Finding>,
}

/// Asks the device that `file` describes in this many rounds. `go_on` gets the number of words
/// asked so far and the total; false ends the check.
///
/// # Errors
/// The device is gone, or does not come back from a reset.
pub fn check<L: Link>(
    sul: &mut SerialSul<Traced<L>>,
    file: EditableDeviceFile,
    rounds: u32,
    go_on: impl FnMut(u32, u32) -> bool,
) -> Result<Checked, LinkError> {
    let words = words(file.device().inputs.len());
    let total = rounds.saturating_mul(count(words.len()));
    let evidence = Evidence::of_plan(file, LEN);
    let mut plan = Plan { sul, words, evidence, total, listens: true, go_on };
    if plan.ask_rounds(rounds)? && plan.ask_far(rounds)? {
        plan.listens = false;
        plan.look_into_differences()?;
    }
    let evidence = plan.evidence;
    let findings = DETECTORS.iter().flat_map(|find| find(&evidence)).collect();
    Ok(Checked { evidence, findings })
}

/// Each input alone, in their order, and as many longer words.
fn words(inputs: usize) -> Vec<Vec<Input>> {
    let mut rng = Rng::with_seed(1);
    let longer: Vec<_> = (0..inputs).map(|_| random(&mut rng, inputs, LEN)).collect();
    let alone = (0..count(inputs)).map(|number| vec![Input::new(number)]);
    alone.chain(longer).collect()
}

fn random(rng: &mut Rng, inputs: usize, len: usize) -> Vec<Input> {
    (0..len).map(|_| Input::new(rng.u32(..count(inputs)))).collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

struct Plan<'s, L, F> {
    sul: &'s mut SerialSul<Traced<L>>,
    words: Vec<Vec<Input>>,
    evidence: Evidence,
    /// The number of words to ask, as far as known.
    total: u32,
    /// Whether to listen to the device after each word.
    listens: bool,
    go_on: F,
}

impl<L: Link, F: FnMut(u32, u32) -> bool> Plan<'_, L, F> {
    fn goes_on(&mut self) -> bool {
        (self.go_on)(self.evidence.words(), self.total)
    }

    /// Asks all words once a round, each round in another order, so that each word follows
    /// different words. Returns `false` if the check was ended.
    fn ask_rounds(&mut self, rounds: u32) -> Result<bool, LinkError> {
        let mut order = self.words.clone();
        for round in 0..rounds {
            Rng::with_seed(u64::from(round)).shuffle(&mut order);
            for word in &order {
                if !self.goes_on() {
                    return Ok(false);
                }
                self.ask(word)?;
            }
        }
        Ok(true)
    }

    /// If a time-out seems too long, asks words that lead further: slow answers may be far from the
    /// initial state. Takes at most as long as all words before. Returns `false` if the check was
    /// ended.
    fn ask_far(&mut self, rounds: u32) -> Result<bool, LinkError> {
        let is_long = |finding: &Finding| finding.kind == FindingKind::LongTimeOut;
        if !DETECTORS.iter().flat_map(|find| find(&self.evidence)).any(|finding| is_long(&finding))
        {
            return Ok(true);
        }
        let until = self.evidence.spent * 2;
        let inputs = self.evidence.timings().len();
        let words = rounds.saturating_mul(count(inputs));
        self.total += words;
        let mut rng = Rng::with_seed(2);
        for _ in 0..words {
            if !self.goes_on() {
                return Ok(false);
            }
            if self.evidence.spent > until {
                break;
            }
            self.ask(&random(&mut rng, inputs, FAR))?;
        }
        Ok(true)
    }

    /// Asks a word from a reset on, and returns its last output. `None` if it failed in a way that
    /// may not happen again.
    fn ask(&mut self, word: &[Input]) -> Result<Option<String>, LinkError> {
        match self.ask_word(word) {
            Ok(output) => Ok(output),
            Err(error) if error.is_interruption() => Ok(None),
            // A word of this length may take too long without a fault in the file.
            Err(LinkError::WordTooLong { .. }) if word.len() > LEN => Ok(None),
            Err(error) if error.is_worth_a_retry() => {
                self.evidence.fault(error.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn ask_word(&mut self, word: &[Input]) -> Result<Option<String>, LinkError> {
        let started = self.sul.link().now();
        let result = self.sul.reset();
        self.evidence.reset(self.sul.link().now().saturating_sub(started));
        result?;
        self.sul.link().take();
        let mut last = None;
        for (position, &input) in word.iter().enumerate() {
            let started = self.sul.link().now();
            let output = self.sul.step(input).map(output_name);
            let end = self.sul.link().now();
            let during = self.sul.link().take();
            let output = match output {
                Ok(output) => output,
                Err(error) => {
                    if matches!(&error, LinkError::Late { before, .. } if before.is_empty()) {
                        self.evidence.late(input);
                        self.evidence
                            .measure(input, ObservedExchange::new(&during, end, &[]).as_ref());
                    }
                    return Err(error);
                }
            };
            let is_last = self.listens && position + 1 == word.len();
            let (is_late, later) =
                if is_last { self.listen(input, &during)? } else { (false, Vec::new()) };
            if is_late {
                self.evidence.late(input);
            }
            let exchange = ObservedExchange::new(&during, end, &later);
            let rule = &self.sul.device().inputs[input.index() as usize].reply;
            let (is_silence, took) = (rule.silent == output, end.saturating_sub(started));
            let answer = Answer { input, output: &output, is_silence, took };
            let reply = self.evidence.measure(input, exchange.as_ref());
            self.evidence.answer(&answer, reply);
            last = Some(output);
        }
        Ok(last)
    }

    /// Listens after an input: whether there are late bytes, and the events.
    fn listen(
        &mut self,
        input: Input,
        during: &[TraceEvent],
    ) -> Result<(bool, Vec<TraceEvent>), LinkError> {
        let rule = &self.sul.device().inputs[input.index() as usize].reply;
        let is_silent = !during.iter().any(|event| matches!(event.what, Passed::Received(_)));
        let time = if is_silent { rule.within.clamp(LISTEN, LISTEN_AT_MOST) } else { LISTEN };
        let is_late = !self.sul.listen(time)?.is_empty();
        Ok((is_late, self.sul.link().take()))
    }

    /// Looks into words with different answers, one for each last input.
    fn look_into_differences(&mut self) -> Result<(), LinkError> {
        let mut words: Vec<Vec<Input>> = Vec::new();
        for word in self.evidence.differences() {
            if words.iter().all(|known| known.last() != word.last()) {
                words.push(word.to_vec());
            }
        }
        for word in words.into_iter().take(LOOKED_INTO) {
            match self.look_into(word)? {
                Some(trial) => self.evidence.trials.push(trial),
                None => break,
            }
        }
        Ok(())
    }

    /// Looks for the reason why a word has two answers: asks it again after the words that came
    /// before each answer. `None` if the check was ended.
    fn look_into(&mut self, word: Vec<Input>) -> Result<Option<ProposalTrial>, LinkError> {
        let [one, other, ..] = self.evidence.runs(&word) else { return Ok(None) };
        let outputs = [one.output.clone(), other.output.clone()];
        let after = [one.after.clone(), other.after.clone()];
        // The words to ask before it: those before the two answers, with the expected answer, and
        // others.
        let sides = after.iter().zip(&outputs);
        let sides = sides.filter_map(|(after, output)| Some((after.clone()?, Some(output))));
        let others = self.words.iter().filter(|other| **other != word).take(OTHERS);
        let befores: Vec<_> = sides.chain(others.map(|other| (other.clone(), None))).collect();
        self.total = self.total.saturating_add(count(3 * TRIES * befores.len()));
        // Asks the word twice after each: the first answer shows what the word before leaves
        // behind.
        let (mut depends, mut is_steady, mut seen) = (true, true, Vec::new());
        for _ in 0..TRIES {
            for (before, output) in &befores {
                if !self.goes_on() {
                    return Ok(None);
                }
                self.ask(before)?;
                let [first, again] = [self.ask(&word)?, self.ask(&word)?];
                let (Some(first), Some(again)) = (first, again) else { continue };
                is_steady &= first == again;
                depends &= output.is_none_or(|output| *output == first);
                seen.push(first);
            }
        }
        let varies = seen.windows(2).any(|pair| pair[0] != pair[1]);
        // The first answer came for a while and never again: a word has changed the device for
        // good.
        let is_for_good = self.evidence.runs(&word).len() == 2;
        let is_by_reset = is_for_good || varies && (depends || is_steady);
        Ok(Some(ProposalTrial { word, outputs, after, is_by_reset }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_each_input_alone_and_as_many_longer_ones() {
        let words = words(4);
        assert_eq!(words.len(), 8);
        assert_eq!(words[3], [Input::new(3)]);
        assert!(words[4..].iter().all(|word| word.len() == LEN));
    }
}
