//! The access words of the states of a cover. Each but the initial state was reached from another one by one input.

use crate::alphabet::Input;
use crate::machines::transitions;
use crate::memory::{Field, Format, Memory, MemoryRef, Shape, fields, index};

index! {
    /// A state of the product, numbered in the order in which it was reached.
    CoverState
}

fields! {
    after transitions::FIELDS_END;
    /// The state that it was reached from.
    PARENT: Field<CoverState> = Format::Packed;
    /// The input that reached it.
    INPUT: Field<CoverState> = Format::Packed;
}

/// The access words of `len` states, and room for more.
pub(super) fn shapes((len, room): (u32, u32), inputs: u32) -> [Shape; 2] {
    [PARENT.list(room, len), INPUT.list(room, inputs)]
}

/// For how many states there is room.
pub(super) fn room(m: &Memory<'_>) -> u32 {
    m.read().rows(PARENT)
}

pub(super) fn release(m: &mut Memory<'_>) {
    m.release(PARENT);
    m.release(INPUT);
}

/// A state was reached by this step.
pub(super) fn set(m: &mut Memory<'_>, state: u32, (from, input): (u32, Input)) {
    m.set(PARENT, CoverState(state), from);
    m.set(INPUT, CoverState(state), input.index());
}

/// How a state was reached: from which state, along which input. `None` for the initial state.
pub(super) fn predecessor(m: MemoryRef<'_>, state: u32) -> Option<(u32, Input)> {
    let input = Input::new(m.get(INPUT, CoverState(state)));
    (state > 0).then(|| (m.get(PARENT, CoverState(state)), input))
}

/// The length of a state's access word.
pub(super) fn len(m: MemoryRef<'_>, state: u32) -> u32 {
    let (mut state, mut len) = (state, 0);
    while let Some((before, _)) = predecessor(m, state) {
        (state, len) = (before, u32::saturating_add(len, 1));
    }
    len
}

/// Calls `each` with the position and the input for each input of a state's access word, the last first.
pub(super) fn walk_back(
    m: &mut Memory<'_>,
    state: u32,
    mut each: impl FnMut(&mut Memory<'_>, u32, Input),
) {
    let (mut at, mut position) = (state, len(m.read(), state));
    while let Some((before, input)) = predecessor(m.read(), at) {
        position = position.wrapping_sub(1);
        each(m, position, input);
        at = before;
    }
}
