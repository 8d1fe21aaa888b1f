//! The types that messages and results encode. They are not those of the API: a change of the API
//! leaves the encoding as it is, or does not compile.
//!
//! Each has the name of its type of the API, and is written with its module (`types::Options`). Numbers
//! have a fixed width. `From` converts a type of the API into one of these; `TryFrom` converts back, and
//! fails for a kind of tests that this program does not know.
//!
//! Postcard encodes fields in their order, and a variant of an enum by its position. So a change of either
//! raises [`VERSION`](super::VERSION) and [`PROTOCOL`](super::message::PROTOCOL). A new kind of tests does
//! not: it gets a new number (see [`Tests`]), which older programs refuse.

use core::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::options::{Observations, Projections};
use crate::test_kind::{HAS_ALL, MIXTURE_KINDS};

/// This program does not know a kind of tests that it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Unknown {
    /// No kind of tests has this number.
    Tests {
        /// The number.
        kind: u32,
    },
    /// There are costs of a kind of tests that is not in this program's mixture.
    Mixed {
        /// The number of the kind.
        kind: u32,
    },
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tests { kind } => write!(f, "this program does not know tests of kind {kind}"),
            Self::Mixed { kind } => {
                write!(f, "this program has no tests of kind {kind} in its mixture")
            }
        }
    }
}

impl core::error::Error for Unknown {}

/// A number of bytes, at most `usize::MAX`: it may come from a machine with wider addresses.
fn saturated(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Stands for [`crate::Tests`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Tests {
    /// The number of the kind; the table is in `test_kind/names.rs`. It never gets another meaning.
    pub kind: u32,
    /// Extra states; 0 for a kind that has none.
    pub extra_states: u32,
}

impl From<crate::Tests> for Tests {
    fn from(tests: crate::Tests) -> Self {
        Self { kind: tests.number(), extra_states: tests.extra_states().unwrap_or(0) }
    }
}

impl TryFrom<Tests> for crate::Tests {
    type Error = Unknown;

    fn try_from(Tests { kind, extra_states }: Tests) -> Result<Self, Unknown> {
        Self::from_number(kind, extra_states).ok_or(Unknown::Tests { kind })
    }
}

/// Declares an enum that stands for one of the API, variant by variant.
macro_rules! same_variants {
    ($api:ident { $($variant:ident),+ $(,)? }) => {
        #[doc = concat!("Stands for [`crate::", stringify!($api), "`].")]
        #[expect(missing_docs, reason = "they are said there")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub enum $api { $($variant),+ }

        impl From<crate::$api> for $api {
            fn from(api: crate::$api) -> Self {
                match api { $(crate::$api::$variant => Self::$variant),+ }
            }
        }

        impl From<$api> for crate::$api {
            fn from(wire: $api) -> Self {
                match wire { $($api::$variant => Self::$variant),+ }
            }
        }
    };
}

/// Declares a struct that stands for one of the API, field by field.
macro_rules! same_fields {
    ($api:ident { $($field:ident: $type:ty),+ $(,)? }) => {
        #[doc = concat!("Stands for [`crate::", stringify!($api), "`].")]
        #[expect(missing_docs, reason = "they are said there")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub struct $api { $(pub $field: $type),+ }

        impl From<crate::$api> for $api {
            fn from(crate::$api { $($field),+ }: crate::$api) -> Self {
                Self { $($field),+ }
            }
        }

        impl From<$api> for crate::$api {
            fn from($api { $($field),+ }: $api) -> Self {
                Self { $($field),+ }
            }
        }
    };
}

// Variants are encoded by their place: a new one is the last.
same_variants! { Purpose { Learning, Testing } }
same_variants! {
    EndReason {
        TestsPassed, SuitePassed, SuiteCut, Equivalent, Untested, Rounds, Symbols, Resets, Stopped,
        Refuted,
    }
}
same_variants! { Resource { Outputs, Rows, Suffixes, Classes, Hypothesis, Words, Tests, Tree, States } }

same_fields! { Budget { rounds: u64, symbols: u64, resets: u64 } }
same_fields! { Costs { resets: u64, symbols: u64 } }
same_fields! { DefectCounts { none: u32, several: u32 } }

/// A learner and its projections: stands for [`crate::Observations`] and [`crate::Projections`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Algorithm {
    /// L*: a table, and the identity.
    LStar,
    /// OL*: a table, and a projection per output.
    OlStar,
    /// L#: a tree, and the identity.
    LSharp,
    /// OL#: a tree, and projections that are chosen while learning.
    OlSharp,
    /// OL# with a projection per output.
    OlSharpPerOutput,
    /// OL# with a projection per input.
    OlSharpPerInput,
    /// OL# with a projection per pair of an input and an output.
    OlSharpPerPair,
}

impl From<&crate::Options> for Algorithm {
    fn from(options: &crate::Options) -> Self {
        match (options.observations, options.projections) {
            (Observations::Table, Projections::Identity) => Self::LStar,
            (Observations::Table, _) => Self::OlStar,
            (Observations::Tree, Projections::Identity) => Self::LSharp,
            (Observations::Tree, Projections::PerOutput) => Self::OlSharpPerOutput,
            (Observations::Tree, Projections::PerInput) => Self::OlSharpPerInput,
            (Observations::Tree, Projections::PerPair) => Self::OlSharpPerPair,
            (Observations::Tree, _) => Self::OlSharp,
        }
    }
}

impl From<Algorithm> for (Observations, Projections) {
    fn from(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::LStar => (Observations::Table, Projections::Identity),
            Algorithm::OlStar => (Observations::Table, Projections::PerOutput),
            Algorithm::LSharp => (Observations::Tree, Projections::Identity),
            Algorithm::OlSharp => (Observations::Tree, Projections::Chosen),
            Algorithm::OlSharpPerOutput => (Observations::Tree, Projections::PerOutput),
            Algorithm::OlSharpPerInput => (Observations::Tree, Projections::PerInput),
            Algorithm::OlSharpPerPair => (Observations::Tree, Projections::PerPair),
        }
    }
}

