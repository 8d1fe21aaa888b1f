//! Looks for inputs after which the device goes on speaking as long as nothing else is sent.
//!
//! The rest of a reply comes, and then it is over. What a device measures and tells again and again is never over, so no end of
//! a reply takes all of it.

use std::time::Duration;

use mealybug_core::Input;
use regex::bytes::Regex;

use super::super::checked_device::CheckedDevice;
use super::super::evidence::LineStream;
use super::super::field::is_text;
use super::super::going_on::going_on;
use super::super::unasked::{KeptExchange, line_end};
use super::{Plan, count};

/// Half of the time that it listens.
const HALF: Duration = Duration::from_secs(2);
/// The least lines that come in each half.
const LINES: usize = 2;
/// What comes sooner after the end of a reply is the rest of it.
const LATER: Duration = Duration::from_millis(20);
/// The most words to listen after.
const WORDS: usize = 4;

impl<D: CheckedDevice> Plan<'_, D> {
    /// Listens after the inputs whose replies go on.
    pub(super) fn look_for_streams(&mut self) -> Result<(), D::Error> {
        let Some(file) = &self.evidence.file else { return Ok(()) };
        let always = going_on(self.evidence.exchanges(), &file.device().inputs).into_keys();
        let always = always.map(|input| vec![Input::new(count(input))]);
        let rests = self.evidence.rests.iter().map(|rest| rest.word.clone());
        let goes_on = |word: &Vec<Input>| {
            let mut asked = self.evidence.exchanges().iter().filter(|kept| kept.word == *word);
            asked.any(|kept| kept.exchange.goes_on_late(LATER))
        };
        let words: Vec<_> = always.chain(rests).filter(goes_on).take(WORDS).collect();
        for word in words {
            let is_known = |stream: &LineStream| stream.word.last() == word.last();
            if self.evidence.streams.iter().any(is_known) {
                continue;
            }
            if let Some(stream) = self.stream_after(word)? {
                self.evidence.streams.push(stream);
            }
        }
        Ok(())
    }

    /// The lines that come again and again after a word, if they are alike.
    fn stream_after(&mut self, word: Vec<Input>) -> Result<Option<LineStream>, D::Error> {
        let Some(&input) = word.last() else { return Ok(None) };
        self.listening = Some(2 * HALF);
        let can_listen = !self.is_lost() && self.goes_on();
        self.listening = None;
        if !can_listen {
            return Ok(None);
        }
        // The word fails if more comes with the end of a reply: that is what is listened to.
        self.ask(&word)?;
        let mut heard = self.hear_late(input, HALF, |_| false).bytes;
        let end = line_end(self.evidence.exchanges(), &heard);
        let first = end.lines(&heard).count();
        if first < LINES {
            return Ok(None);
        }
        heard.extend(self.hear_late(input, HALF, |_| false).bytes);
        let lines: Vec<_> = end.lines(&heard).collect();
        if lines.len() < first + LINES || !lines.iter().all(|line| is_text(line)) {
            return Ok(None);
        }
        // The first one may have begun before.
        let pattern = end.kind_pattern(&lines[1..]);
        let exchanges = self.evidence.exchanges();
        let pattern = pattern.filter(|pattern| !is_answer_without(input, pattern, exchanges));
        let Some(pattern) = pattern else { return Ok(None) };
        let (example, count) = (lines[1].to_vec(), lines.len());
        Ok(Some(LineStream { word, example, pattern, lines: count, time: 2 * HALF }))
    }
}

/// Whether a line that fits this pattern is in an answer to a word that did not have this input before.
fn is_answer_without(input: Input, pattern: &str, exchanges: &[KeptExchange]) -> bool {
    let Ok(pattern) = Regex::new(pattern) else { return true };
    let is_without = |kept: &&KeptExchange| {
        kept.word.split_last().is_some_and(|(_, before)| !before.contains(&input))
    };
    exchanges.iter().filter(is_without).any(|kept| pattern.is_match(&kept.exchange.reply_bytes()))
}
