//! Walks through the hypothesis that go on with the input that was tried least in a state after the
//! input before.
//!
//! How often is counted in [`COUNTERS`] places of four bits each; what has the same hash shares one.
//! With the hypothesis the states change, and counting begins anew.

use super::Maker;
use crate::Input;
use crate::components::Tuple;
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Want};
use crate::rng::Rng;

/// How many counters there are.
const COUNTERS: u32 = 1024;
const COUNTER_MAX: u32 = 15;

/// Inputs of a walk, on average.
const INPUTS: u32 = 20;

impl Maker<'_, '_> {
    pub(crate) fn coverage(&mut self, rng: &mut Rng) -> Result<(), Stop> {
        let counters = Want::list(Field::Tried, COUNTERS, COUNTER_MAX);
        self.m.reserve(Resource::Tests, &[counters])?;
        self.begin(rng)?;
        let mut len = 1;
        while !rng.one_in(INPUTS) {
            len += 1;
        }
        // Room for the whole test, so that nothing is counted of one that must be made again.
        let longest = self.longest_suffix();
        self.lanes.reserve(self.m, self.lanes.len(self.m, self.lane) + len + longest)?;
        let mut last = None;
        for _ in 0..len {
            let input = self.least_tried(last, rng);
            let counter = self.counter(last, input);
            let tried = self.m.get(Field::Tried, counter);
            self.m.set(Field::Tried, counter, (tried + 1).min(COUNTER_MAX));
            self.go(input)?;
            last = Some(input);
        }
        self.end(rng)
    }

    /// The input that was tried least, of those that lead to a state which some input leaves.
    fn least_tried(&mut self, last: Option<Input>, rng: &mut Rng) -> Input {
        let first = self.any_input(rng);
        let mut least = (COUNTER_MAX + 1, first);
        // All of them, from the first on and then around.
        let inputs = (first.index()..self.table.inputs).chain(0..first.index());
        for input in inputs.map(Input::new) {
            let tried = self.m.get(Field::Tried, self.counter(last, input));
            if tried < least.0 && !self.is_absorbed_by(input) {
                least = (tried, input);
            }
        }
        least.1
    }

    /// Whether an input leads to a state that none leaves.
    fn is_absorbed_by(&mut self, input: Input) -> bool {
        for component in 0..self.components.len() {
            let state = self.m.at(Field::Tuple, Tuple::WORD.row(), component);
            self.m.put(Field::Tuple, Tuple::NEXT.row(), component, state);
        }
        // A defect is no matter here.
        let _ = self.components.walk(self.m, Tuple::NEXT, input);
        self.is_absorbing(Tuple::NEXT)
    }

    /// The counter of an input after another in the state that the word leads to.
    fn counter(&self, last: Option<Input>, input: Input) -> u32 {
        let mut hash = last.map_or(0, |last| last.index().wrapping_add(1));
        let mut add = |value: u32| hash = (hash ^ value).wrapping_mul(0x9e37_79b1).rotate_left(15);
        add(input.index());
        for component in 0..self.components.len() {
            add(self.m.at(Field::Tuple, Tuple::WORD.row(), component));
        }
        (hash ^ hash >> 15) % COUNTERS
    }
}

/// Begins to count anew.
pub(crate) fn forget(m: &mut Memory<'_>) {
    let counters = m.read().rows(Field::Tried);
    m.fill(Field::Tried, counters, 0);
}
