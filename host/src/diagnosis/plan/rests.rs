//! Looks for replies that go on after their end in some states only.
//!
//! Late bytes at the end of a word may belong to any of its inputs. So the word is asked up to each of its inputs, and then
//! nothing more is sent for a while: the first input after which more comes, each time, though nothing came without it, has
//! the reply that goes on. A reply that silence ends may hold the late bytes of an input before it: then what comes before its
//! longest pause is a whole reply at other times.
//!
//! While the check explores the device, a word is looked into at once if more came with the end of a reply: each word that fails
//! because of that reply makes the check more patient, though no patience helps.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::device_file::EditableDeviceFile;
use super::super::going_on::{
    TIMES, TriedRest, comes_with_end, going_on, going_on_at_once, late_rest,
};
use super::super::unasked::KeptExchange;
use super::{CheckStage, Plan, TURNS, count};
use crate::device::InputRule;

/// How many words with late bytes to look into while exploring, and later.
const LOOKED_INTO: usize = 4;
/// After a pause of this length in a reply, late bytes of an input before it may come.
const LONG_PAUSE: Duration = Duration::from_millis(50);
/// No longer words are looked into.
const LONGEST: usize = 20;

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
            while found.get(&input).is_some_and(|&times| times < TIMES) {
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
        Ok(found.into_values().any(|times| times >= TIMES))
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
        let has_rest = |kept: &&KeptExchange| {
            kept.input().is_some_and(|input| late_rest(kept, &inputs[input]).is_some())
        };
        let mut words: Vec<_> = exchanges.iter().filter(has_rest).map(|kept| &*kept.word).collect();
        let mut before_late = before_late_lines(exchanges, inputs);
        for words in [&mut words, &mut before_late] {
            words.sort_by(|one, other| one.len().cmp(&other.len()).then(one.cmp(other)));
        }
        words.append(&mut before_late);
        let mut seen: BTreeSet<_> = known.into_keys().collect();
        words.retain(|word| {
            let last = word.last().map(|input| input.index() as usize);
            word.len() <= LONGEST && last.is_some_and(|last| seen.insert(last))
        });
        words.truncate(LOOKED_INTO);
        if words.is_empty() {
            return Ok(());
        }
        let words: Vec<_> = words.into_iter().map(<[Input]>::to_vec).collect();
        let stage = std::mem::replace(&mut self.stage, CheckStage::Compare);
        let found = self.find_rests(&words);
        self.stage = stage;
        found
    }

    /// Looks into the word that was asked last if more came with the end of one of its replies. `known` is the number of exchanges
    /// before that word. Returns whether that reply goes on each time.
    pub(super) fn confirm_rest_of_word(&mut self, known: usize) -> Result<bool, D::Error> {
        let Some(file) = &self.evidence.file else { return Ok(false) };
        let inputs = &file.device().inputs;
        let has_rest = |kept: &&KeptExchange| {
            kept.input().is_some_and(|input| comes_with_end(kept, &inputs[input]))
        };
        let asked = self.evidence.exchanges().get(known..).unwrap_or_default();
        let found = asked.iter().find(has_rest).map(|kept| kept.word.clone());
        let Some(word) = found.filter(|word| word.len() <= LONGEST) else { return Ok(false) };
        if self.rests_looked_into == LOOKED_INTO {
            return Ok(false);
        }
        self.rests_looked_into += 1;
        let rests = self.evidence.rests.len();
        self.find_rests(&[word])?;
        Ok(self.evidence.rests.len() > rests)
    }

    /// Finds the first input of each word after whose reply more comes.
    pub(super) fn find_rests(&mut self, words: &[Vec<Input>]) -> Result<(), D::Error> {
        let most = count(words.iter().map(|word| word.len() + TURNS.len()).sum());
        let exploring = std::mem::replace(&mut self.left.exploring, most);
        let was_patient = std::mem::replace(&mut self.is_patient, true);
        self.listens_always = true;
        self.shake_off();
        let found = words.iter().try_for_each(|word| self.find_rest(word));
        (self.listens_always, self.is_patient) = (false, was_patient);
        self.left.exploring = exploring;
        found
    }

    /// Finds the first input of a word after whose reply more comes, if there is one.
    fn find_rest(&mut self, word: &[Input]) -> Result<(), D::Error> {
        if self.goes_on_after(word)? != Some(true) {
            return Ok(());
        }
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
            // What comes by itself comes after both.
            for is_with in TURNS {
                let asked = if is_with { upto } else { before };
                let goes_on = match asked.is_empty() {
                    true => self.reset_goes_on(upto[0])?,
                    false => self.goes_on_after(asked)?,
                };
                if goes_on != Some(is_with) {
                    return Ok(());
                }
                times += usize::from(is_with);
            }
            self.evidence.rests.push(TriedRest { input, word: upto.to_vec(), times });
            return Ok(());
        }
        Ok(())
    }

    /// Whether something comes after a reset, when nothing is sent for as long as is listened after this input. `None` if the
    /// check was ended or the reset failed.
    fn reset_goes_on(&mut self, input: Input) -> Result<Option<bool>, D::Error> {
        if !self.goes_on() || self.count_reset().is_err() {
            return Ok(None);
        }
        self.left.exploring = self.left.exploring.saturating_sub(1);
        drop(self.device.take_events());
        let is_late = self.listen(input, &[])?;
        drop(self.device.take_events());
        Ok(Some(is_late))
    }

    /// Whether more comes after the reply to the last input of a word, when nothing is sent for a while. `None` if the check was
    /// ended, the word failed, or what came is a late answer.
    fn goes_on_after(&mut self, word: &[Input]) -> Result<Option<bool>, D::Error> {
        if !self.goes_on() {
            return Ok(None);
        }
        self.left.exploring = self.left.exploring.saturating_sub(1);
        let before = self.evidence.exchanges().len();
        let is_answered = self.ask(word)?.is_some();
        let Some(file) = &self.evidence.file else { return Ok(None) };
        let asked = self.evidence.exchanges().get(before..).unwrap_or_default();
        let last = asked.last().filter(|kept| kept.word == word);
        let Some((last, input)) = last.and_then(|last| Some((last, last.input()?))) else {
            return Ok(None);
        };
        let is_late_answer = last.exchange.reply.is_empty() && !last.exchange.late.is_empty();
        let rule = &file.device().inputs[input];
        // More that comes with the end of the reply fails the word.
        let is_heard = is_answered && !is_late_answer || comes_with_end(last, rule);
        Ok(is_heard.then(|| late_rest(last, rule).is_some()))
    }
}

