//! A bounded walk through the product, breadth-first.
//!
//! It serves two ends: where it meets a transition without exactly one output, the components
//! contradict each other (component-consistency, paper, Definition 8) and the way there is a
//! counterexample; and the states that it reached are where tests start from. The product can be
//! astronomically larger than the machine while components are still wrong, so the walk ends at a
//! bound. What it does not see shows up when a test walks into it.

use crate::Input;
use crate::components::{Components, Defect, Tuple};
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Read, Want};

/// Chains of states with one hash.
const BUCKETS: u32 = 256;

/// States of the product, in the order in which the walk reached them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Walk {
    len: u32,
    /// Whether the product has states beyond the bound.
    cut: bool,
}

/// Where the components contradict each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// The state of the walk.
    pub(crate) state: u32,
    /// The input after it.
    pub(crate) input: Input,
    /// What is wrong.
    pub(crate) defect: Defect,
}

impl Walk {
    /// How many states were reached.
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// Whether all states of the product were reached.
    pub(crate) fn is_complete(self) -> bool {
        !self.cut
    }

    /// Walks up to `bound` states; ends at the first defect.
    pub(crate) fn new(
        components: Components,
        m: &mut Memory<'_>,
        inputs: u32,
        bound: u32,
    ) -> Result<(Self, Option<Found>), Stop> {
        let mut walk = Self::default();
        // The initial state is always there.
        let bound = bound.max(1);
        m.reserve(Resource::Tests, &[Want::list(Field::WalkHead, BUCKETS, 1)])?;
        m.fill(Field::WalkHead, BUCKETS, 0);
        components.reset(m, Tuple::NEXT);
        walk.find_or_insert(components, m, (0, Input::new(0)), inputs, bound)?;
        let mut state = 0;
        while state < walk.len {
            for input in (0..inputs).map(Input::new) {
                walk.restore(components, m, state, Tuple::NEXT);
                if let Err(defect) = components.walk(m, Tuple::NEXT, input) {
                    return Ok((walk, Some(Found { state, input, defect })));
                }
                walk.find_or_insert(components, m, (state, input), inputs, bound)?;
            }
            state += 1;
        }
        Ok((walk, None))
    }

    /// Puts a tuple at a state of the walk.
    pub(crate) fn restore(
        self,
        components: Components,
        m: &mut Memory<'_>,
        state: u32,
        tuple: Tuple,
    ) {
        for component in 0..components.len() {
            let value = m.at(Field::WalkTuple, state, component);
            m.put(Field::Tuple, tuple.row(), component, value);
        }
    }

    /// How a state was reached: from which state, along which input. `None` for the initial state.
    pub(crate) fn predecessor(self, m: Read<'_>, state: u32) -> Option<(u32, Input)> {
        let input = Input::new(m.get(Field::WalkInput, state));
        (state > 0).then(|| (m.get(Field::WalkParent, state), input))
    }

    /// Adds the state of [`Tuple::NEXT`] if it is new and there is room below the bound.
    fn find_or_insert(
        &mut self,
        components: Components,
        m: &mut Memory<'_>,
        from: (u32, Input),
        inputs: u32,
        bound: u32,
    ) -> Result<(), Stop> {
        let next = |m: &Memory<'_>, component| m.at(Field::Tuple, Tuple::NEXT.row(), component);
        let mut hash = 0_u32;
        let mut largest = 0;
        for component in 0..components.len() {
            let value = next(m, component);
            hash = (hash ^ value).wrapping_mul(0x9e37_79b1).rotate_left(15);
            largest = value.max(largest);
        }
        let bucket = hash % BUCKETS;
        let mut chain = m.get(Field::WalkHead, bucket);
        while let Some(state) = chain.checked_sub(1) {
            let equal = |c| m.at(Field::WalkTuple, state, c) == next(m, c);
            if (0..components.len()).all(equal) {
                return Ok(());
            }
            chain = m.get(Field::WalkNext, state);
        }
        if self.len == bound {
            self.cut = true;
            return Ok(());
        }
        let len = self.len + 1;
        let rows = len.next_power_of_two().min(bound);
        m.reserve(
            Resource::Tests,
            &[
                Want::matrix(Field::WalkTuple, rows, components.len(), largest),
                Want::list(Field::WalkParent, rows, len),
                Want::list(Field::WalkInput, rows, inputs),
                Want::list(Field::WalkNext, rows, len),
                Want::list(Field::WalkHead, BUCKETS, len),
            ],
        )?;
        for component in 0..components.len() {
            let value = next(m, component);
            m.put(Field::WalkTuple, self.len, component, value);
        }
        m.set(Field::WalkParent, self.len, from.0);
        m.set(Field::WalkInput, self.len, from.1.index());
        m.set(Field::WalkNext, self.len, m.get(Field::WalkHead, bucket));
        m.set(Field::WalkHead, bucket, len);
        self.len = len;
        Ok(())
    }
}
