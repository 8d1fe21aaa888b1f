//! Test words for equivalence queries: made one at a time, in bounded memory.
//!
//! Most tests start at a state that the [`Walk`] reached, and end with suffixes of the table, since these
//! tell all states of the hypothesis apart.

#[cfg(feature = "mixture")]
mod adaptive;
#[cfg(feature = "mixture")]
mod coverage;
#[cfg(feature = "mixture")]
mod mixture;
#[cfg(not(feature = "mixture"))]
#[path = "testing/no_mixture.rs"]
mod mixture;
#[cfg(feature = "mixture")]
pub(crate) mod prices;
mod random_words;
mod random_wp;
#[cfg(feature = "mixture")]
mod splice;
mod suite;
#[cfg(feature = "mixture")]
mod systematic;

use core::fmt;

use crate::Input;
use crate::columns::{Column, inputs, is_leaf};
use crate::components::{Components, Tuple};
use crate::error::Stop;
use crate::lanes::Lanes;
use crate::memory::Memory;
use crate::rng::Rng;
use crate::table::{Short, Table};
use crate::walk::Walk;

pub(crate) use mixture::Mixture;
pub(crate) use random_words::RandomWords;
pub(crate) use random_wp::RandomWp;
pub(crate) use suite::Suite;

/// Whether there are the tests that need the feature `mixture`.
pub(crate) const HAS_ALL: bool = cfg!(feature = "mixture");

/// The kinds of tests in the mixture.
pub const MIXED: [Tests; 3] = [Tests::Systematic, Tests::Splice, Tests::Coverage];

/// What one kind of tests has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Spent {
    /// Symbols of its tests.
    pub symbols: u64,
    /// Counterexamples that it found.
    pub found: u32,
}

/// Which words test a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Tests {
    /// A mixture of the three that follow, the larger share for what finds more. Each test of these ends
    /// with a word that tells the state reached from several others, if any can.
    Mixture,
    /// Every state with every infix of one input, each once, in random order; then with those of two
    /// inputs, and so on.
    Systematic,
    /// The access sequence of a random state, one or two random inputs, then the end of another
    /// state's access sequence.
    Splice,
    /// From a random state on the inputs that were tried least there after the input before, 20 on
    /// average; where a reset is dear several such walks. They need 512 bytes of memory.
    Coverage,
    /// Random words of the Wp-method: the access sequence of a random state, 2 random inputs and 10
    /// more on average, then a suffix that tells all states apart or one that tells the state
    /// reached from another.
    ///
    /// Fujiwara, v. Bochmann, Khendek, Amalou, Ghedamsi, *Test selection based on finite state
    /// models*, IEEE TSE 17(6), 1991; randomised with the parameters of the paper's experiments.
    RandomWp,
    /// Random words, of 20 inputs on average.
    RandomWords,
    /// The W-method's complete suite for so many extra states: a device that passes is the hypothesis if
    /// each of its states is reached by the access sequence of a state of the hypothesis and at most so
    /// many inputs after it. With at most so many states more than the hypothesis each is.
    ///
    /// Chow, *Testing software design modeled by finite-state machines*, IEEE TSE 4(3), 1978;
    /// Vasilevskii, *Failure diagnosis of automata*, Kibernetika 9(4), 1973.
    W {
        /// States that the device may have beyond those of the hypothesis.
        extra_states: u32,
    },
    /// The Wp-method's complete suite for so many extra states, with the same promise.
    Wp {
        /// States that the device may have beyond those of the hypothesis.
        extra_states: u32,
    },
    /// The complete suites of all components at once, for so many extra states of each: Wp-method's
    /// words that begin with the short rows, which reach every state of every component, and not with
    /// the states of the product, of which there can be far more.
    ///
    /// A device that passes is the hypothesis if each of its projections has at most so many states more
    /// than the component, or if each of the device's states is reached by a short row's word and at most so
    /// many inputs after it. Neither this promise nor that of [`Tests::Wp`] implies the other: one more
    /// state in a device can be many in a projection, and one more in each projection can be many in
    /// the device.
    Components {
        /// States that each projection of the device may have beyond those of the component.
        extra_states: u32,
    },
    /// None: the caller answers [`Action::Hypothesis`](crate::Action::Hypothesis).
    External,
}

impl Tests {
    /// What is best where nothing else is said, of those that there are.
    pub const DEFAULT: Self = if HAS_ALL { Self::Mixture } else { Self::RandomWp };

    /// Whether there are such tests: some need the feature `mixture`.
    pub fn is_there(self) -> bool {
        let is_extra = matches!(self, Self::Mixture | Self::Components { .. });
        HAS_ALL || !is_extra && !MIXED.contains(&self)
    }

    /// Whether there is no end of them, so that somebody must say how many pass for enough.
    pub fn is_random(self) -> bool {
        !matches!(self, Self::W { .. } | Self::Wp { .. } | Self::Components { .. } | Self::External)
    }
}

