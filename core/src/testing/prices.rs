//! What a reset and each input cost, beside each other.
//!
//! On a real device the cost is time: a reset may take as long as hundreds of inputs, an input that gets
//! no answer as long as its time-out. Where somebody says what they cost, the mixture of tests follows
//! it: shares follow what a kind finds for what it costs, and tests are longer where a reset is dear.
//! Otherwise a reset is free and each input costs one, which is how tests are compared in publications.
//!
//! What that saves is in `docs/measurements/prices.txt`. Tried and dropped, on 22 models of the half that was
//! looked at, one input in five ten times as dear, a reset as dear as 15 inputs: of several suffixes that tell two
//! states apart the cheapest, 4 to 7 % more time for testing; dear inputs tried less often by coverage, 4 to 31 %.
//! Shortening counterexamples takes 0.4 % of the time. Where it is left out and a reset is as dear as 500 inputs, all
//! takes 1.6 times as long; where single inputs are not left out, 2 % less, but then suffixes are longer. So
//! it stays as it is.
//!
//! Since tests have adaptive ends, where a reset is as dear as 500 inputs: one longer walk of coverage 0.80 of the time
//! on that half, several walks with an end each 0.67; with an end after each deviation of splice too 0.67, but there 1.03 instead of
//! 0.97 where a reset is as dear as 15 inputs.

use crate::Input;
use crate::error::{Resource, Stop};
use crate::lanes::Lanes;
use crate::memory::{Field, Memory, Want};

/// Says what a reset costs, and each input.
pub(crate) fn set(
    m: &mut Memory<'_>,
    reset: u32,
    inputs: u32,
    input: impl Fn(Input) -> u32,
) -> Result<(), Stop> {
    let each = || (0..inputs).map(|index| input(Input::new(index)));
    let max = each().fold(reset, u32::max);
    m.reserve(Resource::Tests, &[Want::list(Field::Price, inputs.saturating_add(1), max)])?;
    m.set(Field::Price, 0, reset);
    for (index, price) in (1..).zip(each()) {
        m.set(Field::Price, index, price);
    }
    Ok(())
}

/// What a reset costs.
pub(crate) fn of_reset(m: &Memory<'_>) -> u32 {
    if is_set(m) { m.get(Field::Price, 0) } else { 0 }
}

/// What the word of a lane cost.
pub(crate) fn of_word(m: &Memory<'_>, lanes: Lanes, lane: u32) -> u64 {
    let len = lanes.len(m, lane);
    if !is_set(m) {
        return len.into();
    }
    let inputs = (0..len).map(|position| lanes.input(m, lane, position));
    let prices = inputs.map(|input| u64::from(m.get(Field::Price, input.index().wrapping_add(1))));
    u64::from(of_reset(m)) + prices.sum::<u64>()
}

fn is_set(m: &Memory<'_>) -> bool {
    m.read().rows(Field::Price) > 0
}
