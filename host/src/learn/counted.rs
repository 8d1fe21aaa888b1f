//! Counts costs where the device is asked.

use std::time::Duration;

use mealybug_core::{Costs, Input, Sul};

/// A device that counts what it is asked, including words that are asked again.
#[derive(Clone, Debug)]
pub struct Counted<S> {
    sul: S,
    costs: Costs,
}

impl<S> Counted<S> {
    /// Counts from now on what `sul` is asked.
    pub fn new(sul: S) -> Self {
        Self { sul, costs: Costs::default() }
    }

    /// The cost so far.
    pub fn costs(&self) -> Costs {
        self.costs
    }

    /// The device.
    pub fn sul(&self) -> &S {
        &self.sul
    }

    /// The device; what it is asked this way is not counted.
    pub fn sul_mut(&mut self) -> &mut S {
        &mut self.sul
    }

    /// Counts a reset and an input that the device was asked earlier.
    pub(crate) fn count(&mut self, costs: Costs) {
        self.costs.resets += costs.resets;
        self.costs.symbols += costs.symbols;
    }

    /// Returns the device and drops the counts.
    pub fn into_inner(self) -> S {
        self.sul
    }
}

impl<S: Sul> Sul for Counted<S> {
    type Error = S::Error;

    fn reset(&mut self) -> Result<(), S::Error> {
        self.costs.resets += 1;
        self.sul.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], S::Error> {
        self.costs.symbols += 1;
        self.sul.step(input)
    }

    fn announce(&mut self, word: &[Input]) {
        self.sul.announce(word);
    }

    fn announce_open(&mut self, word: &[Input]) {
        self.sul.announce_open(word);
    }

    fn elapsed(&self) -> Option<Duration> {
        self.sul.elapsed()
    }

    fn reply(&self) -> Option<&[u8]> {
        self.sul.reply()
    }

    fn reset_for(&mut self, word: &[Input]) -> Result<(), S::Error> {
        self.costs.resets += 1;
        self.sul.reset_for(word)
    }
}
