//! Walks through the hypothesis that go on with the input that was tried least in a state after the
//! input before.
//!
//! How often is counted in [`COUNTERS`] places of four bits each; what has the same hash shares one.
//! With the hypothesis the states change, and counting begins anew.

use super::{Generator, Maker, prices};
use crate::Input;
use crate::components::Tuple;
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Want};
use crate::rng::Rng;

/// How many counters there are.
const COUNTERS: u32 = 1024;
const COUNTER_MAX: u32 = 15;

/// Counters that are looked up together: with many components a hash takes long.
const TOGETHER: usize = 8;

/// Inputs of a walk, on average.
const INPUTS: u32 = 20;
/// Where a reset costs as much as so many inputs, every other walk is followed by one more before the next reset.
const WALKS: u32 = 32;
/// A reset makes no more of a difference than so many inputs.
const RESET_MAX: u32 = 128;

/// Makes these walks; what was tried lies in the memory, in 512 bytes.
pub(crate) struct Coverage;

impl Generator for Coverage {
    fn next(&mut self, maker: &mut Maker<'_, '_>, rng: &mut Rng) -> Result<bool, Stop> {
        let counters = Want::list(Field::Tried, COUNTERS, COUNTER_MAX);
        maker.m.reserve(Resource::Tests, &[counters])?;
        maker.begin(rng)?;
        let mut len = 1_u32;
        while !rng.one_in(INPUTS) {
            len += 1;
        }
        let reset = prices::of_reset(maker.m).min(RESET_MAX);
        let mut walks = 1_u32;
        while reset > 0 && rng.below(WALKS + reset) < reset {
            walks += 1;
        }
        // Room for the whole test, so that nothing is counted of one that must be made again.
        let longest = walks.saturating_mul(maker.longest_end().saturating_add(len));
        let begun = maker.lanes.len(maker.m, maker.lane);
        maker.lanes.reserve(maker.m, longest.saturating_add(begun))?;
        for _ in 0..walks {
            let mut last = None;
            for _ in 0..len {
                let input = maker.least_tried(last, rng);
                let [counter] = maker.counters(last, [input]);
                let tried = maker.m.get(Field::Tried, counter);
                maker.m.set(Field::Tried, counter, (tried + 1).min(COUNTER_MAX));
                maker.go(input)?;
                last = Some(input);
            }
            maker.end(rng)?;
        }
        Ok(true)
    }
}

impl Maker<'_, '_> {
    /// The input that was tried least, of those that lead to a state which some input leaves.
    fn least_tried(&mut self, last: Option<Input>, rng: &mut Rng) -> Input {
        let first = self.any_input(rng);
        let mut least = (COUNTER_MAX + 1, first);
        // All of them, from the first on and then around.
        let around = (first.index()..self.table.inputs).chain(0..first.index());
        let mut around = around.map(Input::new);
        loop {
            let mut inputs = [first; TOGETHER];
            let mut len = 0;
            for (place, input) in inputs.iter_mut().zip(around.by_ref()) {
                *place = input;
                len += 1;
            }
            let counters = self.counters(last, inputs);
            for (input, counter) in inputs.into_iter().zip(counters).take(len) {
                let tried = self.m.get(Field::Tried, counter);
                if tried < least.0 && !self.is_absorbed_by(input) {
                    least = (tried, input);
                }
            }
            if len < TOGETHER || least.0 == 0 {
                return least.1;
            }
        }
    }

    /// Whether an input leads to a state that none leaves.
    fn is_absorbed_by(&mut self, input: Input) -> bool {
        self.walk.copy(self.components, self.m, Tuple::WORD, Tuple::NEXT);
        // A defect is no matter here.
        let _ = self.walk.step(self.components, self.m, Tuple::NEXT, input);
        self.is_absorbing(Tuple::NEXT)
    }

    /// The counters of inputs after another one in the state that the word leads to.
    fn counters<const N: usize>(&self, last: Option<Input>, inputs: [Input; N]) -> [u32; N] {
        let add = |hash: u32, value: u32| (hash ^ value).wrapping_mul(0x9e37_79b1).rotate_left(15);
        let before = last.map_or(0, |last| last.index().wrapping_add(1));
        let mut hashes = inputs.map(|input| add(before, input.index()));
        for component in 0..self.components.len() {
            let state = self.walk.state_in(self.m, Tuple::WORD, component);
            hashes = hashes.map(|hash| add(hash, state));
        }
        hashes.map(|hash| (hash ^ hash >> 15) % COUNTERS)
    }
}

/// Begins to count anew.
pub(crate) fn forget(m: &mut Memory<'_>) {
    let counters = m.read().rows(Field::Tried);
    m.fill(Field::Tried, counters, 0);
}
