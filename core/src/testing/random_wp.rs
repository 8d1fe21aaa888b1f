//! Random words of the Wp-method.

use super::Maker;
use crate::columns::Column;
use crate::components::Tuple;
use crate::error::Stop;
use crate::rng::Rng;

/// Random inputs after the access sequence that are always there.
const INFIX_MIN: u32 = 2;
/// Further random inputs, on average.
const INFIX_MORE: u32 = 10;

impl Maker<'_, '_> {
    /// Makes a random word of the Wp-method.
    pub(crate) fn random_wp(&mut self, rng: &mut Rng) -> Result<(), Stop> {
        self.begin_at(rng.below(self.walk.len()))?;
        for _ in 0..INFIX_MIN {
            let input = self.any_input(rng);
            self.go(input)?;
        }
        while !rng.one_in(INFIX_MORE + 1) {
            let input = self.any_input(rng);
            self.go(input)?;
        }
        let suffix = if rng.one_in(2) { None } else { self.local_suffix(rng) };
        let suffix = suffix.unwrap_or_else(|| self.random_suffix(rng));
        self.push_suffix(suffix)
    }

    /// A suffix that tells the state reached from another state of a random component.
    pub(super) fn local_suffix(&mut self, rng: &mut Rng) -> Option<Column> {
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
