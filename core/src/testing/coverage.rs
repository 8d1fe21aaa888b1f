//! Walks through the hypothesis that go on with the input that was tried least in a state after the
//! input before.
//!
//! Trials are counted in [`COUNTERS`] counters of four bits each; pairs with the same hash share one.
//! A new hypothesis has other states, and counting starts again.

use super::adaptive::{identify_state, longest_end};
use super::writer::{Generator, TestWriter};
use crate::alphabet::Input;
use crate::costs;
use crate::error::{Refused, Resource};
use crate::hash;
use crate::machines::components::ProductState;
use crate::memory::{Field, Format, Memory, fields, index};
use crate::rng::WordRng;

index! {
    /// A counter of trials.
    Counter
}

fields! {
    after costs::FIELDS_END;
    /// How often an input was tried in a state, by hash.
    TRIED: Field<Counter> = Format::Packed;
}

/// How many counters there are.
const COUNTERS: u32 = 1024;
const COUNTER_MAX: u32 = 15;

/// Counters that are looked up together: with many components a hash takes long.
const TOGETHER: usize = 8;

/// Inputs of a walk, on average, where tests may be as long.
const INPUTS: u32 = 20;
/// Where a reset costs as much as this many inputs, every other walk is followed by one more before
/// the next reset.
const WALKS: u32 = 32;
/// A reset that costs more inputs than this counts as costing this many.
const RESET_MAX: u32 = 128;

/// Makes these walks; the counters lie in the region and take 512 bytes.
pub(super) struct Coverage {
    /// Inputs of a walk, on average, at most.
    pub(super) reach: u32,
}

impl Generator for Coverage {
    fn next(&mut self, test: &mut TestWriter<'_, '_>, rng: &mut WordRng) -> Result<bool, Refused> {
        test.m.reserve(Resource::Tests, &[TRIED.list(COUNTERS, COUNTER_MAX)])?;
        test.start_anywhere(rng)?;
        let mut len = 1_u32;
        while !rng.one_in(self.reach.min(INPUTS)) {
            len = len.saturating_add(1);
        }
        let reset = costs::of_reset(test.m).min(RESET_MAX);
        let mut walks = 1_u32;
        while reset > 0 && rng.below(reset.saturating_add(WALKS)) < reset {
            walks = walks.saturating_add(1);
        }
        // Room for the whole test, so that no input is counted of a test that must be made again.
        let longest = walks.saturating_mul(longest_end(test).saturating_add(len));
        test.words.reserve(test.m, longest.saturating_add(test.len()))?;
        for _ in 0..walks {
            let mut last = None;
            for _ in 0..len {
                let input = least_tried(test, last, rng);
                let [counter] = counters(test, last, [input]);
                let tried = test.m.get(TRIED, counter);
                test.m.set(TRIED, counter, tried.saturating_add(1).min(COUNTER_MAX));
                test.step(input)?;
                last = Some(input);
            }
            identify_state(test, rng)?;
        }
        Ok(true)
    }
}

/// The input that was tried least, of those that lead to a state which some input leaves.
fn least_tried(test: &mut TestWriter<'_, '_>, last: Option<Input>, rng: &mut WordRng) -> Input {
    let first = test.random_input(rng);
    let mut least = (COUNTER_MAX + 1, first);
    // All of them, from the first on and then around.
    let around = (first.index()..test.inputs()).chain(0..first.index());
    let mut around = around.map(Input::new);
    loop {
        let mut inputs = [first; TOGETHER];
        let mut len = 0_usize;
        for (place, input) in inputs.iter_mut().zip(around.by_ref()) {
            *place = input;
            len = len.saturating_add(1);
        }
        let counters = counters(test, last, inputs);
        for (input, counter) in inputs.into_iter().zip(counters).take(len) {
            let tried = test.m.get(TRIED, counter);
            if tried < least.0 && !is_absorbed_by(test, input) {
                least = (tried, input);
            }
        }
        if len < TOGETHER || least.0 == 0 {
            return least.1;
        }
    }
}

/// Whether an input leads to a state that none leaves.
fn is_absorbed_by(test: &mut TestWriter<'_, '_>, input: Input) -> bool {
    let product = test.model.product;
    product.copy(test.m, ProductState::WORD, ProductState::NEXT);
    // A defect does not matter here.
    let _ = product.step(test.m, ProductState::NEXT, input);
    product.is_absorbing(test.m, ProductState::NEXT)
}

/// The counters of inputs after another one in the state that the word leads to.
fn counters<const N: usize>(
    test: &TestWriter<'_, '_>,
    last: Option<Input>,
    inputs: [Input; N],
) -> [Counter; N] {
    let before = last.map_or(0, |last| last.index().wrapping_add(1));
    let mut hashes = inputs.map(|input| hash::mix(before, input.index()));
    for component in test.model.components().iter() {
        let state = test.state(component);
        hashes = hashes.map(|hash| hash::mix(hash, state));
    }
    hashes.map(|hash| Counter(hash::finish(hash) % COUNTERS))
}

/// Starts counting again.
pub(super) fn forget(m: &mut Memory<'_>) {
    let counters = m.read().rows(TRIED);
    m.fill(TRIED, counters, 0);
}
