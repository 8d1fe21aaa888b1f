//! Tests of a hypothesis, until enough have passed.

use super::mixture::Mixture;
use super::random_words::{RandomWords, SHORT};
use super::random_wp::RandomWp;
use super::suite::Suite;
use super::writer::{Generator, TestWriter};
use crate::action::EndReason;
use crate::error::Refused;
use crate::machines::components::ProductState;
use crate::machines::model::Model;
use crate::machines::product::Product;
use crate::memory::Memory;
use crate::options::Options;
use crate::outputs::{Name, Outputs};
use crate::progress::Progress;
use crate::rng::WordRng;
use crate::test_kind::{MIXTURE_KINDS, Tests};
use crate::words::{Lane, Words};

pub(crate) use super::suite::FIELDS_END;

/// Whether what is known of a test need not be found out again.
const FAST: bool = cfg!(feature = "fast");

/// Writes tests, compares answers with the hypothesis while they come, and counts what passed.
#[derive(Clone, Debug)]
pub(crate) struct Tester {
    /// The number of the next test; each number has random numbers of its own.
    next_test: u32,
    suite: Suite,
    mixture: Mixture,
    /// The tests that found the last counterexample.
    found_by: Option<Tests>,
    passing_tests: u64,
    /// The most tests in a row that passed before one found a counterexample.
    longest_streak: u32,
    /// No test in flight has shown an output that the hypothesis does not have.
    is_as_expected: bool,
}

impl Tester {
    pub(crate) fn new(tests: Tests) -> Self {
        Self {
            next_test: 0,
            suite: Suite::new(tests),
            mixture: Mixture::new(),
            found_by: None,
            passing_tests: 0,
            longest_streak: 0,
            is_as_expected: false,
        }
    }

    /// There is a new hypothesis to be tested.
    pub(crate) fn begin(&mut self, m: &mut Memory<'_>, options: &Options) {
        self.is_as_expected = FAST && options.shorten;
        self.passing_tests = 0;
        self.suite = Suite::new(options.tests);
        self.mixture.begin(m, options.tests);
    }

    /// Says that one of this many outputs is wrong.
    pub(crate) fn set_noise(&mut self, symbols_per_error: u32) {
        self.mixture.set_noise(symbols_per_error);
    }

    /// The number of the test that comes next.
    pub(crate) fn next_test(&self) -> u32 {
        self.next_test
    }

    /// Writes the next test into a lane; `false` when there is none. `in_flight` tests are being asked.
    pub(crate) fn next_word(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
        model: Model,
        (words, lane): (Words, Lane),
        in_flight: u32,
    ) -> Result<bool, Refused> {
        model.product.reserve_lanes(m, words.lanes())?;
        let passing = self.passing_tests.wrapping_add(in_flight.into());
        if options.tests.is_random() && passing >= options.passing_tests {
            return Ok(false);
        }
        let mut rng = WordRng::new(options.seed, self.next_test);
        let rng = &mut rng;
        let kind = self.kind(options, rng);
        let test = &mut TestWriter { m, model, words, lane };
        let is_made = match kind {
            Tests::RandomWp => RandomWp.next(test, rng),
            Tests::RandomWords => RandomWords { mean_len: SHORT }.next(test, rng),
            kind if MIXTURE_KINDS.contains(&kind) => self.mixture.next(kind, test, rng),
            _ => self.suite.next(test, rng),
        }?;
        self.next_test = self.next_test.wrapping_add(u32::from(is_made));
        Ok(is_made)
    }

    /// The kind of a test: the first thing that is drawn for it.
    fn kind(&self, options: &Options, rng: &mut WordRng) -> Tests {
        match options.tests {
            Tests::Mixture => self.mixture.draw(rng),
            tests => tests,
        }
    }

    /// Compares a test's next output with that of the hypothesis: whether it differs. The rest of the test
    /// would be left out, as counterexamples are shortened.
    pub(crate) fn compare(
        &mut self,
        m: &mut Memory<'_>,
        (product, outputs): (&Product, &Outputs),
        (words, lane): (Words, Lane),
        position: u32,
        name: Name,
    ) -> bool {
        let at = ProductState::of_lane(lane.0);
        if position == 0 {
            product.reset(m, at);
        }
        let input = words.input(m, lane, position);
        let expected = product.step(m, at, input).ok();
        let is_unexpected = expected != outputs.known(m, name);
        // Where neither has an output the test goes on, but the hypothesis is wrong.
        self.is_as_expected &= !is_unexpected && expected.is_some();
        is_unexpected
    }

    /// Whether all tests so far had the outputs that the hypothesis has.
    pub(crate) fn is_as_expected(&self) -> bool {
        self.is_as_expected
    }

    /// The test with this number was answered: counts it. `asked`: its symbols that the device was asked.
    pub(crate) fn count(
        &mut self,
        m: &Memory<'_>,
        options: &Options,
        (words, lane): (Words, Lane),
        test: u32,
        (asked, is_wrong): (u32, bool),
    ) {
        let kind = self.kind(options, &mut WordRng::new(options.seed, test));
        self.mixture.count(m, (words, lane), kind, (asked, is_wrong));
        if is_wrong {
            self.found_by = Some(kind);
            let streak = u32::try_from(self.passing_tests).unwrap_or(u32::MAX);
            self.longest_streak = self.longest_streak.max(streak);
            self.next_test = test.wrapping_add(1);
            self.passing_tests = 0;
        } else {
            self.passing_tests = self.passing_tests.wrapping_add(1);
        }
    }

    /// The caller gives a word to be tested.
    pub(crate) fn clear_found_by(&mut self) {
        self.found_by = None;
    }

    /// Why a session is over whose tests have found nothing.
    pub(crate) fn end_reason(options: &Options, product: &Product) -> EndReason {
        match options.tests {
            tests if tests.is_random() => EndReason::TestsPassed,
            Tests::External => EndReason::Untested,
            Tests::Components { .. } => EndReason::SuitePassed,
            _ if product.cover.is_complete() => EndReason::SuitePassed,
            _ => EndReason::SuiteCut,
        }
    }

    /// Says what tests have done.
    pub(crate) fn report(&self, progress: &mut Progress) {
        progress.passing_tests = self.passing_tests;
        progress.tests = self.mixture.kinds();
        progress.found_by = self.found_by;
        progress.longest_streak = self.longest_streak;
    }
}