/// Stands for [`crate::Options`].
#[expect(missing_docs, reason = "they are said there")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Options {
    pub algorithm: Algorithm,
    pub tests: Tests,
    pub seed: u64,
    pub passing_tests: u64,
    pub product_states: u32,
    pub shorten: bool,
    pub lanes: u32,
    pub budget: Budget,
}

impl From<&crate::Options> for Options {
    fn from(options: &crate::Options) -> Self {
        let crate::Options {
            observations: _,
            projections: _,
            tests,
            seed,
            passing_tests,
            product_states,
            shorten,
            lanes,
            budget,
        } = options;
        Self {
            algorithm: options.into(),
            tests: (*tests).into(),
            seed: *seed,
            passing_tests: *passing_tests,
            product_states: *product_states,
            shorten: *shorten,
            lanes: *lanes,
            budget: (*budget).into(),
        }
    }
}

impl TryFrom<&Options> for crate::Options {
    type Error = Unknown;

    fn try_from(options: &Options) -> Result<Self, Unknown> {
        let Options {
            algorithm,
            tests,
            seed,
            passing_tests,
            product_states,
            shorten,
            lanes,
            budget,
        } = options;
        let (observations, projections) = (*algorithm).into();
        Ok(Self {
            observations,
            projections,
            tests: (*tests).try_into()?,
            seed: *seed,
            passing_tests: *passing_tests,
            product_states: *product_states,
            shorten: *shorten,
            lanes: *lanes,
            budget: (*budget).into(),
        })
    }
}

/// Stands for [`crate::Progress`].
#[expect(missing_docs, reason = "they are said there")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Progress {
    pub purpose: Purpose,
    pub short_rows: u32,
    pub rows: u32,
    pub suffixes: u32,
    pub columns: u32,
    pub outputs: u32,
    pub components: u32,
    pub component_states: u32,
    pub rounds: u64,
    pub passing_tests: u64,
    pub defects: DefectCounts,
    pub learning: Costs,
    pub testing: Costs,
    pub tests: Mixed,
    pub found_by: Option<Tests>,
    pub learner_bytes: u64,
}

