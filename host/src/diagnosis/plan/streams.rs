//! Looks for inputs after which the device goes on speaking as long as nothing else is sent.
//!
//! The rest of a reply comes, and then it is over. What a device measures and tells again and again is never over, so no end of
//! a reply takes all of it.

use std::time::Duration;

use mealybug_core::Input;

use super::super::checked_device::CheckedDevice;
use super::super::evidence::LineStream;
use super::super::going_on::going_on;
use super::{Plan, count};
use crate::line_kind::{ended_lines, kind_pattern};
use crate::serial::Passed;

/// How long it listens: twice this. A reply that pauses for as long is rare.
const HALF: Duration = Duration::from_secs(2);
/// So many lines must come in each half.
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
            if let Some(stream) = self.stream_after(word)? {
                self.evidence.streams.push(stream);
            }
        }
        Ok(())
    }

    /// The lines that come again and again after a word, if they are alike.
    fn stream_after(&mut self, word: Vec<Input>) -> Result<Option<LineStream>, D::Error> {
        let Some(&input) = word.last() else { return Ok(None) };
        if self.is_lost() || !self.goes_on() {
            return Ok(None);
        }
        // The word fails if more comes with the end of a reply: that is what is listened to.
        self.ask(&word)?;
        let halves = [self.lines_in(input, HALF), self.lines_in(input, HALF)];
        if halves.iter().any(|lines| lines.len() < LINES) {
            return Ok(None);
        }
        let lines = halves.concat();
        // The first one may have begun before.
        let whole: Vec<_> = lines[1..].iter().map(Vec::as_slice).collect();
        let pattern = kind_pattern(&whole).filter(|pattern| !self.evidence.is_answer(pattern));
        let Some(pattern) = pattern else { return Ok(None) };
        let (example, count) = (lines[1].clone(), lines.len());
        Ok(Some(LineStream { word, example, pattern, lines: count, time: 2 * HALF }))
    }

    /// The lines that come in this time.
    fn lines_in(&mut self, input: Input, time: Duration) -> Vec<Vec<u8>> {
        let until = self.device.now() + time;
        let mut bytes = Vec::new();
        while self.device.now() < until && self.goes_on() {
            let before = self.device.now();
            let heard = self.device.listen(input, &[]);
            for event in self.device.take_events() {
                if let Passed::Received(piece) = event.what {
                    bytes.extend(piece);
                }
            }
            if heard.is_err() || self.device.now() == before {
                break;
            }
        }
        ended_lines(&bytes).map(<[u8]>::to_vec).collect()
    }
}
