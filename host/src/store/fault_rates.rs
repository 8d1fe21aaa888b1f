//! How often a device or its line was wrong, at each hypothesis.
//!
//! Tests follow it: a long one that has to be asked again and again costs more than several short ones. What was measured at a
//! hypothesis is kept, so that a run repeated over its answers asks the same words.

/// The rates, by the number of the hypothesis at which they were measured.
#[derive(Clone, Debug, Default)]
pub(super) struct FaultRates(Vec<(u64, u32)>);

impl FaultRates {
    /// One of this many symbols was lost or wrong at the hypothesis with this number. `None` if a later one is known.
    pub(super) fn add(&mut self, round: u64, symbols_per_fault: u32) -> Option<()> {
        let is_next = !self.is_decided(round);
        is_next.then(|| self.0.push((round, symbols_per_fault)))
    }

    /// Whether a rate was measured at this hypothesis or at a later one.
    pub(super) fn is_decided(&self, round: u64) -> bool {
        self.0.last().is_some_and(|&(last, _)| last >= round)
    }

    /// One of how many symbols was lost or wrong at this hypothesis.
    pub(super) fn at(&self, round: u64) -> Option<u32> {
        let after = self.0.partition_point(|&(measured, _)| measured <= round);
        self.0[..after].last().map(|&(_, symbols_per_fault)| symbols_per_fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_holds_until_the_next_one() {
        let mut rates = FaultRates::default();
        assert!(!rates.is_decided(1) && rates.at(1).is_none());
        assert!(rates.add(2, 100).is_some() && rates.add(5, 40).is_some());
        assert!(rates.add(5, 1).is_none() && rates.add(3, 1).is_none());
        assert_eq!(
            [1, 2, 4, 5, 6].map(|round| rates.at(round)),
            [None, Some(100), Some(100), Some(40), Some(40)]
        );
        assert_eq!([4, 5, 6].map(|round| rates.is_decided(round)), [true, true, false]);
    }
}
