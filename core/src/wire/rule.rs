//! How a target talks to a device that is attached to it by a serial line: what a host makes of a
//! device file, small enough for a microcontroller.
//!
//! All bytes, of whatever is sent, named or recognised, are in one *text*, which comes first, in
//! pieces; the other rules say where in it. A pattern becomes an [automaton](#automata) on the host,
//! so a target needs no regular expressions. Times are in milliseconds.
//!
//! # Automata
//!
//! ```text
//! state:  flags and count (1 byte)  other (2 bytes)  { low (1)  high (1)  next (2) } × count
//! ```
//!
//! An automaton is a list of states, the first of which it starts in. A state is known by where its
//! first byte stands in the automaton. If the highest bit of its first byte is set, what came so far
//! is accepted; the other bits are the number of ranges that follow. A byte from `low` to `high` leads
//! to `next`, one that is in no range to `other`. Both have their low byte first, and [`DEAD`] is
//! where no way leads to acceptance any more. The ranges are few, as most bytes lead to one state.

use serde::{Deserialize, Serialize};

use super::message::{MAX_PART, PROTOCOL};

/// How many bytes of text a target has room for.
pub const MAX_TEXT: usize = 2048;

/// How many inputs.
pub const MAX_INPUTS: usize = 64;

/// How many steps, of all inputs and resets together.
pub const MAX_STEPS: usize = 96;

/// How many ways to reset the device.
pub const MAX_RESETS: usize = 4;

/// How many ways in which a reply ends.
pub const MAX_REPLIES: usize = 6;

/// How many patterns of what does not count.
pub const MAX_STRIPS: usize = 4;

/// How many bytes a reply may have.
pub const MAX_REPLY: usize = 256;

/// The most bytes of a rule: of a piece of the text, and what says so.
pub const MAX_RULE: usize = MAX_PART + 3;

/// The state of an automaton that accepts nothing any more.
pub const DEAD: u16 = u16::MAX;

/// The flag of a state in which what came so far is accepted.
pub const ACCEPTS: u8 = 0x80;

/// What a file of rules begins with: what it is, and its version, [`PROTOCOL`].
const MAGIC: [u8; 10] = [b'M', b'e', b'a', b'l', b'y', b'r', b'u', b'l', b'e', PROTOCOL];

/// A file of rules, as `mealybug compile` writes it for a program that knows its device: a
/// beginning of its own, and the rules as postcard, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct RuleFile<'a> {
    rest: &'a [u8],
}

impl<'a> RuleFile<'a> {
    /// The rules in a file; `None` if it is none of this version.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        bytes.strip_prefix(&MAGIC).map(|rest| Self { rest })
    }

    /// Writes a file to `sink`, a few bytes at a time.
    ///
    /// # Errors
    /// The first error of `sink`.
    pub fn write<'r, E>(
        rules: impl Iterator<Item = Rule<'r>>,
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        sink(&MAGIC)?;
        for rule in rules {
            sink(rule.encode(&mut [0; MAX_RULE]))?;
        }
        Ok(())
    }
}

impl<'a> Iterator for RuleFile<'a> {
    /// A rule; `None` where the file is damaged.
    type Item = Option<Rule<'a>>;

    fn next(&mut self) -> Option<Option<Rule<'a>>> {
        if self.rest.is_empty() {
            return None;
        }
        let (rule, rest) = postcard::take_from_bytes(self.rest).ok().unzip();
        self.rest = rest.unwrap_or_default();
        Some(rule)
    }
}

/// A rule. The next one of a kind has the next number, from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule<'a> {
    /// More of the text: at most [`MAX_PART`] bytes.
    Text(&'a [u8]),
    /// Bytes that do not count, wherever they come.
    Skip(Span),
    /// The next automaton of what does not count, tried at each place of what the one before has
    /// left; the longest that it accepts is removed.
    Strip(Span),
    /// The next way in which a reply ends.
    Reply(ReplyRule),
    /// The next way to reset the device. Its steps follow.
    Reset(ResetRule),
    /// The next input. Its steps follow.
    Input {
        /// Its name.
        name: Span,
        /// How the reply to its last step ends.
        reply: u8,
    },
    /// The next step of the reset or input before.
    Step(Step),
}

impl<'a> Rule<'a> {
    /// The bytes of a rule; none if its text is too long.
    pub fn encode<'b>(&self, room: &'b mut [u8; MAX_RULE]) -> &'b [u8] {
        postcard::to_slice(self, room).map_or(&[], |bytes| bytes)
    }

    /// The rule of these bytes, if they are one.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        match postcard::take_from_bytes(bytes) {
            Ok((rule, [])) => Some(rule),
            _ => None,
        }
    }
}

/// Bytes of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Where they begin.
    pub start: u16,
    /// How many they are; none where nothing is meant.
    pub len: u16,
}

/// How a reply ends: whichever of the ends comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyRule {
    /// When this automaton accepts what came…
    pub ends: Span,
    /// …and nothing more comes for so long.
    pub grace_ms: u32,
    /// When this automaton accepts what came, at once.
    pub line: Span,
    /// After so many line feeds; never if 0.
    pub lines: u32,
    /// After so many bytes.
    pub length: Option<Length>,
    /// After so much silence.
    pub quiet_ms: u32,
    /// The patience for the first byte.
    pub within_ms: u32,
    /// How long it may take.
    pub max_ms: u32,
    /// How many bytes it may have.
    pub max_bytes: u32,
    /// How long nothing may follow it.
    pub settle_ms: u32,
    /// Whether what comes between its end and the next input means nothing.
    pub drops_late: bool,
    /// The output when nothing came.
    pub silent: Span,
}

/// How many bytes a reply has: a number in it, and so many more. A number of no bytes is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Length {
    /// The first byte of the number.
    pub at: u16,
    /// How many bytes the number has.
    pub size: u8,
    /// Whether its low byte comes first.
    pub is_little_endian: bool,
    /// How many bytes the reply has that the number does not count.
    pub plus: u32,
}

/// How the end of a reset is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResetRule {
    /// This automaton accepts what came since something was sent; nothing is expected if empty.
    pub expect: Span,
    /// The patience for it.
    pub within_ms: u32,
    /// The silence that must follow.
    pub quiet_ms: u32,
    /// How often it is tried before the next one.
    pub tries: u32,
}

/// What is done to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Bytes are sent.
    Send(Span),
    /// What was sent is repeated by the device, and that is no part of the next reply.
    Echo {
        /// What is repeated, without its line end.
        text: Span,
        /// Whether a line end follows, in the device's own way.
        has_line_end: bool,
    },
    /// Time passes.
    Wait {
        /// How much.
        ms: u32,
    },
    /// The last step of an input: what comes in that time is the reply.
    Listen {
        /// How long.
        ms: u32,
    },
    /// In a reset: what came since something was sent must be accepted.
    Expect {
        /// By this automaton.
        by: Span,
        /// The patience for it.
        within_ms: u32,
    },
    /// In an input: a reply that is not accepted is its output, and no steps follow.
    Hear {
        /// By this automaton.
        by: Span,
        /// How the reply ends.
        reply: u8,
    },
}