/// The words before inputs whose replies were over before a long pause: at other times, that was all of a reply to the input.
fn before_late_lines<'e>(exchanges: &'e [KeptExchange], inputs: &[InputRule]) -> Vec<&'e [Input]> {
    let answered = exchanges.iter().filter_map(|kept| Some((kept.input()?, kept)));
    let answered = answered.filter(|(input, _)| !inputs[*input].waits());
    let replies = answered.clone().map(|(input, kept)| (input, kept.exchange.reply_bytes()));
    let replies: BTreeSet<_> = replies.collect();
    let is_over = |(input, kept): &(usize, &KeptExchange)| {
        let (pause, before) = kept.exchange.longest_pause();
        pause >= LONG_PAUSE && replies.contains(&(*input, before))
    };
    answered.filter(is_over).filter_map(|(_, kept)| Some(kept.word.split_last()?.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::evidence::testing::evidence_of;
    use crate::diagnosis::exchange::ObservedExchange;

    #[test]
    fn what_follows_a_whole_reply_after_a_pause_may_be_of_the_input_before() {
        let evidence = evidence_of(
            "[[reset]]\nsteps = [{ send = \"r\" }]\n[reply]\nquiet_ms = 200\n[inputs]\npin = \"pin\"\nopen = \"open\"\n\
             wait = { text = \"w\", wait_ms = 200 }",
        );
        let inputs = &evidence.file.as_ref().expect("a file").device().inputs;
        let exchange = |word: &[u32], pieces: &[(u64, &str)]| {
            let piece =
                |(ms, text): &(u64, &str)| (Duration::from_millis(*ms), text.as_bytes().to_vec());
            let reply = pieces.iter().map(piece).collect();
            let word: Vec<_> = word.iter().copied().map(Input::new).collect();
            let rule = &inputs[word[word.len() - 1].index() as usize].reply;
            KeptExchange::new(
                word,
                ObservedExchange { reply, ..ObservedExchange::default() },
                None,
                rule,
            )
        };
        let exchanges = [
            // These two lines always come together.
            exchange(&[1, 0], &[(3, "ok\n"), (60, "ready\n")]),
            exchange(&[0, 0], &[(3, "refused\n")]),
            exchange(&[0, 1, 0], &[(3, "refused\n"), (10, "!\n"), (150, "opened\n")]),
            exchange(&[1, 0, 1, 0], &[(3, "refused\n"), (150, "opened\n")]),
            // Too soon.
            exchange(&[2, 1, 0], &[(3, "refused\n"), (50, "opened\n")]),
            // All that comes in its time is its output.
            exchange(&[2], &[(3, "ok\n")]),
            exchange(&[1, 2], &[(3, "ok\n"), (150, "opened\n")]),
        ];
        let expected = [1, 0, 1].map(Input::new);
        assert_eq!(before_late_lines(&exchanges, inputs), [&expected[..]]);
    }
}
