//! The state cover: states of the product with a shortest access word each, found breadth-first.
//!
//! It serves two ends: where it meets a transition without exactly one output, the components
//! contradict each other (component-consistency, paper, Definition 8) and the access word with that
//! input is a counterexample; and its states are where tests start. The product can be astronomically
//! larger than the machine while components are still wrong, so the search ends at a bound. What it
//! does not see shows up when a test walks into it.

mod access;
#[cfg(feature = "fast")]
#[path = "cover/kept_states.rs"]
mod states;
#[cfg(not(feature = "fast"))]
#[path = "cover/walked_states.rs"]
mod states;

use super::components::{Components, Defect, ProductState};
use super::transitions::{self, Transitions};
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::hash;
use crate::memory::{Memory, MemoryRef};
#[cfg(feature = "fast")]
use crate::outputs::ComponentId;

pub(crate) use states::FIELDS_END;

/// Where `n` states are full, room for `n / GROWTH + GROWTH` more is made.
const GROWTH: u32 = 8;

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
        let room_words = if has_tests { Components::words(m).saturating_mul(4) } else { 0 };
        let transitions = Transitions::new(components, room_words);
        let mut cover = Self { transitions, ..Self::NONE };
        // The initial state is always there.
        let bound = bound.max(1);
        let inputs = components.inputs();
        states::begin(m)?;
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
        access::release(m);
        states::release(m);
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
        access::predecessor(m, state)
    }

    /// Calls `each` with the position and the input for each input of a state's access word, the last first.
    pub(crate) fn walk_back(
        self,
        m: &mut Memory<'_>,
        state: u32,
        each: impl FnMut(&mut Memory<'_>, u32, Input),
    ) {
        access::walk_back(m, state, each);
    }

    /// The length of a state's access word.
    pub(crate) fn access_len(self, m: MemoryRef<'_>, state: u32) -> u32 {
        access::len(m, state)
    }

    /// A component's state in a state of the cover.
    #[cfg(feature = "fast")]
    pub(super) fn state(m: &Memory<'_>, state: u32, component: ComponentId) -> u32 {
        states::state(m, state, component)
    }

    /// Moves a state of the product to one of the cover.
    pub(super) fn load(
        self,
        components: Components,
        m: &mut Memory<'_>,
        state: u32,
        product: ProductState,
    ) {
        states::load(components, m, state, product);
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
        let mut hash = 0;
        let mut largest = 0;
        for component in components.iter() {
            let value = Components::state(m, ProductState::NEXT, component);
            hash = hash::mix(hash, value);
            largest = value.max(largest);
        }
        if let Some(state) = states::find_next(components, m, self.len, hash) {
            self.transitions.set_target(m, step, Some(state));
            return Ok(());
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
        let has_room = state < access::room(m);
        let room = if has_room { len } else { state.saturating_add(more).min(limit) };
        let depth = access::len(m.read(), step.0).saturating_add(1);
        m.reserve(Resource::Tests, &states::shapes((len, room), components, largest, depth))?;
        self.transitions.reserve(m, state)?;
        states::set_next(components, m, state, hash);
        access::set(m, state, step);
        self.len = len;
        self.transitions.set_target(m, step, Some(state));
        Ok(())
    }
}
