//! How a target talks to a device on a serial line. A host makes these rules from a device file; they
//! are small enough for a microcontroller.
//!
//! One *text* holds all bytes: those that are sent, names, and automata. Rules with pieces of the text
//! come first; the other rules refer to it by [`Span`]s. The host compiles each pattern to an
//! [automaton](#automata), so a target needs no regular expressions. Times are in milliseconds.
//!
//! # Automata
//!
//! ```text
//! state:  flags and count (1 byte)  other (2 bytes)  { low (1)  high (1)  next (2) } × count
//! ```
//!
//! An automaton is a list of states and starts in the first. The number of a state is the position of its
//! first byte in the automaton. The highest bit of this byte ([`ACCEPTS`]) says that the bytes so far are
//! accepted; the other bits are the number of ranges that follow. A byte in `low..=high` leads to `next`, a
//! byte in no range to `other`. Both are little-endian. [`DEAD`] is the state from which nothing is
//! accepted any more. There are few ranges, because most bytes lead to the same state.

use serde::{Deserialize, Serialize};

use super::CRC;
use super::line::LineSettings;
use super::message::{MAX_PART, PROTOCOL};
use super::probe::MAX_PROBE_RULE;

/// The most bytes of text.
pub const MAX_TEXT: usize = 2048;

/// The most inputs.
pub const MAX_INPUTS: usize = 64;

/// The most steps, of all inputs and resets together.
pub const MAX_STEPS: usize = 96;

/// The most ways to reset the device.
pub const MAX_RESETS: usize = 4;

/// The most ways in which a reply ends.
pub const MAX_REPLIES: usize = 6;

/// The most patterns of bytes that are removed from replies.
pub const MAX_STRIPS: usize = 4;

/// The most bytes of a reply.
pub const MAX_REPLY: usize = 256;

/// The most bytes of a rule: a piece of the text, with its variant and length.
pub const MAX_RULE: usize = MAX_PART + 3;

// A rule for a probe has room in it.
const _: () = assert!(MAX_PROBE_RULE <= MAX_PART);

/// The state of an automaton from which nothing is accepted any more.
pub const DEAD: u16 = u16::MAX;

/// The flag of a state in which the bytes so far are accepted.
pub const ACCEPTS: u8 = 0x80;

/// The first bytes of a file of rules; the last of them is its version, [`PROTOCOL`].
const MAGIC: [u8; 10] = [b'M', b'e', b'a', b'l', b'y', b'r', b'u', b'l', b'e', PROTOCOL];

/// A file of rules, as `mealybug compile` writes it for a program with a built-in device: a magic number
/// and a version, and the rules as postcard, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct RuleFile<'a> {
    rest: &'a [u8],
}

impl<'a> RuleFile<'a> {
    /// The rules in a file; `None` if it is not a file of rules of this version.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        bytes.strip_prefix(&MAGIC).map(|rest| Self { rest })
    }

    /// Writes a file to `sink`, a few bytes at a time. A rule whose text is longer than [`MAX_PART`] is left out.
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

/// A rule. Rules of a kind are numbered from 0 in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule<'a> {
    /// More of the text: at most [`MAX_PART`] bytes.
    Text(&'a [u8]),
    /// Bytes that are removed wherever they come.
    Skip(Span),
    /// The next automaton of bytes that are removed from a reply. It is tried at each position of what the
    /// automaton before it has left, and the longest match is removed.
    Strip(Span),
    /// The next way in which a reply ends.
    Reply(ReplyRule),
    /// The next way to reset the device. Its steps follow.
    Reset(ResetRule),
    /// The next input. Its steps follow.
    Input {
        /// Its name.
        name: Span,
        /// The number of the [`ReplyRule`] for its last step.
        reply: u8,
    },
    /// The next step of the last reset or input.
    Step(Step),
    // Variants are encoded by their place: a new one is the last.
    /// The settings of the line to the device. A host sends them first.
    Line(LineSettings),
    /// A framing error, a parity error, or a break in a reply is the output; otherwise it is an error.
    ShowLineErrors,
    /// The next rule of a device that is probed: [`ProbeRule::encode`](super::probe::ProbeRule::encode). They
    /// are bytes so that a program without probes has no code that decodes them.
    Probe(&'a [u8]),
}

impl<'a> Rule<'a> {
    /// The bytes of a rule; no bytes if its text is longer than [`MAX_PART`].
    pub fn encode<'b>(&self, room: &'b mut [u8; MAX_RULE]) -> &'b [u8] {
        postcard::to_slice(self, room).map_or(&[], |bytes| bytes)
    }

    /// The digest of the rules up to this one; `before` is that of the rules before it, and 0 for the first. A host
    /// that comes back knows by it whether a target uses the rules of a device file.
    #[must_use]
    pub fn digest(&self, before: u32) -> u32 {
        let mut digest = CRC.digest_with_initial(before);
        digest.update(self.encode(&mut [0; MAX_RULE]));
        digest.finalize()
    }

    /// The rule with these bytes; `None` if they are not one.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        match postcard::take_from_bytes(bytes) {
            Ok((rule, [])) => Some(rule),
            _ => None,
        }
    }
}

