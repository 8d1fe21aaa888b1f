//! The end of a test: a word that tells the state reached from several others at once.
//!
//! Suffix after suffix, each chosen by where the states that look alike so far have got to: one branch of an
//! adaptive distinguishing sequence, which is all that is needed of it, since the answers that the
//! hypothesis expects are known (Lee, Yannakakis, *Testing finite-state machines: state
//! identification and verification*, IEEE Trans. Computers 43(3), 1994; Smeenk, Moerman, Vaandrager,
//! Jansen, *Applying automata learning to embedded control software*, ICFEM 2015). They split all
//! states once for each hypothesis and keep the tree. Here a few states of a random component are split anew for each
//! test by the suffixes of the table: that takes no memory, and the product need not be known.

use super::Maker;
use crate::columns::{Column, inputs};
use crate::components::Tuple;
use crate::error::Stop;
use crate::rng::Rng;

/// So many states are drawn, or all if there are no more. With 4 or 16 the gain is the same (see `mixture`).
const OTHERS: u32 = 8;

impl Maker<'_, '_> {
    /// Ends a test so.
    pub(super) fn end(&mut self, rng: &mut Rng) -> Result<(), Stop> {
        let component = rng.below(self.components.len());
        let size = self.components.size(self.m.read(), component);
        let mut others = [None; OTHERS as usize];
        for (index, other) in (0..size).zip(&mut others) {
            *other = Some(if size > OTHERS { rng.below(size) } else { index });
        }
        loop {
            let state = self.walk.state_in(self.m, Tuple::WORD, component);
            // Never again will anything tell these apart.
            for other in others.iter_mut().filter(|&&mut other| other == Some(state)) {
                *other = None;
            }
            let Some(suffix) = self.best_suffix(component, state, &others, rng) else {
                return Ok(());
            };
            for other in &mut others {
                *other = other.and_then(|other| self.after(component, state, other, suffix));
            }
            let from = self.lanes.len(self.m, self.lane);
            self.push_suffix(suffix)?;
            self.follow_from(from);
        }
    }

    /// The suffix that tells the state from most others, if there is one that tells it from any; of several a random
    /// one.
    fn best_suffix(
        &self,
        component: u32,
        state: u32,
        others: &[Option<u32>],
        rng: &mut Rng,
    ) -> Option<Column> {
        let skip = self.any_suffix(rng);
        let mut best = (0, None);
        for suffix in self.suffixes().skip(skip).chain(self.suffixes().take(skip)) {
            let separated = |&&other: &&u32| self.separates(component, state, other, suffix);
            let count = others.iter().flatten().filter(separated).count();
            if count > best.0 {
                best = (count, Some(suffix));
            }
        }
        best.1
    }

    /// As long as an end can get: a suffix for each other state.
    pub(super) fn longest_end(&self) -> u32 {
        let sizes = (0..self.components.len()).map(|c| self.components.size(self.m.read(), c));
        let others = sizes.max().unwrap_or(0).saturating_sub(1).min(OTHERS);
        let len = |suffix| inputs(self.m, suffix).fold(0, |len, _| len + 1);
        others.saturating_mul(self.suffixes().map(len).max().unwrap_or(0))
    }
}
