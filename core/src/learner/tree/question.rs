//! One word that is asked for a reason of its own, beside the tasks.

use super::bases::{Bases, State};
use super::explain::{self, Explain};
use super::tasks::push_path;
use crate::alphabet::Input;
use crate::error::Refused;
use crate::machines::cover::StateCover;
use crate::memory::Memory;
use crate::observations::tree::Node;
use crate::words::{Lane, Words};

/// Why a word is asked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Question {
    /// The end of a word after the access word of a state, to find a wrong target.
    Explain { explain: Explain, state: State, from: u32 },
    /// What was asked after a node, after a state from which it is to be apart. Meanwhile the
    /// hypothesis is that it is that state.
    Prove { state: State, top: Node, node: Node },
    /// A word for which the components contradict each other.
    Defect { state: u32, input: Input },
}

impl Question {
    /// Writes its word into a lane.
    pub(super) fn push(
        self,
        m: &mut Memory<'_>,
        (bases, cover): (Bases, StateCover),
        words: Words,
        lane: Lane,
    ) -> Result<(), Refused> {
        let prefixes = bases.prefixes;
        match self {
            Self::Explain { explain, state, from } => {
                prefixes.push(m, words, lane, prefixes.row(m, Bases::access(m, state)))?;
                words.push_all(m, lane, explain.len_from(from), |m, position| {
                    explain::input(m, from.wrapping_add(position))
                })
            }
            Self::Prove { state, top, node } => {
                prefixes.push(m, words, lane, prefixes.row(m, Bases::access(m, state)))?;
                push_path(m, words, lane, (top, node))
            }
            Self::Defect { state, input } => {
                let len = cover.access_len(m.read(), state);
                words.extend(m, lane, len)?;
                cover.walk_back(m, state, |m, position, input| {
                    words.set_input(m, lane, position, input);
                });
                words.push(m, lane, input)
            }
        }
    }
}
