//! Input and output symbols, as small numbers.
//!
//! An input is an index into the input alphabet, which is known from the start. An output is an
//! index into the outputs *in the order in which they first appeared* in the answers that the
//! learner took in: the output alphabet is discovered while learning.

/// An input symbol: an index into the input alphabet, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(transparent)]
pub struct Input(u32);

/// An output symbol: an index into the outputs, from 0, in the order in which the learner took them in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(transparent)]
pub struct Output(u32);

impl Input {
    /// The input with this index.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// Its index.
    pub const fn index(self) -> u32 {
        self.0
    }
}

impl Output {
    /// The output with this index.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// Its index.
    pub const fn index(self) -> u32 {
        self.0
    }
}
