//! Several kinds of tests side by side, the larger share for what finds more.
//!
//! No kind is the best for all devices: one finds a state behind a detour, another a state behind a
//! long way, another one behind a counter. No kind is ever starved: half of all tests is shared equally; the other half follows how many counterexamples a
//! kind found for what its tests cost (compare Kruger, Junges, Rot, *Small test suites for active
//! automata learning benchmarks*, TACAS 2024, who mix experts by such rewards). Shares change only with
//! the hypothesis, so that words do not depend on how many are in flight.
//!
//! docs/measurements/mixture.md says which kinds were tried, docs/measurements/testing.txt how the
//! mixture compares with random Wp.

use super::coverage::{self, Coverage};
use super::random_words::{LONG, RandomWords};
use super::repetition::Repetition;
use super::splice::Splice;
use super::systematic::Systematic;
use super::writer::{Generator, TestWriter};
use crate::costs;
use crate::error::Refused;
use crate::memory::Memory;
use crate::progress::KindCosts;
use crate::rng::Rng;
use crate::test_kind::{MIXTURE_KINDS, Tests};
use crate::words::{Lane, Words};

/// How many kinds there are.
const KINDS: u32 = 5;
const _: () = assert!(MIXTURE_KINDS.len() == KINDS as usize);

/// What a kind of tests is taken to have cost before it found its first counterexample, before
/// anything is known, in ordinary inputs.
const PRIOR_COST: u32 = 1 << 10;

/// What a test costs.
#[derive(Clone, Copy, Debug)]
struct TestCost {
    /// Symbols that were asked.
    symbols: u32,
    cost: u64,
}

/// The kinds with their shares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mixture {
    kinds: [KindCosts; MIXTURE_KINDS.len()],
    /// What their tests cost, those with known answers included (see `costs`).
    costs: [u64; MIXTURE_KINDS.len()],
    shares: [u32; MIXTURE_KINDS.len()],
    systematic: Systematic,
}

impl Mixture {
    pub(super) const fn new() -> Self {
        let kinds = [KindCosts { symbols: 0, found: 0 }; MIXTURE_KINDS.len()];
        let costs = [0; MIXTURE_KINDS.len()];
        Self { kinds, costs, shares: [1; MIXTURE_KINDS.len()], systematic: Systematic::NEW }
    }

    /// What each kind has cost and found.
    pub(super) fn kinds(&self) -> [KindCosts; MIXTURE_KINDS.len()] {
        self.kinds
    }

    /// There is a new hypothesis to be tested.
    pub(super) fn begin(&mut self, m: &mut Memory<'_>) {
        self.systematic = Systematic::NEW;
        self.share();
        coverage::forget(m);
    }

    /// Writes the next test of a kind; `false` when there is none.
    pub(super) fn next(
        &mut self,
        kind: Tests,
        test: &mut TestWriter<'_, '_>,
        rng: &mut Rng,
    ) -> Result<bool, Refused> {
        match kind {
            Tests::Systematic => self.systematic.next(test, rng),
            Tests::Splice => Splice.next(test, rng),
            Tests::Coverage => Coverage.next(test, rng),
            Tests::Repetition => Repetition.next(test, rng),
            Tests::LongWords => RandomWords { mean_len: LONG }.next(test, rng),
            _ => Ok(false),
        }
    }

    /// The kind of the next test.
    pub(super) fn draw(&self, rng: &mut Rng) -> Tests {
        let mut at = rng.below(self.shares.iter().fold(0, |sum, share| share.saturating_add(sum)));
        let mut kinds = MIXTURE_KINDS.iter().zip(self.shares);
        let kind = kinds.find(|&(_, share)| {
            let is_it = at < share;
            at = at.wrapping_sub(share);
            is_it
        });
        kind.map_or(Tests::Splice, |(&kind, _)| kind)
    }

    /// A test of this kind was taken in, which is the word of a lane. Its cost counts whether it was
    /// asked or its answer was known: it passed either way, and shares do not favour what is known.
    pub(super) fn count(
        &mut self,
        m: &Memory<'_>,
        (words, lane): (Words, Lane),
        kind: Tests,
        (asked, is_wrong): (u32, bool),
    ) {
        let cost = costs::of_word(m, words, lane);
        self.add(kind, TestCost { symbols: asked, cost }, is_wrong);
    }

