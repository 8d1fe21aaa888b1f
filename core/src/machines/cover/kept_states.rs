//! Where the components are in each state of a cover: kept, and found by a hash.

use super::access::{self, CoverState};
use crate::error::{Refused, Resource};
use crate::machines::components::{Components, ProductState};
use crate::memory::{Field, Format, Memory, Shape, fields, index};
use crate::outputs::ComponentId;

index! {
    /// States with one hash.
    StateBucket
}

fields! {
    after access::FIELDS_END;
    /// The state of each component.
    STATE: Field<CoverState, ComponentId> = Format::Packed;
    /// The next state with the same hash, plus one.
    NEXT: Field<CoverState> = Format::Packed;
    /// The first state of each hash, plus one.
    HEAD: Field<StateBucket> = Format::Packed;
}

/// Chains of states with one hash.
const BUCKETS: u32 = 256;

/// Begins without states.
pub(super) fn begin(m: &mut Memory<'_>) -> Result<(), Refused> {
    m.reserve(Resource::Tests, &[HEAD.list(BUCKETS, 1)])?;
    m.fill(HEAD, BUCKETS, 0);
    Ok(())
}

/// `len` states and their access words, and `room` for more, of components with numbers up to `largest`.
pub(super) fn shapes(
    (len, room): (u32, u32),
    components: Components,
    largest: u32,
    _depth: u32,
) -> [Shape; 5] {
    let [parent, input] = access::shapes((len, room), components.inputs());
    let state = STATE.matrix(room, components.len(), largest);
    [state, parent, input, NEXT.list(room, len), HEAD.list(BUCKETS, len)]
}

pub(super) fn release(m: &mut Memory<'_>) {
    m.release(STATE);
    m.release(NEXT);
    m.release(HEAD);
}

/// The state that [`ProductState::NEXT`] is, which has this hash.
pub(super) fn find_next(
    components: Components,
    m: &mut Memory<'_>,
    _len: u32,
    hash: u32,
) -> Option<u32> {
    let mut chain = m.get(HEAD, StateBucket(hash % BUCKETS));
    while let Some(found) = chain.checked_sub(1) {
        let next = |component| Components::state(m, ProductState::NEXT, component);
        if components.iter().all(|component| state(m, found, component) == next(component)) {
            return Some(found);
        }
        chain = m.get(NEXT, CoverState(found));
    }
    None
}

/// A new state is [`ProductState::NEXT`], which has this hash.
pub(super) fn set_next(components: Components, m: &mut Memory<'_>, state: u32, hash: u32) {
    for component in components.iter() {
        let value = Components::state(m, ProductState::NEXT, component);
        m.put(STATE, CoverState(state), component, value);
    }
    let bucket = StateBucket(hash % BUCKETS);
    m.set(NEXT, CoverState(state), m.get(HEAD, bucket));
    m.set(HEAD, bucket, state.wrapping_add(1));
}

/// A component's state in a state.
pub(super) fn state(m: &Memory<'_>, state: u32, component: ComponentId) -> u32 {
    m.at(STATE, CoverState(state), component)
}

/// Moves a state of the product to one of the cover.
pub(super) fn load(components: Components, m: &mut Memory<'_>, from: u32, to: ProductState) {
    for component in components.iter() {
        let value = state(m, from, component);
        Components::set_state(m, to, component, value);
    }
}
