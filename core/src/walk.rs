//! A bounded walk through the product, breadth-first.
//!
//! It serves two ends: where it meets a transition without exactly one output, the components
//! contradict each other (component-consistency, paper, Definition 8) and the way there is a
//! counterexample; and the states that it reached are where tests start from. The product can be
//! astronomically larger than the machine while components are still wrong, so the walk ends at a
//! bound. What it does not see shows up when a test walks into it.

use crate::components::{Components, Defect, Tuple};
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Read, Want};
use crate::options::Options;
use crate::testing::Tests;
use crate::transitions::{Step, Transitions};
use crate::{Input, Output};

/// Chains of states with one hash.
const BUCKETS: u32 = 256;

/// States of the product, in the order in which the walk reached them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Walk {
    transitions: Transitions,
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
    /// There are other components now: the transitions are none of theirs.
    pub(crate) fn forget(&mut self, components: Components) {
        self.transitions = Transitions::new(components, 0, 0);
    }

    /// How many states were reached.
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// Whether all states of the product were reached.
    pub(crate) fn is_complete(self) -> bool {
        !self.cut
    }

    /// Walks up to the bound; ends at the first defect.
    pub(crate) fn new(
        components: Components,
        m: &mut Memory<'_>,
        inputs: u32,
        options: &Options,
    ) -> Result<(Self, Option<Found>), Stop> {
        // Without tests transitions are not worth their room.
        let room_words = if options.tests == Tests::External {
            0
        } else {
            2 * (m.words(Field::Next) + m.words(Field::Out))
        };
        let transitions = Transitions::new(components, inputs, room_words);
        let mut walk = Self { transitions, ..Self::default() };
        // The initial state is always there.
        let bound = options.walk_states.max(1);
        m.reserve(Resource::Tests, &[Want::list(Field::WalkHead, BUCKETS, 1)])?;
        m.fill(Field::WalkHead, BUCKETS, 0);
        components.reset(m, Tuple::NEXT);
        walk.find_or_insert(components, m, (0, Input::new(0)), inputs, bound)?;
        let mut state = 0;
        while state < walk.len {
            for input in (0..inputs).map(Input::new) {
                walk.load(components, m, state, Tuple::NEXT);
                let output = components.walk(m, Tuple::NEXT, input);
                if let Err(defect) = output
                    && state < bound
                {
                    walk.forget(components);
                    return Ok((walk, Some(Found { state, input, defect })));
                }
                walk.find_or_insert(components, m, (state, input), inputs, bound)?;
                transitions.say(m, (state, input), output.ok());
            }
            state += 1;
        }
        walk.len = walk.len.min(bound);
        Ok((walk, None))
    }

    /// How a state was reached: from which state, along which input. `None` for the initial state.
    pub(crate) fn predecessor(self, m: Read<'_>, state: u32) -> Option<(u32, Input)> {
        let input = Input::new(m.get(Field::WalkInput, state));
        (state > 0).then(|| (m.get(Field::WalkParent, state), input))
    }

    /// Adds the state of [`Tuple::NEXT`] if it is new and there is room below the bound, or for transitions,
    /// which hear where it is.
    fn find_or_insert(
        &mut self,
        components: Components,
        m: &mut Memory<'_>,
        from: (u32, Input),
        inputs: u32,
        bound: u32,
    ) -> Result<(), Stop> {
        let components = components.len();
        let next = |m: &Memory<'_>, component| m.at(Field::Tuple, Tuple::NEXT.row(), component);
        let mut hash = 0_u32;
        let mut largest = 0;
        for component in 0..components {
            let value = next(m, component);
            hash = (hash ^ value).wrapping_mul(0x9e37_79b1).rotate_left(15);
            largest = value.max(largest);
        }
        let bucket = hash % BUCKETS;
        let mut chain = m.get(Field::WalkHead, bucket);
        while let Some(state) = chain.checked_sub(1) {
            let equal = |c| m.at(Field::WalkTuple, state, c) == next(m, c);
            if (0..components).all(equal) {
                self.transitions.lead(m, from, Some(state));
                return Ok(());
            }
            chain = m.get(Field::WalkNext, state);
        }
        let (state, limit) = (self.len, self.transitions.states().max(bound));
        if state >= bound {
            self.cut = true;
            if state >= limit {
                self.transitions.lead(m, from, None);
                return Ok(());
            }
        }
        let len = state + 1;
        let rows = len.next_power_of_two().min(limit);
        m.reserve(
            Resource::Tests,
            &[
                Want::matrix(Field::WalkTuple, rows, components, largest),
                Want::list(Field::WalkParent, rows, len),
                Want::list(Field::WalkInput, rows, inputs),
                Want::list(Field::WalkNext, rows, len),
                Want::list(Field::WalkHead, BUCKETS, len),
            ],
        )?;
        self.transitions.reserve(m, state)?;
        for component in 0..components {
            let value = next(m, component);
            m.put(Field::WalkTuple, state, component, value);
        }
        m.set(Field::WalkParent, state, from.0);
        m.set(Field::WalkInput, state, from.1.index());
        m.set(Field::WalkNext, state, m.get(Field::WalkHead, bucket));
        m.set(Field::WalkHead, bucket, len);
        self.len = len;
        self.transitions.lead(m, from, Some(state));
        Ok(())
    }
}

