//! How often a word that fails is asked again.

use std::collections::BTreeMap;

use mealybug_core::Input;
use mealybug_core::wire::message::ATTEMPTS;

use super::Tally;

/// Failures to assume at the start, as one in so many symbols: a link that fails more often gets
/// more attempts only once that is known.
const PRIOR_SYMBOLS: f64 = 100.0;

/// A place of a word is given up when chance explains its failures in less than one of so many
/// places.
const PLACES: f64 = 1e7;

/// More attempts tell nothing new.
const MAX_ATTEMPTS: u32 = 40;

/// The failures of a link.
///
/// A link that fails at times fails here and there. A word that fails again and again in one place
/// is no noise: it is given up after [`ATTEMPTS`] attempts, or after as many more as the link needs
/// that fails often elsewhere.
#[derive(Clone, Debug, Default)]
pub struct LinkFailures {
    all: u64,
    /// The word that failed last, and how often it did so after this many of its inputs, without
    /// ever getting further in between.
    word: Vec<Input>,
    places: BTreeMap<usize, u32>,
    /// The number of resets when it failed last.
    resets: u64,
}

/// A failure of a word, as [`LinkFailures`] counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// How often the word has failed in this place.
    pub number: u32,
    /// After so many failures in one place the word is given up.
    pub of: u32,
}

impl Attempt {
    /// Whether to ask the word again.
    pub fn is_worth_another(self) -> bool {
        self.number < self.of
    }
}

impl LinkFailures {
    /// Counts a failure of `word` after `sent` of its inputs. `tally` says what the device was asked
    /// by then.
    pub fn count(&mut self, word: &[Input], sent: usize, tally: &Tally) -> Attempt {
        // A word that was asked in between has got past the places where this one failed.
        let is_in_a_row = tally.device.resets <= self.resets + 1;
        self.resets = tally.device.resets;
        if self.word != word || !is_in_a_row {
            self.word = word.to_vec();
            self.places.clear();
        }
        self.all += 1;
        // It got past these places.
        self.places.retain(|&place, _| place >= sent);
        let number = self.places.entry(sent).or_default();
        *number += 1;
        let elsewhere = self.all - u64::from(*number) + tally.garbled;
        Attempt { number: *number, of: attempts(elsewhere, tally.device.symbols) }
    }

    /// Another word is asked.
    pub fn forget_word(&mut self) {
        self.places.clear();
    }

    /// The number of failures.
    pub fn all(&self) -> u64 {
        self.all
    }
}

/// How often a word may fail in one place, with so many failures elsewhere.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn attempts(elsewhere: u64, symbols: u64) -> u32 {
    let rate = (elsewhere as f64 + 1.0) / (symbols as f64 + PRIOR_SYMBOLS);
    let mut by_chance = 1.0;
    let mut attempts = 0;
    while by_chance > 1.0 / PLACES && attempts < MAX_ATTEMPTS {
        by_chance *= rate;
        attempts += 1;
    }
    attempts.max(ATTEMPTS)
}

#[cfg(test)]
mod tests {
    use mealybug_core::Costs;

    use super::*;

    fn asked(symbols: u64) -> Tally {
        Tally { device: Costs { symbols, resets: 0 }, ..Tally::default() }
    }

    /// The failures of `word` in this place until it is given up.
    fn until_given_up(
        failures: &mut LinkFailures,
        word: &[Input],
        sent: usize,
        symbols: u64,
    ) -> u32 {
        loop {
            let attempt = failures.count(word, sent, &asked(symbols));
            if !attempt.is_worth_another() {
                return attempt.number;
            }
        }
    }

    #[test]
    fn a_link_that_fails_often_gets_more_attempts() {
        let words = [0, 1].map(|input| vec![Input::new(input); 5]);
        let mut good = LinkFailures::default();
        assert_eq!(until_given_up(&mut good, &words[0], 3, 0), ATTEMPTS, "at the very start");
        let mut bad = LinkFailures::default();
        for number in 0..300 {
            assert!(
                bad.count(&words[number % 2], 1, &asked(900)).is_worth_another(),
                "here and there"
            );
        }
        let attempts = until_given_up(&mut bad, &words[0], 3, 900);
        assert_eq!(attempts, 14, "three in ten symbols fail");
        assert!(until_given_up(&mut bad, &words[1], 0, 0) < MAX_ATTEMPTS + 1, "an end");
    }

    #[test]
    fn a_word_that_gets_further_begins_to_count_anew() {
        let word = vec![Input::new(0); 5];
        let mut failures = LinkFailures::default();
        for sent in [1, 1, 1, 3, 1, 1, 1] {
            assert!(failures.count(&word, sent, &asked(1000)).is_worth_another());
        }
        assert!(!failures.count(&word, 1, &asked(1000)).is_worth_another());
        assert_eq!(failures.all(), 8);
        let later = Tally { device: Costs { symbols: 1000, resets: 2 }, ..Tally::default() };
        assert_eq!(failures.count(&word, 1, &later).number, 1, "it did not fail in between");
    }
}
