//! Random words of the Wp-method.

use super::writer::{Generator, TestWriter};
use crate::error::Refused;
use crate::rng::WordRng;
use crate::suffixes::Suffix;

/// Random inputs after the access word that are always there.
const INFIX_MIN: u32 = 2;
/// Further random inputs, on average.
const INFIX_MORE: u32 = 10;

/// Makes these words; it remembers nothing.
pub(super) struct RandomWp;

impl Generator for RandomWp {
    fn next(&mut self, test: &mut TestWriter<'_, '_>, rng: &mut WordRng) -> Result<bool, Refused> {
        test.start_at(rng.below(test.states()))?;
        for _ in 0..INFIX_MIN {
            test.step(test.random_input(rng))?;
        }
        while !rng.one_in(INFIX_MORE + 1) {
            test.step(test.random_input(rng))?;
        }
        let suffix = if rng.one_in(2) { None } else { local_suffix(test, rng) };
        let suffix = suffix.unwrap_or_else(|| test.random_suffix(rng));
        test.push_suffix(suffix)?;
        Ok(true)
    }
}

/// A suffix that tells the state reached from another state of a random component.
fn local_suffix(test: &TestWriter<'_, '_>, rng: &mut WordRng) -> Option<Suffix> {
    let component = test.random_component(rng);
    let others = test.size(component).saturating_sub(1);
    let state = test.state(component);
    let other = rng.below(others);
    let other = if other >= state { other.wrapping_add(1) } else { other };
    let separates =
        |suffix: &Suffix| others > 0 && test.separates(component, (state, other), *suffix);
    test.suffixes_around(rng).find(separates)
}