/// A range of bytes of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The position of the first byte.
    pub start: u16,
    /// The number of bytes; 0 where a rule has no such bytes.
    pub len: u16,
}

/// How a reply ends: at the first of these ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyRule {
    /// When this automaton accepts the bytes so far…
    pub ends: Span,
    /// …and no byte follows for this time.
    pub grace_ms: u32,
    /// When this automaton accepts the bytes so far, at once.
    pub line: Span,
    /// After this many line feeds; never if 0.
    pub lines: u32,
    /// After as many bytes as this says.
    pub length: Option<Length>,
    /// After this time without a byte.
    pub quiet_ms: u32,
    /// How long to wait for the first byte.
    pub within_ms: u32,
    /// The longest time that it may take.
    pub max_ms: u32,
    /// The most bytes that it may have.
    pub max_bytes: u32,
    /// How long to watch, after its end, that no byte follows.
    pub settle_ms: u32,
    /// Whether bytes between its end and the next input are dropped; otherwise they are an error.
    pub drops_late: bool,
    /// The output if no byte came.
    pub silent: Span,
}

/// How many bytes a reply has: the value of a number in it, plus a constant. A number of size 0 is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Length {
    /// The position of the number's first byte in the reply.
    pub at: u16,
    /// The size of the number, in bytes.
    pub size: u8,
    /// Whether its low byte comes first.
    pub is_little_endian: bool,
    /// The bytes of the reply that the number does not count.
    pub plus: u32,
}

/// How a target knows that a reset has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResetRule {
    /// This automaton accepts the bytes that came since the last [`Step::Send`]; if it is empty, nothing is
    /// expected.
    pub expect: Span,
    /// How long to wait for this.
    pub within_ms: u32,
    /// The time without a byte that must follow.
    pub quiet_ms: u32,
    /// How many times this reset is tried before the next one.
    pub tries: u32,
}

/// A step of an input or a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Send bytes.
    Send(Span),
    /// The device repeats what was sent; this is no part of the next reply.
    Echo {
        /// The bytes that are repeated, without a line end.
        text: Span,
        /// Whether a line end follows, of whatever kind.
        has_line_end: bool,
    },
    /// Wait.
    Wait {
        /// How long.
        ms: u32,
    },
    /// The last step of an input: the bytes that come in this time are the reply.
    Listen {
        /// How long.
        ms: u32,
    },
    /// In a reset: wait until an automaton accepts the bytes that came since the last [`Step::Send`].
    Expect {
        /// The automaton.
        by: Span,
        /// How long to wait.
        within_ms: u32,
    },
    /// In an input: read a reply. If an automaton does not accept it, it is the output, and the other steps
    /// are left out.
    Hear {
        /// The automaton.
        by: Span,
        /// The number of the [`ReplyRule`].
        reply: u8,
    },
    // Variants are encoded by their place: a new one is the last.
    /// Set a pin of the board to its active level, and then back to rest. In a reset, what comes meanwhile does
    /// not count.
    Pin {
        /// The name that the program of the board gives it.
        name: Span,
        /// How long it is active.
        ms: u32,
    },
}
