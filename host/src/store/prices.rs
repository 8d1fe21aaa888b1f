//! Measures how long a reset and each input take, and derives their relative costs.

use std::time::Duration;

use mealybug_core::Input;
use serde::{Deserialize, Serialize};

use crate::mean_time::MeanTime;

/// If a reset and all inputs are faster than this, all have the same cost. Such a run is short
/// anyway, and with one seed it then asks the same words every time.
const SLOW: Duration = Duration::from_millis(100);

/// The largest cost. Beyond it, tests no longer change.
const PRICE_MAX: u128 = 1000;

/// The costs of a reset and of each input, relative to an average input, which costs 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// The cost of a reset.
    pub reset: u32,
    /// The cost of each input.
    pub inputs: Vec<u32>,
}

/// The times that a reset and each input took so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    reset: MeanTime,
    inputs: Vec<MeanTime>,
}

impl Times {
    /// Records the time of a reset.
    pub(super) fn reset(&mut self, time: Duration) {
        self.reset.add(time);
    }

    /// Records the time of an input.
    pub(super) fn input(&mut self, input: Input, time: Duration) {
        let index = input.index() as usize;
        if self.inputs.len() <= index {
            self.inputs.resize(index + 1, MeanTime::default());
        }
        self.inputs[index].add(time);
    }

    /// The costs of a reset and of each of `inputs` inputs; `None` if nothing is slow or no time is
    /// known.
    pub(super) fn prices(&self, inputs: usize) -> Option<Prices> {
        let slowest = self.inputs.iter().chain([&self.reset]).filter_map(MeanTime::value).max()?;
        let mut all = MeanTime::default();
        self.inputs.iter().for_each(|times| all.add_all(times));
        let unit = all.value().filter(|_| slowest >= SLOW)?.as_micros().max(1);
        let price = |mean: &MeanTime| {
            let price =
                mean.value().map(|time| ((time.as_micros() + unit / 2) / unit).min(PRICE_MAX));
            price.map(|price| u32::try_from(price).expect("it is limited"))
        };
        let of_input = |index| self.inputs.get(index).and_then(price).unwrap_or(1).max(1);
        let reset = price(&self.reset).unwrap_or(0);
        Some(Prices { reset, inputs: (0..inputs).map(of_input).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of ten resets and ten of each input, in milliseconds.
    fn times(reset_ms: u64, inputs_ms: &[u64]) -> Times {
        let mut times = Times::default();
        for _ in 0..10 {
            times.reset(Duration::from_millis(reset_ms));
            for (index, &ms) in (0..).zip(inputs_ms) {
                times.input(Input::new(index), Duration::from_millis(ms));
            }
        }
        times
    }

    #[test]
    fn prices_are_times_beside_an_ordinary_input() {
        let prices = |reset, inputs: &[u64]| times(reset, inputs).prices(inputs.len());
        let some = |reset, inputs: &[u32]| Some(Prices { reset, inputs: inputs.to_vec() });
        // A mean of 100 ms.
        assert_eq!(prices(5000, &[20, 340, 20, 20]), some(50, &[1, 3, 1, 1]));
        assert_eq!(prices(0, &[10, 190]), some(0, &[1, 2]), "a free reset");
        assert_eq!(prices(3_600_000, &[0, 0]), some(1000, &[1, 1]), "limited");
        assert_eq!(prices(100, &[50]), some(2, &[1]), "just slow enough");
        assert_eq!(prices(99, &[99]), None, "nothing to save");
    }

    #[test]
    fn what_was_not_measured_costs_as_an_ordinary_input() {
        assert_eq!(Times::default().prices(3), None);
        let one = times(1000, &[100]).prices(3);
        assert_eq!(one, Some(Prices { reset: 10, inputs: vec![1; 3] }));
        let mut resets = Times::default();
        resets.reset(Duration::from_secs(1));
        assert_eq!(resets.prices(3), None, "beside what?");
    }
}
