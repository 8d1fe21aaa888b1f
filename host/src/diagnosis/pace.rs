//! How long the rest of a check takes, from the words so far.

use std::collections::VecDeque;
use std::time::Duration;

use mealybug_core::Input;

use crate::mean_time::MeanTime;

/// The number of inputs of a word that is not known yet.
const WORD: u32 = 5;
/// How many of the last words tell how long the next ones take: words that explore get longer.
const RECENT: usize = 16;

/// What a check still has to do.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// The most words that explore or compare, without listening after them.
    pub(super) exploring: u32,
    /// The words that are repeated.
    pub(super) repeating: u32,
    /// How often they contain each input, by its number.
    pub(super) inputs: Vec<u32>,
    /// The number of their inputs that are not known yet.
    pub(super) unknown: u32,
    /// How long exploring takes at most.
    pub(super) at_most: Duration,
    /// How long pauses before inputs take in all.
    pub(super) pauses: Duration,
}

impl Left {
    /// Some words are repeated so often.
    pub(super) fn add<'w>(&mut self, words: impl IntoIterator<Item = &'w Vec<Input>>, times: u32) {
        for word in words {
            self.repeating = self.repeating.saturating_add(times);
            for input in word {
                let number = input.index() as usize;
                if self.inputs.len() <= number {
                    self.inputs.resize(number + 1, 0);
                }
                self.inputs[number] = self.inputs[number].saturating_add(times);
            }
        }
    }

    /// A word that is repeated is asked once.
    pub(super) fn take(&mut self, word: &[Input]) {
        self.repeating = self.repeating.saturating_sub(1);
        for input in word {
            if let Some(times) = self.inputs.get_mut(input.index() as usize) {
                *times = times.saturating_sub(1);
            }
        }
    }

    /// The number of words.
    pub(super) fn words(&self) -> u32 {
        self.exploring.saturating_add(self.repeating)
    }
}

/// How long resets, inputs and listening took.
#[derive(Debug, Default)]
pub(super) struct MeanTimes {
    reset: MeanTime,
    /// By the number of the input.
    inputs: Vec<MeanTime>,
    listen: MeanTime,
    /// The last words that explored or compared.
    recent: VecDeque<Duration>,
}

impl MeanTimes {
    /// A reset took this long.
    pub(super) fn reset(&mut self, took: Duration) {
        self.reset.add(took);
    }

    /// An input took this long.
    pub(super) fn input(&mut self, input: Input, took: Duration) {
        let number = input.index() as usize;
        if self.inputs.len() <= number {
            self.inputs.resize(number + 1, MeanTime::default());
        }
        self.inputs[number].add(took);
    }

    /// A word that explores or compares took this long, from its reset on.
    pub(super) fn word(&mut self, took: Duration) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(took);
    }

    /// Listening after a word took this long.
    pub(super) fn listen(&mut self, took: Duration) {
        self.listen.add(took);
    }

    /// How long this word takes.
    pub(super) fn word_of(&self, word: &[Input]) -> Duration {
        let inputs = word.iter().map(|input| self.input_of(input.index() as usize));
        inputs.fold(self.reset.value().unwrap_or_default(), Duration::saturating_add)
    }

    /// How many words, as long as the last ones, fit into this time.
    pub(super) fn words_in(&self, time: Duration) -> u32 {
        let word = self.recent_word().map_or(1, |word| word.as_millis().max(1));
        u32::try_from(time.as_millis().div_ceil(word)).unwrap_or(u32::MAX)
    }

    /// How long the last words that explored or compared took.
    fn recent_word(&self) -> Option<Duration> {
        let mut recent = MeanTime::default();
        self.recent.iter().for_each(|took| recent.add(*took));
        recent.value()
    }

    /// How long the rest takes.
    pub(super) fn time(&self, left: &Left) -> Duration {
        let [reset, listen] =
            [&self.reset, &self.listen].map(|times| times.value().unwrap_or_default());
        let (mean, exploring) = (self.mean_input(), self.exploring(left));
        let repeating = (reset + listen).saturating_mul(left.repeating);
        let inputs = left.inputs.iter().enumerate();
        let each = inputs.map(|(number, times)| self.input_of(number).saturating_mul(*times));
        let inputs = each.fold(mean.saturating_mul(left.unknown), Duration::saturating_add);
        exploring.saturating_add(left.pauses).saturating_add(repeating).saturating_add(inputs)
    }

    /// How long the words that explore or compare take.
    pub(super) fn exploring(&self, left: &Left) -> Duration {
        let foreseen = || self.reset.value().unwrap_or_default() + self.mean_input() * WORD;
        let word = self.recent_word().unwrap_or_else(foreseen);
        word.saturating_mul(left.exploring).min(left.at_most)
    }

    /// How long the input with this number takes; one that was not asked, as long as the others.
    fn input_of(&self, number: usize) -> Duration {
        let own = self.inputs.get(number).and_then(MeanTime::value);
        own.unwrap_or_else(|| self.mean_input())
    }

    /// How long an input takes, where all are as frequent: a slow one that was rarely asked counts as much as the others.
    fn mean_input(&self) -> Duration {
        let mut mean = MeanTime::default();
        self.inputs.iter().filter_map(MeanTime::value).for_each(|time| mean.add(time));
        mean.value().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_the_words_so_far() {
        let ms = Duration::from_millis;
        let mut pace = MeanTimes::default();
        for (reset, input) in [(90, 10), (110, 30)] {
            pace.reset(ms(reset));
            pace.input(Input::new(1), ms(input));
            pace.listen(ms(200));
        }
        pace.input(Input::new(0), ms(60));
        let at_most = Duration::MAX;
        let left = Left {
            exploring: 10,
            repeating: 4,
            inputs: vec![5, 2, 1],
            unknown: 3,
            at_most,
            pauses: Duration::ZERO,
        };
        // 10 words of 5 inputs that take 40 ms in the mean; 4 words with 11 inputs, 4 of which take that long.
        let repeating = 4 * 300 + 5 * 60 + 2 * 20 + 4 * 40;
        assert_eq!(pace.time(&left), ms(10 * (100 + 5 * 40) + repeating));
        let left = Left { at_most: ms(500), ..left };
        assert_eq!(pace.time(&left), ms(500 + repeating));
        let left = Left { pauses: ms(2000), ..left };
        assert_eq!(pace.time(&left), ms(2500 + repeating));
        let left = Left { pauses: ms(0), ..left };
        // The last words took longer than the first ones let expect.
        (0..20).for_each(|number| pace.word(ms(if number < 4 { 10 } else { 600 })));
        assert_eq!(pace.time(&Left { at_most, ..left }), ms(10 * 600 + repeating));
        assert_eq!(pace.words_in(ms(60_000)), 100);
        // Input 2 was never asked.
        assert_eq!(pace.word_of(&[1, 1, 0, 2].map(Input::new)), ms(100 + 20 + 20 + 60 + 40));
    }
}
