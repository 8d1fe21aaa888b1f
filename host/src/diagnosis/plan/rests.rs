//! Looks for replies that go on after their end in some states only.
//!
//! Late bytes at the end of a word may belong to any of its inputs. So the word is asked up to each of its inputs, and then
//! nothing more is sent for a while: the first input after which more comes, each time, though nothing came without it, has
//! the reply that goes on.

use std::collections::{BTreeMap, BTreeSet};

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::device_file::EditableDeviceFile;
use super::super::going_on::{TIMES as ALONE, TriedRest, going_on, going_on_at_once, late_rest};
use super::{CheckStage, Plan, count};

/// How many words with late bytes to look into.
const LOOKED_INTO: usize = 4;
/// How often more must come after an input, and nothing without it.
const TIMES: usize = 3;
/// Bytes must have come late in at least this number of words: once, the line may have failed.
const LATE_WORDS: usize = 2;
/// No longer words are looked into.
const LONGEST: usize = 12;

impl<D: CheckedDevice> Plan<'_, D> {
    /// Whether replies go on after their end: then the rest of one is taken for the next one.
    pub(super) fn has_rests(&self) -> bool {
        let always = |file: &EditableDeviceFile| {
            !going_on(self.evidence.exchanges(), &file.device().inputs).is_empty()
        };
        !self.evidence.rests.is_empty() || self.evidence.file.as_ref().is_some_and(always)
    }

    /// Asks each input alone again after whose reply more came at once. Returns whether a reply goes on so each time: then the
    /// words with that input fail, or the rest of its reply is taken for another one, and all that follows would show no more.
    pub(super) fn confirm_rests(&mut self) -> Result<bool, D::Error> {
        let mut found = self.going_on_at_once();
        for input in found.clone().into_keys() {
            while found.get(&input).is_some_and(|&times| times < ALONE) {
                if !self.goes_on() {
                    return Ok(false);
                }
                self.ask(&[Input::new(count(input))])?;
                let before = std::mem::replace(&mut found, self.going_on_at_once());
                // Words that fail for other reasons do not count.
                if found.get(&input) == before.get(&input) {
                    break;
                }
            }
        }
        Ok(found.into_values().any(|times| times >= ALONE))
    }

    fn going_on_at_once(&self) -> BTreeMap<usize, usize> {
        let Some(file) = &self.evidence.file else { return BTreeMap::new() };
        going_on_at_once(self.evidence.exchanges(), &file.device().inputs)
    }

    /// Looks into the shortest words with late bytes, one for each last input.
    pub(super) fn look_for_rests(&mut self) -> Result<(), D::Error> {
        let Some(file) = &self.evidence.file else { return Ok(()) };
        let inputs = &file.device().inputs;
        let exchanges = self.evidence.exchanges();
        let known = going_on(exchanges, inputs);
        // What is said unasked comes late, too.
        if self.evidence.lines_on_top().iter().any(|line| self.evidence.is_by_itself(line)) {
            return Ok(());
        }
        let with_rest = exchanges.iter().filter(|kept| {
            let input = kept.input().filter(|input| !known.contains_key(input));
            input.is_some_and(|input| late_rest(kept, &inputs[input].reply).is_some())
        });
        let mut words: Vec<_> = with_rest.map(|kept| kept.word.clone()).collect();
        if words.len() < LATE_WORDS {
            return Ok(());
        }
        words.sort_by(|one, other| one.len().cmp(&other.len()).then(one.cmp(other)));
        let mut seen = BTreeSet::new();
        words.retain(|word| word.len() <= LONGEST && seen.insert(word.last().copied()));
        words.truncate(LOOKED_INTO);
        self.left.exploring = count(words.iter().map(|word| word.len() + 2 * TIMES).sum());
        let was = (std::mem::replace(&mut self.stage, CheckStage::Compare), self.is_patient);
        (self.listens_always, self.is_patient) = (true, true);
        let found = words.iter().try_for_each(|word| self.find_rest(word));
        (self.listens_always, self.is_patient) = (false, was.1);
        self.stage = was.0;
        self.left.exploring = 0;
        found
    }

    /// Finds the first input of a word after whose reply more comes, if there is one.
    fn find_rest(&mut self, word: &[Input]) -> Result<(), D::Error> {
        for len in 1..=word.len() {
            let (before, upto) = (&word[..len - 1], &word[..len]);
            let Some(is_late) = self.goes_on_after(upto)? else { return Ok(()) };
            if !is_late {
                continue;
            }
            let input = word[len - 1].index() as usize;
            if self.evidence.rests.iter().any(|rest| rest.input == input) {
                return Ok(());
            }
            let mut times = 1;
            for _ in 1..TIMES {
                // In turn: what comes by itself comes after both.
                let is_late = self.goes_on_after(upto)? == Some(true);
                if !is_late || !before.is_empty() && self.goes_on_after(before)? != Some(false) {
                    return Ok(());
                }
                times += 1;
            }
            self.evidence.rests.push(TriedRest { input, word: upto.to_vec(), times });
            return Ok(());
        }
        Ok(())
    }

    /// Whether more comes after the reply to the last input of a word, when nothing is sent for a while. `None` if the check was
    /// ended or the word failed.
    fn goes_on_after(&mut self, word: &[Input]) -> Result<Option<bool>, D::Error> {
        if !self.goes_on() {
            return Ok(None);
        }
        self.left.exploring = self.left.exploring.saturating_sub(1);
        if self.ask(word)?.is_none() {
            return Ok(None);
        }
        let Some(file) = &self.evidence.file else { return Ok(None) };
        let last = self.evidence.exchanges().last().filter(|kept| kept.word == word);
        let Some((last, input)) = last.and_then(|last| Some((last, last.input()?))) else {
            return Ok(None);
        };
        let rule = &file.device().inputs[input].reply;
        Ok(Some(late_rest(last, rule).is_some()))
    }
}
