//! Several kinds of tests side by side, the larger share for what finds more.
//!
//! No kind is the best for all devices: one finds a state behind a detour, another a state behind a
//! long way, another one behind a counter. No kind is ever starved: half of what tests cost is shared
//! equally; the other half follows how many counterexamples a kind found for what its tests cost
//! (compare Kruger, Junges, Rot, *Small test suites for active automata learning benchmarks*, TACAS
//! 2024, who mix experts by such rewards). So a kind whose tests are long has fewer of them. Shares
//! change only with the hypothesis, so that words do not depend on how many are in flight.
//!
//! Tests begin short. Walks, repetitions and random words of a new hypothesis have about [`FIRST_REACH`] inputs,
//! and get longer with the tests that were made. What a few inputs show is found for few inputs, and the
//! learner has less to search in a short counterexample.
//!
//! Where outputs are wrong at times, a long test nearly always contains one and is asked several times. With a chance `p`
//! for each symbol and a price `R` for what every word costs, words of about `√(R/p)` inputs are the cheapest for each
//! input. They may be twice as long, since tests that are as short find less (docs/measurements/noise.md).
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
use crate::rng::WordRng;
use crate::test_kind::{MIXTURE_KINDS, Tests};
use crate::words::{Lane, Words};

/// How many kinds there are.
const KINDS: u32 = 5;
const _: () = assert!(MIXTURE_KINDS.len() == KINDS as usize);

/// What a kind of tests is taken to have cost before it found its first counterexample, before
/// anything is known, in ordinary inputs.
const PRIOR_COST: u32 = 1 << 10;

/// How many tests of its nominal cost a kind is taken to have had before the first one.
const PRIOR_TESTS: u32 = 4;

/// The inputs of a test before anything is known: those of a long word, and of any other kind.
const NOMINAL: u32 = 16;

/// How many inputs walks, repetitions and random words may have in the first tests of a hypothesis, on average. It is one
/// more with every [`GROWTH`] tests. What a reset costs comes on top.
const FIRST_REACH: u32 = 4;
const GROWTH: u32 = 2;

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
    /// How many tests that were.
    tests: [u32; MIXTURE_KINDS.len()],
    /// Of the number of tests.
    shares: [u32; MIXTURE_KINDS.len()],
    systematic: Systematic,
    /// How many tests of this hypothesis were made; a kind that is asked for alone does not begin short.
    made: u32,
    /// One of this many outputs is wrong; [`u32::MAX`] if none is.
    symbols_per_error: u32,
}

impl Mixture {
    pub(super) const fn new() -> Self {
        let kinds = [KindCosts { symbols: 0, found: 0 }; MIXTURE_KINDS.len()];
        let costs = [0; MIXTURE_KINDS.len()];
        let tests = [0; MIXTURE_KINDS.len()];
        let shares = [1; MIXTURE_KINDS.len()];
        Self {
            kinds,
            costs,
            tests,
            shares,
            systematic: Systematic::NEW,
            made: 0,
            symbols_per_error: u32::MAX,
        }
    }

    /// What each kind has cost and found.
    pub(super) fn kinds(&self) -> [KindCosts; MIXTURE_KINDS.len()] {
        self.kinds
    }

    /// Says that one of this many outputs is wrong.
    pub(super) fn set_noise(&mut self, symbols_per_error: u32) {
        self.symbols_per_error = symbols_per_error;
    }

    /// There is a new hypothesis to be tested.
    pub(super) fn begin(&mut self, m: &mut Memory<'_>, tests: Tests) {
        self.systematic = Systematic::NEW;
        self.made = if tests == Tests::Mixture { 0 } else { u32::MAX };
        self.share(costs::of_reset(m));
        coverage::forget(m);
    }

    /// Writes the next test of a kind; `false` when there is none.
    pub(super) fn next(
        &mut self,
        kind: Tests,
        test: &mut TestWriter<'_, '_>,
        rng: &mut WordRng,
    ) -> Result<bool, Refused> {
        let first = FIRST_REACH.saturating_add(costs::of_reset(test.m));
        let cheapest = first.saturating_mul(self.symbols_per_error).isqrt();
        let reach = first.saturating_add(self.made / GROWTH).min(cheapest.saturating_mul(2)).max(1);
        let is_made = match kind {
            Tests::Systematic => self.systematic.next(test, rng),
            Tests::Splice => Splice.next(test, rng),
            Tests::Coverage => Coverage { reach }.next(test, rng),
            Tests::Repetition => Repetition { reach }.next(test, rng),
            Tests::LongWords => RandomWords { mean_len: reach.min(LONG) }.next(test, rng),
            _ => Ok(false),
        }?;
        self.made = self.made.saturating_add(u32::from(is_made));
        Ok(is_made)
    }

    /// The kind of the next test.
    pub(super) fn draw(&self, rng: &mut WordRng) -> Tests {
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
        let costs = self.costs.iter_mut().zip(&mut self.tests);
        let all = self.kinds.iter_mut().zip(costs).zip(MIXTURE_KINDS);
        for ((kind, (costs, tests)), _) in all.filter(|&(_, other)| other == kind) {
            *tests = tests.saturating_add(1);
            kind.symbols = kind.symbols.saturating_add(test.symbols.into());
            kind.found = kind.found.saturating_add(is_wrong.into());
            *costs = costs.saturating_add(test.cost);
        }
    }

