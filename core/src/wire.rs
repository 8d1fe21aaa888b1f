//! The result of a run, as bytes: streamed component by component, with no buffer of its size.
//!
//! ```text
//! "MEALYBUG"  version (1 byte)  record…  End
//! ```
//!
//! A [`Record`] is encoded with postcard. Postcard's encoding shows where a value ends (the postcard
//! book, *wire format*), so records follow each other without lengths: [`types::Summary`], the inputs,
//! the outputs, and then each component with its transitions, state by state and input by input. A
//! transition is one of three records, by what is [known](crate::Knowledge) about it. `End` holds the
//! CRC-32/ISO-HDLC of all bytes before it. The product is not stored: it follows from the components, and can
//! be far larger.
//!
//! ```
//! use mealybug_core::wire::{self, Reader, Record};
//! use mealybug_core::{Options, Session, learn, sul};
//!
//! let mut session = Session::new([0; 1024], 1, Options::default())?;
//! learn(&mut session, &mut sul::from_fn(|_| "pong"))?;
//!
//! let mut bytes = Vec::new();
//! wire::write(&session.summary(), [&b"ping"[..]].into_iter(), session.hypothesis(), |piece| {
//!     bytes.extend_from_slice(piece);
//!     Ok::<(), std::io::Error>(())
//! })?;
//!
//! let records = Reader::new(&bytes)?.collect::<Result<Vec<_>, _>>()?;
//! assert!(records.contains(&Record::Input(b"ping")));
//! assert!(records.contains(&Record::Component { states: 1, initial: 0 }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A change of the encoding raises [`VERSION`].
//!
//! [`types`] holds the types that are encoded in results and messages; those of the API are not. Results
//! and messages travel between a host and a learner on a microcontroller as told in [`message`] and
//! [`frame`]. How this learner talks to its device is in [`rule`], or how it probes it in [`probe`]. How words travel to an agent on a
//! microcontroller is in [`words`]. Why a learner's program ended before it started anew is in [`crash`].

pub mod crash;
pub mod frame;
#[cfg(all(test, feature = "mixture"))]
mod golden;
pub mod line;
pub mod message;
pub mod probe;
pub mod rule;
mod sink;
pub mod types;
pub mod words;

use core::fmt;

use crc::{CRC_32_ISO_HDLC, Crc, Digest, NoTable};
use serde::{Deserialize, Serialize};

use self::sink::Sink;
use crate::progress::Summary;
use crate::{Hypothesis, Input, Knowledge, Mealy};

/// The first bytes of every result.
pub const MAGIC: &[u8; 8] = b"MEALYBUG";

/// The version of the encoding: the byte after [`MAGIC`].
pub const VERSION: u8 = 2;

// Without a table, which would be larger than the rest; results are small.
static CRC: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);

/// A part of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "one is read at a time, and there is no allocator")]
pub enum Record<'a> {
    /// Options and costs of the run; the first record.
    Summary(types::Summary),
    /// The name of the next input.
    Input(&'a [u8]),
    /// The next output.
    Output {
        /// Its bytes.
        name: &'a [u8],
        /// The component whose group it is in, counted from 0; 0 if components do not divide the outputs.
        component: u32,
    },
    /// The next component. Its `states` times inputs transitions follow.
    Component {
        /// Number of states: they are `0..states`.
        states: u32,
        /// Its initial state.
        initial: u32,
    },
    /// The next transition, state by state and input by input. It is confirmed.
    Transition {
        /// The state after it.
        next: u32,
        /// The index of its output; `None` if the output is in the group of another component.
        output: Option<u32>,
    },
    /// The end: the last record.
    End {
        /// CRC-32/ISO-HDLC of all bytes before this record.
        crc: u32,
    },
    // Variants are encoded by their place: a new one is the last.
    /// The next transition, which is open: it was asked, but where it leads is a guess.
    OpenTransition {
        /// The state after it, as far as is known.
        next: u32,
        /// As in [`Transition`](Self::Transition).
        output: Option<u32>,
    },
    /// The next transition, which was never asked.
    UnknownTransition,
    /// What a host calls the output before it, whose bytes are the reply of a device. A target writes none: names
    /// are a matter of its host.
    OutputName(&'a [u8]),
}

/// A [`Record`] of a result whose transitions are all confirmed, encoded as that is.
// PERF: a learner that confirms every transition has no code for the other records, 64 bytes of its flash.
#[derive(Serialize)]
#[expect(clippy::large_enum_variant, reason = "as of `Record`")]
enum Written<'a> {
    Summary(types::Summary),
    Input(&'a [u8]),
    Output { name: &'a [u8], component: u32 },
    Component { states: u32, initial: u32 },
    Transition { next: u32, output: Option<u32> },
    End { crc: u32 },
}

/// Writes a result to `sink`, a few bytes at a time. `inputs` are the names of the inputs.
///
/// # Errors
/// The first error of `sink`, which is not called again.
pub fn write<'n, E>(
    summary: &Summary,
    inputs: impl Iterator<Item = &'n [u8]>,
    hypothesis: Option<Hypothesis<'_>>,
    sink: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut writer = Writer::new(sink);
    writer.record(&Written::Summary(summary.into()));
    inputs.for_each(|name| writer.record(&Written::Input(name)));
    if let Some(hypothesis) = hypothesis {
        for output in (0..hypothesis.outputs()).map(crate::Output::new) {
            let component = hypothesis.component_of(output).unwrap_or_default();
            let name = hypothesis.output_name(output);
            writer.record(&Written::Output { name, component });
        }
        for component in hypothesis.components() {
            let (states, initial) = (component.states(), component.initial());
            writer.record(&Written::Component { states, initial });
            for state in 0..states {
                for input in (0..hypothesis.inputs()).map(Input::new) {
                    let mut next = state;
                    let output = component.step(&mut next, input).map(crate::Output::index);
                    match component.knowledge(state, input) {
                        Knowledge::Confirmed => {
                            writer.record(&Written::Transition { next, output });
                        }
                        Knowledge::Open => {
                            writer.record(&Record::OpenTransition { next, output });
                        }
                        Knowledge::Unknown => writer.record(&Record::UnknownTransition),
                    }
                }
            }
        }
    }
    writer.end()
}

/// Writes a result of these records to `sink`. An [`End`](Record::End) among them is left out, and one with the
/// checksum of the others ends the result.
///
/// # Errors
/// The first error of `sink`, which is not called again.
pub fn write_records<'r, E>(
    records: impl Iterator<Item = Record<'r>>,
    sink: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut writer = Writer::new(sink);
    records
        .filter(|record| !matches!(record, Record::End { .. }))
        .for_each(|record| writer.record(&record));
    writer.end()
}

