//! Test words for equivalence queries: made one at a time, in bounded memory.
//!
//! A test starts at a state that the [`Walk`] reached, and ends with a suffix of the table, since the
//! suffixes tell all states of the hypothesis apart.

mod random_words;
mod random_wp;
mod suite;

use crate::Input;
use crate::columns::{Column, inputs, is_leaf};
use crate::components::{Components, Tuple};
use crate::error::Stop;
use crate::lanes::Lanes;
use crate::memory::Memory;
use crate::rng::Rng;
use crate::table::Table;
use crate::walk::Walk;

pub(crate) use suite::Suite;

/// Which words test a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Tests {
    /// Random words of the Wp-method: the access sequence of a random state, 2 random inputs and 10
    /// more on average, then a suffix that tells all states apart or one that tells the state
    /// reached from another.
    ///
    /// Fujiwara, v. Bochmann, Khendek, Amalou, Ghedamsi, *Test selection based on finite state
    /// models*, IEEE TSE 17(6), 1991; randomised with the parameters of the paper's experiments.
    RandomWp,
    /// Random words, of 20 inputs on average.
    RandomWords,
    /// The W-method's complete suite for so many extra states.
    ///
    /// Chow, *Testing software design modeled by finite-state machines*, IEEE TSE 4(3), 1978;
    /// Vasilevskii, *Failure diagnosis of automata*, Kibernetika 9(4), 1973.
    W {
        /// States that the device may have beyond those of the hypothesis.
        extra_states: u32,
    },
    /// The Wp-method's complete suite for so many extra states.
    Wp {
        /// States that the device may have beyond those of the hypothesis.
        extra_states: u32,
    },
    /// None: the caller answers [`Action::Hypothesis`](crate::Action::Hypothesis).
    External,
}

/// A test word being made.
pub(crate) struct Maker<'a, 'm> {
    pub(crate) m: &'a mut Memory<'m>,
    pub(crate) table: &'a Table,
    pub(crate) components: Components,
    pub(crate) walk: Walk,
    pub(crate) lanes: Lanes,
    pub(crate) lane: u32,
}

impl Maker<'_, '_> {
    /// Starts with the access sequence of a state of the walk.
    fn access(&mut self, state: u32) -> Result<(), Stop> {
        self.lanes.clear(self.m, self.lane);
        let mut state = state;
        while let Some((before, input)) = self.walk.predecessor(self.m.read(), state) {
            self.push(input)?;
            state = before;
        }
        self.lanes.reverse(self.m, self.lane);
        Ok(())
    }

    fn push(&mut self, input: Input) -> Result<(), Stop> {
        self.lanes.push(self.m, self.lane, input)
    }

    fn push_suffix(&mut self, suffix: Column) -> Result<(), Stop> {
        self.lanes.push_column(self.m, self.lane, suffix)
    }

    /// Puts [`Tuple::Word`] where the word so far leads.
    fn follow(&mut self) {
        self.components.reset(self.m, Tuple::Word);
        for position in 0..self.lanes.len(self.m, self.lane) {
            let input = self.lanes.input(self.m, self.lane, position);
            // A defect is no matter here: the test will show it.
            let _ = self.components.walk(self.m, Tuple::Word, input);
        }
    }

    /// The suffixes that a test can end with: those that no other begins with.
    fn suffixes(&self) -> impl Iterator<Item = Column> + '_ {
        self.table.columns.iter().filter(|&column| is_leaf(self.m, column))
    }

    /// Whether a suffix tells two states of a component apart.
    fn separates(&self, component: u32, state: u32, other: u32, suffix: Column) -> bool {
        let (mut state, mut other) = (state, other);
        inputs(self.m, suffix).any(|input| {
            let a = self.components.step(self.m.read(), component, state, input);
            let b = self.components.step(self.m.read(), component, other, input);
            (state, other) = (a.0, b.0);
            a.1 != b.1
        })
    }

    fn random_suffix(&self, rng: &mut Rng) -> Column {
        let count = u32::try_from(self.suffixes().count()).unwrap_or(u32::MAX);
        self.suffixes().nth(rng.below(count) as usize).unwrap_or(Column::ROOT)
    }
}
