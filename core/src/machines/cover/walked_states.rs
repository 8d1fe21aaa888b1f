//! Where the components are in each state of a cover, without the feature `fast`: they walk there along the access word. Where
//! there are many components, their states would take a fifth of the memory.

use super::access::{self, CoverState};
use crate::alphabet::Input;
use crate::error::Refused;
use crate::machines::components::{Components, ProductState};
use crate::memory::{Field, Format, Memory, Position, Shape, fields};

fields! {
    after access::FIELDS_END;
    /// The uppermost bits of each state's hash: states that differ in them are not the same.
    DIGEST: Field<CoverState> = Format::Packed;
    /// The access word that is walked.
    PATH: Field<Position> = Format::Packed;
}

/// Begins without states.
pub(super) fn begin(_: &mut Memory<'_>) -> Result<(), Refused> {
    Ok(())
}

/// `len` states and their access words of at most `depth` inputs, and `room` for more.
pub(super) fn shapes(
    (len, room): (u32, u32),
    components: Components,
    _largest: u32,
    depth: u32,
) -> [Shape; 4] {
    let [parent, input] = access::shapes((len, room), components.inputs());
    let path = PATH.list(depth, components.inputs());
    [parent, input, DIGEST.list(room, u8::MAX.into()), path]
}

pub(super) fn release(m: &mut Memory<'_>) {
    m.release(DIGEST);
    m.release(PATH);
}

fn digest(hash: u32) -> u32 {
    hash >> (u32::BITS - u8::BITS)
}

/// Which of the first `len` states [`ProductState::NEXT`] is, which has this hash.
pub(super) fn find_next(
    components: Components,
    m: &mut Memory<'_>,
    len: u32,
    hash: u32,
) -> Option<u32> {
    (0..len).find(|&state| {
        if m.get(DIGEST, CoverState(state)) != digest(hash) {
            return false;
        }
        load(components, m, state, ProductState::WORD);
        components.iter().all(|component| {
            let [word, next] = [ProductState::WORD, ProductState::NEXT]
                .map(|product| Components::state(m, product, component));
            word == next
        })
    })
}

/// A new state is [`ProductState::NEXT`], which has this hash.
pub(super) fn set_next(_: Components, m: &mut Memory<'_>, state: u32, hash: u32) {
    m.set(DIGEST, CoverState(state), digest(hash));
}

/// Moves a state of the product to one of the cover.
pub(super) fn load(components: Components, m: &mut Memory<'_>, from: u32, to: ProductState) {
    let len = access::len(m.read(), from);
    access::walk_back(m, from, |m, position, input| m.set(PATH, Position(position), input.index()));
    components.reset(m, to);
    for position in (0..len).map(Position) {
        let input = Input::new(m.get(PATH, position));
        // Where the components contradict each other, they move all the same.
        let _ = components.product_step(m, to, input);
    }
}
