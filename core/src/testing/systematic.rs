//! Every state with every infix of one input, each once, in random order; then with those of two
//! inputs, of three, and so on.

use super::adaptive::identify_state;
use super::writer::{Generator, TestWriter};
use crate::alphabet::Input;
use crate::error::Refused;
use crate::rng::WordRng;

/// Where the enumeration is. Pairs of a state and an infix of `len` inputs are numbered, and visited
/// in steps of a size that has no divisor in common with their number: all of them once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Systematic {
    len: u32,
    /// How many pairs there are; with more than 2³² inputs come from the first ones only.
    count: u32,
    /// How many of them were not visited yet.
    left: u32,
    place: u32,
    step: u32,
}

impl Generator for Systematic {
    fn next(&mut self, test: &mut TestWriter<'_, '_>, rng: &mut WordRng) -> Result<bool, Refused> {
        let (states, inputs) = (test.states().max(1), test.inputs().max(1));
        let next = self.moved(states, inputs, rng);
        test.start_at(next.place % states)?;
        let mut infix = next.place / states;
        for _ in 0..next.len {
            test.step(Input::new(infix % inputs))?;
            infix /= inputs;
        }
        identify_state(test, rng)?;
        *self = next;
        Ok(true)
    }
}

impl Systematic {
    /// Nothing was visited yet.
    pub(super) const NEW: Self = Self { len: 0, count: 0, left: 0, place: 0, step: 0 };

    fn moved(self, states: u32, inputs: u32, rng: &mut WordRng) -> Self {
        if self.left == 0 {
            let len = self.len.saturating_add(1);
            let count = states.saturating_mul(inputs.saturating_pow(len)).max(1);
            let others = count.saturating_sub(1);
            let mut step = rng.below(others).saturating_add(1);
            while common_divisor(step, count) != 1 {
                step = (step % count).saturating_add(1);
            }
            return Self { len, count, left: others, place: rng.below(count), step };
        }
        // Not `(place + step) % count`, which may not fit.
        let to_end = self.count.wrapping_sub(self.place);
        let place = match self.step.checked_sub(to_end) {
            Some(place) => place,
            None => self.place.wrapping_add(self.step),
        };
        Self { left: self.left.saturating_sub(1), place, ..self }
    }
}

/// Euclid's algorithm.
fn common_divisor(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_comes_once() {
        for (states, inputs) in [(1, 1), (1, 2), (3, 1), (7, 3), (12, 5), (256, 4)] {
            let mut rng = WordRng::new(u64::from(states), inputs);
            let mut systematic = Systematic::NEW;
            for len in 1..3_u32 {
                let count = states * u32::pow(inputs, len);
                let mut seen = std::vec![false; count as usize];
                for _ in 0..count {
                    systematic = systematic.moved(states, inputs, &mut rng);
                    assert_eq!(systematic.len, len);
                    let seen = &mut seen[systematic.place as usize];
                    assert!(!*seen, "{states} {inputs} {len}");
                    *seen = true;
                }
            }
        }
    }

    #[test]
    fn more_pairs_than_are_numbered_are_no_matter() {
        let mut rng = WordRng::new(1, 1);
        let full = Systematic { len: 40, ..Systematic::NEW };
        let mut systematic = full.moved(u32::MAX, u32::MAX, &mut rng);
        for _ in 0..1000 {
            systematic = systematic.moved(u32::MAX, u32::MAX, &mut rng);
            assert!(systematic.place < systematic.count);
        }
    }
}