    /// Shares follow what was found, and what a test of a kind costs.
    fn share(&mut self, reset: u32) {
        let mut rates = [0; MIXTURE_KINDS.len()];
        for (rate, (kind, &cost)) in rates.iter_mut().zip(self.kinds.iter().zip(&self.costs)) {
            let found = kind.found.saturating_add(1).min(1 << 10);
            *rate = (found << 20) / (narrow(cost) / PRIOR_COST).saturating_add(1);
        }
        // Sums of so many numbers below 2³¹ / KINDS have room.
        let fixed = rates.iter().fold(0, |sum, rate| sum + rate / KINDS) / KINDS + 1;
        let of_cost = rates.map(|rate| fixed + rate / KINDS);
        let scale = of_cost
            .iter()
            .fold(0, |all, share| all | share)
            .leading_zeros()
            .saturating_sub(KINDS.ilog2() + 1);
        let each = self.shares.iter_mut().zip(of_cost).zip(MIXTURE_KINDS);
        for (((share, of_cost), kind), (&cost, &tests)) in
            each.zip(self.costs.iter().zip(&self.tests))
        {
            let inputs = if kind == Tests::LongWords { LONG } else { NOMINAL };
            let prior = reset.saturating_add(inputs).saturating_mul(PRIOR_TESTS);
            let mean = narrow(cost).saturating_add(prior) / tests.saturating_add(PRIOR_TESTS);
            *share = ((of_cost << scale) / mean.max(1)).saturating_add(1);
        }
    }
}

fn narrow(cost: u64) -> u32 {
    u32::try_from(cost).unwrap_or(u32::MAX)
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
            let kind = mixture.draw(&mut WordRng::new(7, test));
            let at = MIXTURE_KINDS
                .iter()
                .position(|&mixed| mixed == kind)
                .expect("a kind of the mixture");
            counts[at] += 1;
        }
        counts
    }

    /// What each kind costs of 10 000 draws, per thousand, where a long word costs as much as 50 inputs, any
    /// other test as much as 10.
    fn parts(mixture: &Mixture) -> [u32; MIXTURE_KINDS.len()] {
        let [others @ .., long_words] = draws(mixture).map(|count| count * 10);
        let long_words = long_words * 5;
        let all = others.iter().sum::<u32>() + long_words;
        let [a, b, c, d] = others.map(|cost| cost * 1000 / all);
        [a, b, c, d, long_words * 1000 / all]
    }

    /// A mixture whose kinds have had tests that cost 10 000 inputs, and found nothing.
    fn tested() -> Mixture {
        let mut mixture = Mixture::new();
        for kind in MIXTURE_KINDS {
            let len = if kind == Tests::LongWords { 50 } else { 10 };
            for _ in 0..10_000 / len {
                mixture.add(kind, test_cost(len), false);
            }
        }
        mixture
    }

    #[test]
    fn shares_of_costs_are_equal_at_first_and_follow_what_is_found() {
        let mut mixture = tested();
        mixture.share(0);
        assert!(
            parts(&mixture).iter().all(|part| (180..220).contains(part)),
            "{:?}",
            parts(&mixture)
        );
        mixture.add(Tests::Splice, test_cost(0), true);
        mixture.add(Tests::RandomWp, test_cost(5), true);
        assert!(parts(&mixture).iter().all(|part| (180..220).contains(part)), "not yet");
        mixture.share(0);
        // A tenth of all each, and half by the rates 1 : 2 : 1 : 1 : 1.
        let [systematic, splice, others @ ..] = parts(&mixture);
        assert!((250..285).contains(&splice), "{splice}");
        assert!((165..200).contains(&systematic), "{systematic}");
        assert!(others.iter().all(|part| (165..200).contains(part)), "{others:?}");
    }

    #[test]
    fn long_words_are_fewer_before_anything_is_known() {
        let mut mixture = Mixture::new();
        mixture.share(0);
        let [others @ .., long_words] = draws(&mixture);
        assert!((600..860).contains(&long_words), "{long_words}");
        assert!(others.iter().all(|count| (2200..2450).contains(count)), "{others:?}");
        // Beside a dear reset all tests cost the same.
        mixture.share(10_000);
        assert!(draws(&mixture).iter().all(|count| (1850..2150).contains(count)));
    }

    #[test]
    fn shares_follow_costs_and_not_symbols() {
        let mut mixture = Mixture::new();
        for kind in MIXTURE_KINDS {
            let cost = if kind == Tests::Splice { 1 << 20 } else { 1 };
            mixture.add(kind, TestCost { symbols: 1, cost }, true);
        }
        mixture.share(0);
        let [systematic, splice, ..] = draws(&mixture);
        assert!(splice < 10, "{splice}");
        assert!(systematic > 2000, "{systematic}");
    }

    #[test]
    fn no_kind_is_ever_without_a_share() {
        let mut mixture = Mixture::new();
        for kind in MIXTURE_KINDS {
            mixture.add(kind, test_cost(u32::MAX), false);
        }
        mixture.add(Tests::Splice, test_cost(1), true);
        mixture.share(u32::MAX);
        assert!(draws(&mixture).iter().all(|&count| count > 850), "{:?}", draws(&mixture));
    }

    #[test]
    fn a_kind_that_finds_nothing_keeps_a_tenth_of_the_costs() {
        let mut mixture = tested();
        for _ in 0..5000 {
            mixture.add(Tests::Coverage, test_cost(10), true);
        }
        mixture.share(0);
        assert!(parts(&mixture).iter().all(|&part| part > 85), "{:?}", parts(&mixture));
    }
}