/// The product, walked by words.
impl Walk {
    /// Puts a tuple at the initial state.
    pub(crate) fn reset(self, components: Components, m: &mut Memory<'_>, tuple: Tuple) {
        if !self.transitions.put(m, tuple, 0) {
            components.reset(m, tuple);
        }
    }

    /// Puts a tuple at a state of the walk.
    pub(crate) fn restore(
        self,
        components: Components,
        m: &mut Memory<'_>,
        state: u32,
        tuple: Tuple,
    ) {
        if !self.transitions.put(m, tuple, state) {
            self.load(components, m, state, tuple);
        }
    }

    /// Copies the states of the components.
    fn load(self, components: Components, m: &mut Memory<'_>, state: u32, tuple: Tuple) {
        for component in 0..components.len() {
            let value = m.at(Field::WalkTuple, state, component);
            m.put(Field::Tuple, tuple.row(), component, value);
        }
    }

    /// Moves a tuple along an input: the output of the product.
    ///
    /// # Errors
    /// The components contradict each other; the tuple moves all the same.
    pub(crate) fn step(
        self,
        components: Components,
        m: &mut Memory<'_>,
        tuple: Tuple,
        input: Input,
    ) -> Result<Output, Defect> {
        match self.transitions.step(m, tuple, input) {
            Step::Within(output) => return output.ok_or(Defect::None),
            Step::Out(state) => self.load(components, m, state, tuple),
            Step::Outside => {}
        }
        components.walk(m, tuple, input)
    }

    /// A component's state in a tuple.
    pub(crate) fn state_in(self, m: &Memory<'_>, tuple: Tuple, component: u32) -> u32 {
        match self.transitions.state(m, tuple) {
            Some(state) => m.at(Field::WalkTuple, state, component),
            None => m.at(Field::Tuple, tuple.row(), component),
        }
    }

    /// Whether no input leaves where a tuple is, if that is known.
    #[cfg(feature = "mixture")]
    pub(crate) fn is_absorbing(self, m: &Memory<'_>, tuple: Tuple) -> Option<bool> {
        let state = self.transitions.state(m, tuple)?;
        Some(self.transitions.is_absorbing(m, state))
    }

    /// Puts a tuple where another one is.
    #[cfg(feature = "mixture")]
    pub(crate) fn copy(self, components: Components, m: &mut Memory<'_>, from: Tuple, to: Tuple) {
        if let Some(state) = self.transitions.state(m, from) {
            return self.restore(components, m, state, to);
        }
        for column in 0..components.len() + crate::transitions::COLUMNS {
            let value = m.at(Field::Tuple, from.row(), column);
            m.put(Field::Tuple, to.row(), column, value);
        }
    }
}
