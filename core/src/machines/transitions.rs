//! The transitions of the product, one number each.
//!
//! A step of the product is a step of every component, and devices with many outputs have many
//! components; but a test walks through few states. Those of the [state cover](super::cover) have their
//! transitions here, as long as that takes at most four times the memory that says where the transitions of the
//! components lead. What words ask is the same with and without.
//!
//! ```text
//! TRANSITION[state, input]     (next state + 1) << symbol_bits | symbol      zero: it leads out of the table
//! TRANSITION[state, inputs]    1 if no input leaves the state
//! COVERED[product state]       state + 1      zero: it is not in the table
//! ```

use super::components::{Components, ProductState};
use super::minimise;
use crate::alphabet::{Input, Output};
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, fields, index};
use crate::projection::symbol_of;

/// How many states there are at most; it bounds the time that they take.
const STATES: u32 = 1024;

index! {
    /// A state of the table.
    TableState
}

fields! {
    after minimise::FIELDS_END;
    /// State × input, and one column more: see the module.
    TRANSITION: Field<TableState, Input> = Format::Packed;
    /// The state of the table that a state of the product is, plus one.
    COVERED: Field<ProductState> = Format::Wide;
}

/// Gives the table up.
pub(super) fn release(m: &mut Memory<'_>) {
    m.release(TRANSITION);
}

/// The shape of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transitions {
    /// How many it may have.
    states: u32,
    inputs: u32,
    symbol_bits: u32,
}

/// Where an input leads.
pub(crate) enum Successor {
    /// To a state of the table.
    Within(Option<Output>),
    /// Out of it, from this state.
    Out(u32),
    /// It was not in the table.
    Outside,
}

impl Transitions {
    /// No transitions.
    pub(crate) const NONE: Self = Self { states: 0, inputs: 0, symbol_bits: 0 };

    /// A table for as many states as fit into `room_words` words.
    pub(crate) fn new(components: Components, room_words: u32) -> Self {
        let inputs = components.inputs();
        let symbol_bits = u32::BITS.wrapping_sub(components.outputs().leading_zeros());
        // One component is a table by itself.
        let room_words = if components.len() > 1 { room_words } else { 0 };
        let row_words = inputs.saturating_add(components.len() / 4).saturating_add(1);
        let states = room_words.checked_div(row_words).unwrap_or(0);
        // With outputs that take all bits of a number there is room for no state.
        let entries = u32::MAX.checked_shr(symbol_bits).unwrap_or(0);
        let states = states.min(STATES).min(entries.saturating_sub(1));
        Self { states, inputs, symbol_bits }
    }

    /// How many states it can have.
    pub(crate) fn states(self) -> u32 {
        self.states
    }

    /// Makes room for this state.
    pub(crate) fn reserve(self, m: &mut Memory<'_>, state: u32) -> Result<(), Refused> {
        if state >= self.states {
            return Ok(());
        }
        let len = state.wrapping_add(1);
        let rows = len.checked_next_power_of_two().unwrap_or(self.states).min(self.states);
        m.reserve(
            Resource::Tests,
            &[TRANSITION.matrix(rows, self.inputs.saturating_add(1), u32::MAX)],
        )
    }

    /// Makes room for the states of the product that are in use with this many lanes.
    pub(crate) fn reserve_lanes(self, m: &mut Memory<'_>, lanes: u32) -> Result<(), Refused> {
        m.reserve(Resource::Tests, &[COVERED.list(ProductState::of_lane(lanes).0, STATES)])
    }

    /// An input leads from a state to another one, or to none that has a number. Inputs come in their
    /// order.
    pub(crate) fn set_target(
        self,
        m: &mut Memory<'_>,
        (state, input): (u32, Input),
        to: Option<u32>,
    ) {
        if state >= self.states {
            return;
        }
        let to = to.filter(|&to| to < self.states);
        let entry = to.map_or(0, |to| to.wrapping_add(1).wrapping_shl(self.symbol_bits));
        m.put(TRANSITION, TableState(state), input, entry);
        let stays = to == Some(state) && (input.index() == 0 || self.is_absorbing(m, state));
        m.put(TRANSITION, TableState(state), Input::new(self.inputs), stays.into());
    }

    /// What the product says there, if it has an output.
    pub(crate) fn set_output(
        self,
        m: &mut Memory<'_>,
        (state, input): (u32, Input),
        output: Option<Output>,
    ) {
        if let Some(output) = output
            && state < self.states
        {
            let entry = m.at(TRANSITION, TableState(state), input);
            if entry != 0 {
                m.put(TRANSITION, TableState(state), input, entry | symbol_of(output));
            }
        }
    }

    /// Whether no input leaves a state of the table.
    pub(crate) fn is_absorbing(self, m: &Memory<'_>, state: u32) -> bool {
        m.at(TRANSITION, TableState(state), Input::new(self.inputs)) == 1
    }

    /// The state of the table that a state of the product is, if it is one.
    #[inline]
    pub(crate) fn state(self, m: &Memory<'_>, product: ProductState) -> Option<u32> {
        m.get(COVERED, product).checked_sub(1)
    }

    /// Moves a state of the product to a state; `false` if that is not in the table, and the states
    /// of its components are to be set.
    pub(crate) fn set_state(self, m: &mut Memory<'_>, product: ProductState, state: u32) -> bool {
        let is_within = state < self.states;
        m.set(COVERED, product, if is_within { state.wrapping_add(1) } else { 0 });
        is_within
    }

    /// Notes that a state of the product is not in the table.
    #[cfg(feature = "mixture")]
    pub(crate) fn leave(self, m: &mut Memory<'_>, product: ProductState) {
        m.set(COVERED, product, 0);
    }

    /// Moves a state of the product along an input.
    #[inline]
    pub(crate) fn step(self, m: &mut Memory<'_>, product: ProductState, input: Input) -> Successor {
        let Some(state) = self.state(m, product) else { return Successor::Outside };
        let entry = m.at(TRANSITION, TableState(state), input);
        m.set(COVERED, product, entry.wrapping_shr(self.symbol_bits));
        if entry == 0 {
            return Successor::Out(state);
        }
        let symbol = entry & !u32::MAX.wrapping_shl(self.symbol_bits);
        Successor::Within(symbol.checked_sub(1).map(Output::new))
    }
}
