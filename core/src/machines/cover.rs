//! The state cover: states of the product with a shortest access word each, found breadth-first.
//!
//! It serves two ends: where it meets a transition without exactly one output, the components
//! contradict each other (component-consistency, paper, Definition 8) and the access word with that
//! input is a counterexample; and its states are where tests start. The product can be astronomically
//! larger than the machine while components are still wrong, so the search ends at a bound. What it
//! does not see shows up when a test walks into it.

use super::components::{Components, Defect, ProductState};
use super::transitions::{self, Transitions};
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::hash;
use crate::memory::{Field, Format, Memory, MemoryRef, fields, index};
use crate::outputs::ComponentId;

index! {
    /// A state of the product, numbered in the order in which it was reached.
    CoverState
}

index! {
    /// States with one hash.
    Bucket
}

fields! {
    after transitions::FIELDS_END;
    /// The state of each component.
    STATE: Field<CoverState, ComponentId> = Format::Packed;
    /// The state that it was reached from.
    PARENT: Field<CoverState> = Format::Packed;
    /// The input that reached it.
    INPUT: Field<CoverState> = Format::Packed;
    /// The next state with the same hash, plus one.
    NEXT: Field<CoverState> = Format::Packed;
    /// The first state of each hash, plus one.
    HEAD: Field<Bucket> = Format::Packed;
}

/// Where `n` states are full, room for `n / GROWTH + GROWTH` more is made.
const GROWTH: u32 = 8;

/// Chains of states with one hash.
const BUCKETS: u32 = 256;

/// States of the product, in the order in which they were reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateCover {
    transitions: Transitions,
    len: u32,
    /// Whether the product has states beyond the bound.
    is_cut: bool,
}

/// A transition without exactly one output: the components contradict each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundDefect {
    /// The state before it.
    pub(crate) state: u32,
    /// Its input.
    pub(crate) input: Input,
    /// What is wrong.
    pub(crate) defect: Defect,
}

impl StateCover {
    /// No states.
    pub(crate) const NONE: Self = Self { transitions: Transitions::NONE, len: 0, is_cut: false };

    /// Searches the product for at most `bound` states; ends at the first defect. `has_tests` says
    /// whether tests will walk through the product, for which transitions are worth their room.
    pub(crate) fn new(
        components: Components,
        m: &mut Memory<'_>,
        bound: u32,
        has_tests: bool,
    ) -> Result<(Self, Option<FoundDefect>), Refused> {
        let room_words = if has_tests { Components::words(m).saturating_mul(2) } else { 0 };
        let transitions = Transitions::new(components, room_words);
        let mut cover = Self { transitions, ..Self::NONE };
        // The initial state is always there.
        let bound = bound.max(1);
        let inputs = components.inputs();
        m.reserve(Resource::Tests, &[HEAD.list(BUCKETS, 1)])?;
        m.fill(HEAD, BUCKETS, 0);
        components.reset(m, ProductState::NEXT);
        cover.find_or_add(components, m, (0, Input::new(0)), bound)?;
        let mut state = 0;
        while state < cover.len {
            for input in (0..inputs).map(Input::new) {
                cover.load(components, m, state, ProductState::NEXT);
                let output = components.product_step(m, ProductState::NEXT, input);
                if let Err(defect) = output
                    && state < bound
                {
                    cover.transitions = Transitions::NONE;
                    return Ok((cover, Some(FoundDefect { state, input, defect })));
                }
                cover.find_or_add(components, m, (state, input), bound)?;
                transitions.set_output(m, (state, input), output.ok());
            }
            state = state.wrapping_add(1);
        }
        cover.len = cover.len.min(bound);
        Ok((cover, None))
    }

    /// Forgets the states, and gives their room up.
    pub(crate) fn release(&mut self, m: &mut Memory<'_>) {
        *self = Self::NONE;
        m.release(STATE);
        m.release(PARENT);
        m.release(INPUT);
        m.release(NEXT);
        m.release(HEAD);
        transitions::release(m);
    }

    /// How many states were reached.
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// Whether all states of the product were reached.
    pub(crate) fn is_complete(self) -> bool {
        !self.is_cut
    }

    /// The transitions between its states.
    pub(super) fn transitions(self) -> Transitions {
        self.transitions
    }

    /// How a state was reached: from which state, along which input. `None` for the initial state.
    pub(crate) fn predecessor(self, m: MemoryRef<'_>, state: u32) -> Option<(u32, Input)> {
        let input = Input::new(m.get(INPUT, CoverState(state)));
        (state > 0).then(|| (m.get(PARENT, CoverState(state)), input))
    }

    /// The length of a state's access word.
    pub(crate) fn access_len(self, m: MemoryRef<'_>, state: u32) -> u32 {
        let (mut state, mut len) = (state, 0);
        while let Some((before, _)) = self.predecessor(m, state) {
            (state, len) = (before, u32::saturating_add(len, 1));
        }
        len
    }

    /// A component's state in a state of the cover.
    pub(super) fn state(m: &Memory<'_>, state: u32, component: ComponentId) -> u32 {
        m.at(STATE, CoverState(state), component)
    }

    /// Moves a state of the product to one of the cover, component by component.
    pub(super) fn load(
        self,
        components: Components,
        m: &mut Memory<'_>,
        state: u32,
        product: ProductState,
    ) {
        for component in components.iter() {
            let value = Self::state(m, state, component);
            Components::set_state(m, product, component, value);
        }
    }

    /// Adds [`ProductState::NEXT`], which was reached by this step, if it is new and there is room
    /// below the bound, or for transitions.
    fn find_or_add(
        &mut self,
        components: Components,
        m: &mut Memory<'_>,
        step: (u32, Input),
        bound: u32,
    ) -> Result<(), Refused> {
        let next = |m: &Memory<'_>, component| Components::state(m, ProductState::NEXT, component);
        let mut hash = 0;
        let mut largest = 0;
        for component in components.iter() {
            let value = next(m, component);
            hash = hash::mix(hash, value);
            largest = value.max(largest);
        }
        let bucket = Bucket(hash % BUCKETS);
        let mut chain = m.get(HEAD, bucket);
        while let Some(state) = chain.checked_sub(1) {
            if components.iter().all(|c| Self::state(m, state, c) == next(m, c)) {
                self.transitions.set_target(m, step, Some(state));
                return Ok(());
            }
            chain = m.get(NEXT, CoverState(state));
        }
        let (state, limit) = (self.len, self.transitions.states().max(bound));
        if state >= bound {
            self.is_cut = true;
            if state >= limit {
                self.transitions.set_target(m, step, None);
                return Ok(());
            }
        }
        let len = state.wrapping_add(1);
        let more = (state / GROWTH).saturating_add(GROWTH);
        let rows =
            if state < m.read().rows(PARENT) { len } else { state.saturating_add(more).min(limit) };
        m.reserve(
            Resource::Tests,
            &[
                STATE.matrix(rows, components.len(), largest),
                PARENT.list(rows, len),
                INPUT.list(rows, components.inputs()),
                NEXT.list(rows, len),
                HEAD.list(BUCKETS, len),
            ],
        )?;
        self.transitions.reserve(m, state)?;
        for component in components.iter() {
            let value = next(m, component);
            m.put(STATE, CoverState(state), component, value);
        }
        m.set(PARENT, CoverState(state), step.0);
        m.set(INPUT, CoverState(state), step.1.index());
        m.set(NEXT, CoverState(state), m.get(HEAD, bucket));
        m.set(HEAD, bucket, len);
        self.len = len;
        self.transitions.set_target(m, step, Some(state));
        Ok(())
    }
}