impl From<&crate::Progress> for Progress {
    // PERF: one copy in a program instead of one for each caller takes 240 bytes less of the learner's flash.
    #[inline(never)]
    fn from(progress: &crate::Progress) -> Self {
        let crate::Progress {
            purpose,
            short_rows,
            rows,
            suffixes,
            columns,
            outputs,
            components,
            component_states,
            // Not on the wire: boards learn with a table.
            #[cfg(feature = "tree")]
                tree: _,
            rounds,
            passing_tests,
            defects,
            learning,
            testing,
            tests,
            found_by,
            // Not on the wire: boards do not have the mixture.
            longest_streak: _,
            learner_bytes,
        } = progress;
        Self {
            purpose: (*purpose).into(),
            short_rows: *short_rows,
            rows: *rows,
            suffixes: *suffixes,
            columns: *columns,
            outputs: *outputs,
            components: *components,
            component_states: *component_states,
            rounds: *rounds,
            passing_tests: *passing_tests,
            defects: (*defects).into(),
            learning: (*learning).into(),
            testing: (*testing).into(),
            tests: Mixed::new(tests),
            found_by: found_by.map(Into::into),
            learner_bytes: *learner_bytes as u64,
        }
    }
}

impl TryFrom<&Progress> for crate::Progress {
    type Error = Unknown;

    fn try_from(progress: &Progress) -> Result<Self, Unknown> {
        let Progress {
            purpose,
            short_rows,
            rows,
            suffixes,
            columns,
            outputs,
            components,
            component_states,
            rounds,
            passing_tests,
            defects,
            learning,
            testing,
            tests,
            found_by,
            learner_bytes,
        } = progress;
        Ok(Self {
            purpose: (*purpose).into(),
            short_rows: *short_rows,
            rows: *rows,
            suffixes: *suffixes,
            columns: *columns,
            outputs: *outputs,
            components: *components,
            component_states: *component_states,
            #[cfg(feature = "tree")]
            tree: None,
            rounds: *rounds,
            passing_tests: *passing_tests,
            defects: (*defects).into(),
            learning: (*learning).into(),
            testing: (*testing).into(),
            tests: tests.spent()?,
            found_by: found_by.map(TryInto::try_into).transpose()?,
            longest_streak: 0,
            learner_bytes: saturated(*learner_bytes),
        })
    }
}

/// Stands for [`crate::KindCosts`] of a kind of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct KindCosts {
    /// The number of the kind, as in [`Tests`].
    pub kind: u32,
    /// Symbols of its tests that were asked.
    pub symbols: u64,
    /// Counterexamples that it found.
    pub found: u32,
}

/// What the kinds of tests in the mixture have cost and found: a list of the kinds that asked anything,
/// at most [`CAPACITY`](Self::CAPACITY) of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Mixed {
    /// From `len` on all are zero.
    kinds: [KindCosts; Self::CAPACITY],
    len: u32,
}

// All kinds have room.
const _: () = assert!(MIXTURE_KINDS.len() <= Mixed::CAPACITY);

impl Mixed {
    /// The most kinds: a [`Message::Progress`](super::message::Message::Progress) with six of them fits into
    /// a frame, however large its numbers are.
    pub const CAPACITY: usize = 6;

    fn new(spent: &[crate::KindCosts; MIXTURE_KINDS.len()]) -> Self {
        let mut mixed = Self::default();
        if !HAS_ALL {
            return mixed;
        }
        for (&kind, &crate::KindCosts { symbols, found }) in MIXTURE_KINDS.iter().zip(spent) {
            if symbols > 0 || found > 0 {
                mixed.push(KindCosts { kind: kind.number(), symbols, found });
            }
        }
        mixed
    }

    /// Appends to the list; `false` if it is full.
    pub fn push(&mut self, spent: KindCosts) -> bool {
        let place = self.kinds.get_mut(self.len as usize);
        let has_room = place.is_some();
        if let Some(place) = place {
            *place = spent;
            self.len = self.len.saturating_add(1);
        }
        has_room
    }

