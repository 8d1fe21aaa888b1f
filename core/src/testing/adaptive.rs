//! The end of a test: a word that tells the state reached from several others at once.
//!
//! Suffix after suffix, each chosen by where the states that look alike so far have got to: one branch
//! of an adaptive distinguishing sequence. One branch is enough, since the answers that the hypothesis
//! expects are known (Lee, Yannakakis, *Testing finite-state machines: state identification and
//! verification*, IEEE Trans. Computers 43(3), 1994; Smeenk, Moerman, Vaandrager, Jansen, *Applying
//! automata learning to embedded control software*, ICFEM 2015). They split all states once for each
//! hypothesis and keep the tree. Here a few states of a random component are split for each test by
//! the suffixes: that takes no memory, and the product need not be known.

use super::writer::TestWriter;
use crate::error::Refused;
use crate::outputs::ComponentId;
use crate::rng::WordRng;
use crate::suffixes::{Suffix, depth};

/// How many states are drawn; all if there are not more. 4 or 16 gain the same
/// (docs/measurements/mixture.md).
const OTHERS: u32 = 8;

/// Ends a test with such a word.
pub(super) fn identify_state(
    test: &mut TestWriter<'_, '_>,
    rng: &mut WordRng,
) -> Result<(), Refused> {
    let component = test.random_component(rng);
    let size = test.size(component);
    let mut others = [None; OTHERS as usize];
    for (index, other) in (0..size).zip(&mut others) {
        *other = Some(if size > OTHERS { rng.below(size) } else { index });
    }
    loop {
        let state = test.state(component);
        // Nothing will ever tell these apart.
        for other in others.iter_mut().filter(|&&mut other| other == Some(state)) {
            *other = None;
        }
        let Some(suffix) = best_suffix(test, component, state, &others, rng) else {
            return Ok(());
        };
        let components = test.model.components();
        for other in &mut others {
            *other =
                other.and_then(|other| components.after(test.m, component, (state, other), suffix));
        }
        let from = test.len();
        test.push_suffix(suffix)?;
        test.follow_from(from);
    }
}

/// The suffix that tells the state from the most others, if one tells it from any; of several a random
/// one.
fn best_suffix(
    test: &TestWriter<'_, '_>,
    component: ComponentId,
    state: u32,
    others: &[Option<u32>],
    rng: &mut WordRng,
) -> Option<Suffix> {
    let mut best = (0, None);
    for suffix in test.suffixes_around(rng) {
        let is_separated = |&&other: &&u32| test.separates(component, (state, other), suffix);
        let separated = others.iter().flatten().filter(is_separated);
        let count = separated.fold(0_u32, |count, _| count.wrapping_add(1));
        if count > best.0 {
            best = (count, Some(suffix));
        }
    }
    best.1
}

/// How long such a word can get: a suffix for each other state.
pub(super) fn longest_end(test: &TestWriter<'_, '_>) -> u32 {
    let sizes = test.model.components().iter().map(|component| test.size(component));
    let others = sizes.max().unwrap_or(0).saturating_sub(1).min(OTHERS);
    let lens = test.suffixes().map(|suffix| depth(test.m, suffix));
    others.saturating_mul(lens.max().unwrap_or(0))
}
