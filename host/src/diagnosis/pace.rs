//! How long the rest of a check takes, from the words so far.

use std::time::Duration;

use crate::mean_time::MeanTime;

/// The number of inputs of a word that is not known yet.
const WORD: u32 = 5;

/// What a check still has to do.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// The most words that explore or compare, without listening after them.
    pub(super) exploring: u32,
    /// The words that are repeated.
    pub(super) repeating: u32,
    /// The inputs of these words.
    pub(super) symbols: u32,
    /// How long exploring takes at most.
    pub(super) at_most: Duration,
}

impl Left {
    /// The number of words.
    pub(super) fn words(&self) -> u32 {
        self.exploring.saturating_add(self.repeating)
    }
}

/// How long resets, inputs and listening took.
#[derive(Debug, Default)]
pub(super) struct MeanTimes {
    reset: MeanTime,
    symbol: MeanTime,
    listen: MeanTime,
}

impl MeanTimes {
    /// A reset took this long.
    pub(super) fn reset(&mut self, took: Duration) {
        self.reset.add(took);
    }

    /// An input took this long.
    pub(super) fn symbol(&mut self, took: Duration) {
        self.symbol.add(took);
    }

    /// Listening after a word took this long.
    pub(super) fn listen(&mut self, took: Duration) {
        self.listen.add(took);
    }

    /// How long the rest takes.
    pub(super) fn time(&self, left: &Left) -> Duration {
        let [reset, symbol, listen] = [&self.reset, &self.symbol, &self.listen]
            .map(|times| times.value().unwrap_or_default());
        let exploring = (reset + symbol * WORD).saturating_mul(left.exploring).min(left.at_most);
        let repeating = (reset + listen).saturating_mul(left.repeating);
        let symbols = symbol.saturating_mul(left.symbols);
        exploring.saturating_add(repeating).saturating_add(symbols)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_the_words_so_far() {
        let ms = Duration::from_millis;
        let mut pace = MeanTimes::default();
        for (reset, symbol) in [(90, 10), (110, 30)] {
            pace.reset(ms(reset));
            pace.symbol(ms(symbol));
            pace.listen(ms(200));
        }
        let left = Left { exploring: 10, repeating: 4, symbols: 7, at_most: Duration::MAX };
        // 10 words of 5 inputs, then 4 words of 7 inputs in total.
        assert_eq!(pace.time(&left), ms(10 * (100 + 5 * 20) + 4 * 300 + 7 * 20));
        assert_eq!(pace.time(&Left { at_most: ms(500), ..left }), ms(500 + 4 * 300 + 7 * 20));
    }
}
