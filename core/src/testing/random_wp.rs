//! Random words of the Wp-method.

use super::{Generator, Maker};
use crate::columns::Column;
use crate::components::Tuple;
use crate::error::Stop;
use crate::rng::Rng;

/// Random inputs after the access sequence that are always there.
const INFIX_MIN: u32 = 2;
/// Further random inputs, on average.
const INFIX_MORE: u32 = 10;

/// Makes these words; it remembers nothing.
pub(crate) struct RandomWp;

impl Generator for RandomWp {
    fn next(&mut self, maker: &mut Maker<'_, '_>, rng: &mut Rng) -> Result<bool, Stop> {
        maker.begin_at(rng.below(maker.walk.len()))?;
        for _ in 0..INFIX_MIN {
            maker.go(maker.any_input(rng))?;
        }
        while !rng.one_in(INFIX_MORE + 1) {
            maker.go(maker.any_input(rng))?;
        }
        let suffix = if rng.one_in(2) { None } else { maker.local_suffix(rng) };
        let suffix = suffix.unwrap_or_else(|| maker.random_suffix(rng));
        maker.push_suffix(suffix)?;
        Ok(true)
    }
}

impl Maker<'_, '_> {
    /// A suffix that tells the state reached from another state of a random component.
    fn local_suffix(&mut self, rng: &mut Rng) -> Option<Column> {
        let component = rng.below(self.components.len());
        let others = self.components.size(self.m.read(), component).saturating_sub(1);
        let state = self.walk.state_in(self.m, Tuple::WORD, component);
        let other = rng.below(others);
        let other = if other >= state { other + 1 } else { other };
        let skip = self.any_suffix(rng);
        let turned = self.suffixes().skip(skip).chain(self.suffixes().take(skip));
        turned
            .into_iter()
            .find(|&suffix| others > 0 && self.separates(component, state, other, suffix))
    }
}
