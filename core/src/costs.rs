//! What a reset and each input cost, beside each other.
//!
//! On a real device the cost is time: a reset may take as long as hundreds of inputs, an input that
//! gets no answer as long as its time-out. Where the caller says what they cost, tests follow it: shares of the mixture
//! follow what a kind finds for what it costs, tests are longer where a reset is dear, and random inputs are less often dear
//! ones. Tree learners tell states apart by what is cheap, and their words go on with random inputs where a reset is dear.
//! Otherwise a reset is free and each input costs one, as publications count.
//!
//! docs/measurements/prices.txt shows what that saves; docs/measurements/mixture.md what else was
//! tried.

use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::machines::cover;
use crate::memory::{Field, Format, Memory, fields, index};
use crate::words::{Lane, Words};

index! {
    /// The reset, then each input.
    CostOf
}

impl CostOf {
    fn of(input: Input) -> Self {
        Self(input.index().wrapping_add(1))
    }
}

fields! {
    after cover::FIELDS_END;
    /// What each costs; empty where nobody said it.
    COST: Field<CostOf> = Format::Packed;
}

/// Says what a reset costs, and each input, which is at least 1.
pub(crate) fn set(
    m: &mut Memory<'_>,
    reset: u32,
    inputs: u32,
    price: impl Fn(Input) -> u32,
) -> Result<(), Refused> {
    let price = |input| price(input).max(1);
    let max = (0..inputs).map(Input::new).map(&price).fold(reset, u32::max);
    m.reserve(Resource::Tests, &[COST.list(inputs.saturating_add(1), max)])?;
    m.set(COST, CostOf(0), reset);
    for input in (0..inputs).map(Input::new) {
        m.set(COST, CostOf::of(input), price(input));
    }
    Ok(())
}

/// What a reset costs.
pub(crate) fn of_reset(m: &Memory<'_>) -> u32 {
    if is_set(m) { m.get(COST, CostOf(0)) } else { 0 }
}

/// What an input costs.
pub(crate) fn of_input(m: &Memory<'_>, input: Input) -> u32 {
    if is_set(m) { m.get(COST, CostOf::of(input)) } else { 1 }
}

/// What the word of a lane costs.
pub(crate) fn of_word(m: &Memory<'_>, words: Words, lane: Lane) -> u64 {
    let len = words.len(m, lane);
    if !is_set(m) {
        return len.into();
    }
    let inputs = (0..len).map(|position| words.input(m, lane, position));
    let costs = inputs.map(|input| u64::from(m.get(COST, CostOf::of(input))));
    costs.fold(of_reset(m).into(), u64::saturating_add)
}

fn is_set(m: &Memory<'_>) -> bool {
    m.read().rows(COST) > 0
}