    /// The kinds that asked anything.
    pub fn iter(&self) -> impl Iterator<Item = KindCosts> + '_ {
        self.kinds.iter().copied().take(self.len as usize)
    }

    /// The costs of each of [`MIXTURE_KINDS`].
    fn spent(&self) -> Result<[crate::KindCosts; MIXTURE_KINDS.len()], Unknown> {
        let mut all = [crate::KindCosts::default(); MIXTURE_KINDS.len()];
        for KindCosts { kind, symbols, found } in self.iter() {
            let place =
                MIXTURE_KINDS.iter().zip(&mut all).find(|(mixed, _)| mixed.number() == kind);
            let (_, place) = place.ok_or(Unknown::Mixed { kind })?;
            *place = crate::KindCosts { symbols, found };
        }
        Ok(all)
    }
}

impl Serialize for Mixed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // PERF: without the mixture no session of this program has any, and the code is left out.
        let len = if HAS_ALL { self.len as usize } else { 0 };
        let mut list = serializer.serialize_seq(Some(len))?;
        for spent in self.kinds.iter().take(len) {
            list.serialize_element(spent)?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Mixed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;

        impl<'de> Visitor<'de> for List {
            type Value = Mixed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "at most {} kinds of tests", Mixed::CAPACITY)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Mixed, A::Error> {
                let mut mixed = Mixed::default();
                while let Some(spent) = list.next_element()? {
                    if !mixed.push(spent) {
                        return Err(A::Error::invalid_length(Mixed::CAPACITY + 1, &self));
                    }
                }
                Ok(mixed)
            }
        }

        deserializer.deserialize_seq(List)
    }
}

/// Stands for [`crate::Summary`].
#[expect(missing_docs, reason = "they are said there")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Summary {
    pub options: Options,
    pub end: Option<EndReason>,
    pub is_refuted: bool,
    pub progress: Progress,
}

impl From<&crate::Summary> for Summary {
    fn from(summary: &crate::Summary) -> Self {
        let crate::Summary { options, end, is_refuted, progress } = summary;
        Self {
            options: options.into(),
            end: end.map(Into::into),
            is_refuted: *is_refuted,
            progress: progress.into(),
        }
    }
}

impl TryFrom<&Summary> for crate::Summary {
    type Error = Unknown;

    fn try_from(summary: &Summary) -> Result<Self, Unknown> {
        let Summary { options, end, is_refuted, progress } = summary;
        Ok(Self {
            options: options.try_into()?,
            end: end.map(Into::into),
            is_refuted: *is_refuted,
            progress: progress.try_into()?,
        })
    }
}

/// Stands for [`crate::CapacityError`].
#[expect(missing_docs, reason = "they are said there")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CapacityError {
    pub what: Resource,
    pub capacity: u64,
    pub needed: u64,
}

impl From<crate::CapacityError> for CapacityError {
    fn from(error: crate::CapacityError) -> Self {
        let crate::CapacityError { what, capacity, needed } = error;
        Self { what: what.into(), capacity: capacity as u64, needed: needed as u64 }
    }
}

impl From<CapacityError> for crate::CapacityError {
    fn from(error: CapacityError) -> Self {
        let CapacityError { what, capacity, needed } = error;
        Self { what: what.into(), capacity: saturated(capacity), needed: saturated(needed) }
    }
}

/// Stands for [`crate::Contradiction`].
#[expect(missing_docs, reason = "they are said there")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Contradiction {
    pub lane: u32,
    pub word_len: u32,
    pub position: u32,
    pub before: u32,
    pub now: u32,
}

impl From<crate::Contradiction> for Contradiction {
    fn from(contradiction: crate::Contradiction) -> Self {
        let crate::Contradiction { lane, word_len, position, before, now } = contradiction;
        Self { lane, word_len, position, before: before.index(), now: now.index() }
    }
}

impl From<Contradiction> for crate::Contradiction {
    fn from(contradiction: Contradiction) -> Self {
        let Contradiction { lane, word_len, position, before, now } = contradiction;
        let [before, now] = [before, now].map(crate::Output::new);
        Self { lane, word_len, position, before, now }
    }
}