/// Encodes records into a sink and sums them up.
struct Writer<S, E> {
    sink: S,
    digest: Digest<'static, u32, NoTable>,
    error: Option<E>,
}

impl<E, S: FnMut(&[u8]) -> Result<(), E>> Writer<S, E> {
    /// Writes what every result begins with.
    fn new(sink: S) -> Self {
        let mut writer = Self { sink, digest: CRC.digest(), error: None };
        writer.bytes(MAGIC);
        writer.bytes(&[VERSION]);
        writer
    }

    /// Writes the last record.
    fn end(mut self) -> Result<(), E> {
        let crc = self.digest.clone().finalize();
        self.record(&Written::End { crc });
        self.error.map_or(Ok(()), Err)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.error.is_none() {
            self.digest.update(bytes);
            self.error = (self.sink)(bytes).err();
        }
    }

    fn record(&mut self, record: &impl Serialize) {
        // A record can always be encoded, and an error of the sink is kept.
        let _ = sink::encode(record, self);
    }
}

impl<E, S: FnMut(&[u8]) -> Result<(), E>> Sink for Writer<S, E> {
    fn take(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
    }
}

/// Why bytes are not a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum WireError {
    /// They do not begin with [`MAGIC`].
    NotAResult,
    /// They have another version than [`VERSION`].
    Version {
        /// The version found.
        found: u8,
    },
    /// They end before the result does.
    CutShort {
        /// Number of bytes.
        len: usize,
    },
    /// The bytes where a record should be are not one.
    Malformed {
        /// Where, in bytes from the start.
        at: usize,
    },
    /// The checksum is wrong: a byte was changed.
    Checksum {
        /// The checksum of the bytes.
        computed: u32,
        /// The checksum in the result.
        stored: u32,
    },
    /// Bytes follow the end.
    Trailing {
        /// Where, in bytes from the start.
        at: usize,
    },
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAResult => f.write_str("not a result of Mealybug"),
            Self::Version { found } => {
                write!(f, "the result has version {found}; this program reads version {VERSION}")
            }
            Self::CutShort { len } => write!(f, "the result ends too early, after {len} bytes"),
            Self::Malformed { at } => write!(f, "the result is damaged at byte {at}"),
            Self::Checksum { computed, stored } => write!(
                f,
                "the result is damaged: its checksum is {computed:08x}, it should be {stored:08x}"
            ),
            Self::Trailing { at } => write!(f, "something follows the result, from byte {at} on"),
        }
    }
}

impl core::error::Error for WireError {}

/// Reads a result, record by record. The last item is [`Record::End`] or an error.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    ended: bool,
}

impl<'a> Reader<'a> {
    /// Reads `bytes`, one whole result.
    ///
    /// # Errors
    /// They do not begin with [`MAGIC`] and [`VERSION`].
    pub fn new(bytes: &'a [u8]) -> Result<Self, WireError> {
        let version = match bytes.strip_prefix(MAGIC) {
            Some(rest) => rest.first().copied(),
            None if MAGIC.starts_with(bytes) => None,
            None => return Err(WireError::NotAResult),
        };
        match version {
            Some(VERSION) => Ok(Self { bytes, at: MAGIC.len() + 1, ended: false }),
            Some(found) => Err(WireError::Version { found }),
            None => Err(WireError::CutShort { len: bytes.len() }),
        }
    }

    fn record(&mut self) -> Result<Record<'a>, WireError> {
        let at = self.at;
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let (record, rest) = postcard::take_from_bytes(rest).map_err(|error| match error {
            postcard::Error::DeserializeUnexpectedEnd => {
                WireError::CutShort { len: self.bytes.len() }
            }
            _ => WireError::Malformed { at },
        })?;
        self.at = self.bytes.len().saturating_sub(rest.len());
        if let Record::End { crc: stored } = record {
            let computed = CRC.checksum(self.bytes.get(..at).unwrap_or(&[]));
            if computed != stored {
                return Err(WireError::Checksum { computed, stored });
            }
            if !rest.is_empty() {
                return Err(WireError::Trailing { at: self.at });
            }
        }
        Ok(record)
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Record<'a>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let record = self.record();
        self.ended = matches!(record, Err(_) | Ok(Record::End { .. }));
        Some(record)
    }
}