    fn add(&mut self, kind: Tests, test: TestCost, is_wrong: bool) {
        let all = self.kinds.iter_mut().zip(&mut self.costs).zip(MIXTURE_KINDS);
        for ((kind, costs), _) in all.filter(|&(_, other)| other == kind) {
            kind.symbols = kind.symbols.saturating_add(test.symbols.into());
            kind.found = kind.found.saturating_add(is_wrong.into());
            *costs = costs.saturating_add(test.cost);
        }
    }

    /// Shares follow what was found.
    fn share(&mut self) {
        let mut rates = [0; MIXTURE_KINDS.len()];
        for (rate, (kind, &cost)) in rates.iter_mut().zip(self.kinds.iter().zip(&self.costs)) {
            let cost = u32::try_from(cost).unwrap_or(u32::MAX);
            let found = kind.found.saturating_add(1).min(1 << 10);
            *rate = (found << 20) / (cost / PRIOR_COST).saturating_add(1);
        }
        // Sums of so many numbers below 2³¹ / KINDS have room.
        let fixed = rates.iter().fold(0, |sum, rate| sum + rate / KINDS) / KINDS + 1;
        self.shares = rates.map(|rate| fixed + rate / KINDS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_cost(symbols: u32) -> TestCost {
        TestCost { symbols, cost: symbols.into() }
    }

    /// How many of 10 000 draws each kind gets.
    fn draws(mixture: &Mixture) -> [u32; MIXTURE_KINDS.len()] {
        let mut counts = [0; MIXTURE_KINDS.len()];
        for test in 0..10_000 {
            let kind = mixture.draw(&mut Rng::new(7, test));
            let at = MIXTURE_KINDS
                .iter()
                .position(|&mixed| mixed == kind)
                .expect("a kind of the mixture");
            counts[at] += 1;
        }
        counts
    }

    #[test]
    fn shares_are_equal_at_first_and_follow_what_is_found() {
        let mut mixture = Mixture::new();
        assert!(draws(&mixture).iter().all(|count| (1850..2150).contains(count)));
        mixture.share();
        assert!(draws(&mixture).iter().all(|count| (1850..2150).contains(count)));
        for kind in MIXTURE_KINDS {
            mixture.add(kind, test_cost(10 << 10), false);
        }
        mixture.add(Tests::Splice, test_cost(0), true);
        mixture.add(Tests::RandomWp, test_cost(5), true);
        assert!(draws(&mixture).iter().all(|count| (1850..2150).contains(count)), "not yet");
        mixture.share();
        // A tenth of all each, and half by the rates 1 : 2 : 1 : 1 : 1.
        let [systematic, splice, others @ ..] = draws(&mixture);
        assert!((2500..2850).contains(&splice), "{splice}");
        assert!((1700..1970).contains(&systematic), "{systematic}");
        assert!(others.iter().all(|count| (1700..1970).contains(count)), "{others:?}");
    }

    #[test]
    fn shares_follow_costs_and_not_symbols() {
        let mut mixture = Mixture::new();
        for kind in MIXTURE_KINDS {
            let cost = if kind == Tests::Splice { 1 << 20 } else { 1 };
            mixture.add(kind, TestCost { symbols: 1, cost }, true);
        }
        mixture.share();
        let [systematic, splice, others @ ..] = draws(&mixture);
        assert!(splice < 1100, "{splice}");
        assert!(
            others.iter().all(|&count| count.min(systematic) > 2000),
            "{systematic}, {others:?}"
        );
    }

    #[test]
    fn a_kind_that_finds_nothing_keeps_a_tenth() {
        let mut mixture = Mixture::new();
        mixture.add(Tests::Splice, test_cost(u32::MAX), false);
        mixture.add(Tests::Systematic, test_cost(u32::MAX), false);
        mixture.add(Tests::Coverage, test_cost(1), true);
        for _ in 0..5000 {
            mixture.add(Tests::Coverage, test_cost(1), true);
        }
        mixture.share();
        assert!(draws(&mixture).iter().all(|&count| count > 850), "{:?}", draws(&mixture));
    }
}
