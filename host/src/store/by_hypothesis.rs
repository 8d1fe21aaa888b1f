//! What was measured of the device and its line when a hypothesis was made.
//!
//! The words that follow depend on it: a long test that has to be asked again and again costs more than several short ones,
//! and a cheap input may tell as much as a dear one. What was measured at a hypothesis is kept, so that a run repeated over
//! its answers asks the same words.

/// Measured values, by the number of the hypothesis at which they were measured.
#[derive(Clone, Debug)]
pub(super) struct ByHypothesis<T>(Vec<(u64, T)>);

impl<T> Default for ByHypothesis<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByHypothesis<T> {
    /// This was measured at the hypothesis with this number. `None` if a later one is known.
    pub(super) fn add(&mut self, round: u64, measured: T) -> Option<()> {
        let is_next = !self.is_decided(round);
        is_next.then(|| self.0.push((round, measured)))
    }

    /// Whether something was measured at this hypothesis or at a later one.
    pub(super) fn is_decided(&self, round: u64) -> bool {
        self.0.last().is_some_and(|&(last, _)| last >= round)
    }

    /// What holds at this hypothesis: what was measured at it, or at the last one before it.
    pub(super) fn at(&self, round: u64) -> Option<&T> {
        let after = self.0.partition_point(|&(measured, _)| measured <= round);
        self.0[..after].last().map(|(_, measured)| measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_holds_until_the_next_time() {
        let mut rates = ByHypothesis::default();
        assert!(!rates.is_decided(1) && rates.at(1).is_none());
        assert!(rates.add(2, 100).is_some() && rates.add(5, 40).is_some());
        assert!(rates.add(5, 1).is_none() && rates.add(3, 1).is_none());
        assert_eq!(
            [1, 2, 4, 5, 6].map(|round| rates.at(round).copied()),
            [None, Some(100), Some(100), Some(40), Some(40)]
        );
        assert_eq!([4, 5, 6].map(|round| rates.is_decided(round)), [true, true, false]);
    }
}
