//! What can go wrong, in families that are never mixed.
//!
//! The families themselves, [`SessionError`], are all that there will be: a caller decides for each. What is in
//! a family may become more.

use core::error::Error;
use core::fmt;

use crate::alphabet::Output;

/// What a learner ran out of room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Resource {
    /// The names of the outputs.
    Outputs,
    /// Rows of the observation table.
    Rows,
    /// Suffixes of the observation table.
    Suffixes,
    /// The classes of equal rows, one for each state of a component.
    Classes,
    /// The components of the hypothesis.
    Hypothesis,
    /// Words in flight and counterexamples.
    Words,
    /// The states from which tests start.
    Tests,
    /// The observation tree.
    Tree,
    /// The bases of the components, with the transitions of their states.
    States,
}

/// The memory of a session is full.
///
/// Nothing was lost. [Move the session](crate::Session::move_into) into larger memory and repeat the
/// call, or stop with the last hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct CapacityError {
    /// What there was no room for.
    pub what: Resource,
    /// The size of the memory, in bytes.
    pub capacity: usize,
    /// The size that this step needs, in bytes. A later step may need more.
    pub needed: usize,
}

/// The device gave another output than before to the same word.
///
/// The word is the one in flight on the lane of the call: see [`Session::word`](crate::Session::word).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Contradiction {
    /// The lane whose word shows the contradiction.
    pub lane: u32,
    /// The length of that word, in symbols.
    pub word_len: u32,
    /// The symbol whose output differs, counted from 0.
    pub position: u32,
    /// The output that it had before.
    pub before: Output,
    /// The output that it has now.
    pub now: Output,
}

/// Why a session cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SessionError {
    /// The memory is full; more memory helps.
    Capacity(CapacityError),
    /// The device contradicted itself; only asking again can tell which answer is right.
    Contradiction(Contradiction),
    /// The caller made a mistake; the session is as it was.
    Misuse(Misuse),
}

/// What a caller can do wrong; the session is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Misuse {
    /// There are not that many lanes.
    NoSuchLane {
        /// The lane asked for.
        lane: u32,
        /// How many there are.
        lanes: u32,
    },
    /// An input of a counterexample is not in the alphabet.
    NoSuchInput {
        /// The input given.
        input: u32,
        /// How many there are.
        inputs: u32,
    },
    /// The reply does not fit the action before it.
    UnexpectedReply,
    /// [`declare_group`](crate::Session::declare_group) was called after the first answer was taken in.
    TooLate,
    /// No lanes or inputs, or more lanes, inputs, outputs or groups than this crate counts.
    TooMany,
    /// The tests need the feature `mixture`.
    UnsupportedTests,
    /// The learner cannot learn with these projections: one with a table learns with the identity, and per
    /// output.
    UnsupportedProjections,
    /// A session without a learner of the caller has an observation table, not a tree.
    UnsupportedObservations,
    /// A known model has a transition without an output, or a state or an output whose number is too
    /// large.
    InvalidModel,
}

/// The session cannot go on. The reason is stored in the memory's `Layout::refused`. A zero-sized
/// error keeps `Result<_, Refused>` at one byte, which saves flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused;

impl From<Misuse> for SessionError {
    fn from(misuse: Misuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Outputs => "outputs",
            Self::Rows => "rows",
            Self::Suffixes => "suffixes",
            Self::Classes => "classes of rows",
            Self::Hypothesis => "the hypothesis",
            Self::Words => "words",
            Self::Tests => "tests",
            Self::Tree => "the observation tree",
            Self::States => "states",
        })
    }
}

impl fmt::Display for CapacityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, capacity, needed } = self;
        write!(f, "no room for {what}: {needed} bytes are needed, {capacity} are there")
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lane, word_len, position, before, now } = self;
        write!(
            f,
            "the device contradicts itself: symbol {position} of the word of {word_len} symbols on lane {lane} \
             had output {} before and has output {} now",
            before.index(),
            now.index()
        )
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchLane { lane, lanes } => write!(f, "there is no lane {lane}, only {lanes}"),
            Self::NoSuchInput { input, inputs } => {
                write!(f, "there is no input {input}, only {inputs}")
            }
            Self::UnexpectedReply => f.write_str("the reply does not fit the action before it"),
            Self::TooLate => f.write_str("groups of outputs are declared before the first word"),
            Self::UnsupportedTests => {
                f.write_str("there are no such tests without the feature `mixture`")
            }
            Self::UnsupportedProjections => f.write_str(
                "a learner with a table learns with the identity or per output, with nothing else",
            ),
            Self::UnsupportedObservations => f.write_str(
                "a session that is made without a learner has an observation table, not a tree",
            ),
            Self::InvalidModel => f.write_str(
                "the model has a transition to a state or with an output that is not there",
            ),
            Self::TooMany => f.write_str("too many lanes, inputs, outputs or groups, or none"),
        }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capacity(_) => f.write_str("the memory is full"),
            Self::Contradiction(_) => f.write_str("the device contradicted itself"),
            Self::Misuse(_) => f.write_str("the session cannot take this call"),
        }
    }
}

impl Error for CapacityError {}
impl Error for Contradiction {}
impl Error for Misuse {}

impl Error for SessionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(match self {
            Self::Capacity(error) => error,
            Self::Contradiction(error) => error,
            Self::Misuse(error) => error,
        })
    }
}
