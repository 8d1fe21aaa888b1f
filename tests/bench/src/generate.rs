//! Generators of models, one in each file.
//!
//! The first two make the families that OL* was measured on. [`artificial`]: small random machines of which
//! one is active, and two inputs that switch to the next and the previous one; Koenders & Moerman,
//! *Output-decomposed Learning of Mealy Machines*, 2024, section 5. [`interleave`]: machines side by
//! side; Labbaf, Groote, Hojjat & Mousavi, *Compositional Learning for Interleaving Parallel Automata*,
//! 2023. [`hidden`](hidden()) plants into any machine what firmware hides, to find out which tests find it.

mod artificial;
mod hidden;
mod interleave;
mod random;

pub use artificial::{Artificial, artificial};
pub use hidden::{
    Behaviour, BehaviourFamily, Hidden, WORD, hidden, plant, random_base, symbols_to_meet,
};
pub use interleave::{interleave, prefixed};
#[cfg(test)]
pub(crate) use random::SplitMix64;

use thiserror::Error;

/// The largest machine that is made.
pub const MAX_STATES: u32 = 1_000_000;

/// Why a machine was not made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GenerateError {
    /// Together the parts have more states than allowed.
    #[error("parts of {} states are together a machine of more than {max_states} states", listed(.parts))]
    TooManyStates {
        /// How many states each part has.
        parts: Vec<u32>,
        /// How many were allowed.
        max_states: u32,
    },
}

fn listed(parts: &[u32]) -> String {
    parts.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