impl fmt::Display for Tests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mixture => f.write_str("mixture"),
            Self::Systematic => f.write_str("systematic"),
            Self::Splice => f.write_str("splice"),
            Self::Coverage => f.write_str("coverage"),
            Self::RandomWp => f.write_str("random-wp"),
            Self::RandomWords => f.write_str("random-words"),
            Self::W { extra_states } => write!(f, "w:{extra_states}"),
            Self::Wp { extra_states } => write!(f, "wp:{extra_states}"),
            Self::Components { extra_states } => write!(f, "components:{extra_states}"),
            Self::External => f.write_str("model"),
        }
    }
}

/// What makes tests of a kind, one at a time. It remembers a few numbers from test to test; what is more lies
/// in the memory.
pub(crate) trait Generator {
    /// Makes the next test, with nothing but what is drawn for it; `false` when there is none. Where
    /// there is no room for it, it will be the same again.
    fn next(&mut self, maker: &mut Maker<'_, '_>, rng: &mut Rng) -> Result<bool, Stop>;
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
    fn begin_at(&mut self, state: u32) -> Result<(), Stop> {
        self.lanes.clear(self.m, self.lane);
        self.walk.restore(self.components, self.m, state, Tuple::WORD);
        self.push_way(state, u32::MAX)
    }

    /// Starts with the access word of a short row.
    fn begin_at_short(&mut self, short: u32) -> Result<(), Stop> {
        self.lanes.clear(self.m, self.lane);
        self.walk.reset(self.components, self.m, Tuple::WORD);
        let row = Table::row_of(self.m, Short(short));
        self.lanes.push_access(self.m, self.lane, self.table, row)?;
        self.follow_from(0);
        Ok(())
    }

    /// Appends the end of the access sequence of a state: so many inputs of it at most.
    fn push_way(&mut self, state: u32, len: u32) -> Result<(), Stop> {
        let from = self.lanes.len(self.m, self.lane);
        let (mut state, mut left) = (state, len);
        while let Some((before, input)) = self.walk.predecessor(self.m.read(), state) {
            if left == 0 {
                break;
            }
            self.push(input)?;
            (state, left) = (before, left - 1);
        }
        self.lanes.reverse(self.m, self.lane, from);
        Ok(())
    }

    /// Follows the word from a position on.
    fn follow_from(&mut self, from: u32) {
        for position in from..self.lanes.len(self.m, self.lane) {
            let input = self.lanes.input(self.m, self.lane, position);
            self.follow(input);
        }
    }

    /// Appends an input and follows it.
    fn go(&mut self, input: Input) -> Result<(), Stop> {
        self.push(input)?;
        self.follow(input);
        Ok(())
    }

    fn push(&mut self, input: Input) -> Result<(), Stop> {
        self.lanes.push(self.m, self.lane, input)
    }

    fn push_suffix(&mut self, suffix: Column) -> Result<(), Stop> {
        self.lanes.push_column(self.m, self.lane, suffix)
    }

    /// Moves [`Tuple::WORD`], which is where the word so far leads.
    fn follow(&mut self, input: Input) {
        // A defect is no matter here: the test will show it.
        let _ = self.walk.step(self.components, self.m, Tuple::WORD, input);
    }

    fn any_input(&self, rng: &mut Rng) -> Input {
        Input::new(rng.below(self.table.inputs))
    }

    /// The suffixes that a test can end with: those that no other begins with.
    fn suffixes(&self) -> impl Iterator<Item = Column> + '_ {
        self.table.columns.iter().filter(|&column| is_leaf(self.m, column))
    }

    /// Whether a suffix tells two states of a component apart.
    fn separates(&self, component: u32, state: u32, other: u32, suffix: Column) -> bool {
        self.after(component, state, other, suffix).is_none()
    }

    /// Where a suffix leads the other state of a component, unless it tells the two apart.
    fn after(&self, component: u32, state: u32, other: u32, suffix: Column) -> Option<u32> {
        let (mut state, mut other) = (state, other);
        for input in inputs(self.m, suffix) {
            let a = self.components.step(self.m.read(), component, state, input);
            let b = self.components.step(self.m.read(), component, other, input);
            if a.1 != b.1 {
                return None;
            }
            (state, other) = (a.0, b.0);
        }
        Some(other)
    }

    fn random_suffix(&self, rng: &mut Rng) -> Column {
        self.suffixes().nth(self.any_suffix(rng)).unwrap_or(Column::ROOT)
    }

    /// The place of a random one among the suffixes.
    fn any_suffix(&self, rng: &mut Rng) -> usize {
        let count = u32::try_from(self.suffixes().count()).unwrap_or(u32::MAX);
        rng.below(count) as usize
    }
}
