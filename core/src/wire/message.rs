//! The messages between a host and a program on a microcontroller, the *target*. Each message is a
//! [`frame`](super::frame). The program is a learner, or an [agent](super::words) that answers the words
//! of a learner on the host.
//!
//! | host | target |
//! |---|---|
//! | [`Request::Hello`] | [`Message::Hello`] |
//! | [`Request::Rules`] | [`Message::Rules`] |
//! | [`Request::Crash`] | [`Message::Crash`] |
//! | [`Request::Rule`], [`Request::Start`], [`Request::Stop`], [`Request::CrashHeard`] | [`Message::Answer`], before it perhaps [`Message::Offer`]s |
//! | [`Request::Result`] | [`Message::Answer`], then the end of the run |
//! | | during a run: [`Message::Progress`], [`Message::Part`] of each hypothesis, [`Message::Retry`], [`Message::Log`] |
//! | | *the end of the run*: [`Message::Ended`], a [`Message::Symbol`] for each symbol of the word at which it failed, after a contradiction the [`Message::Output`] before and the one now, [`Message::Part`] of the result |
//!
//! and with an agent:
//!
//! | host | agent |
//! |---|---|
//! | [`Request::Hello`] | [`Message::Hello`] |
//! | [`Request::Rule`], [`Request::Stop`] | [`Message::Answer`], before it perhaps [`Message::Offer`]s |
//! | [`Request::Name`] | [`Message::Name`] |
//! | [`Request::Open`] | [`Message::Opened`] |
//! | [`Request::Words`] | [`Message::Outputs`], before them [`Message::Output`] for each new name; [`Message::Failed`] |
//!
//! A host may connect, disconnect and come back at any time. It repeats a request that gets no answer;
//! every request can be repeated without harm. If it missed a part of the result, it asks for it with
//! [`Request::Result`]. A target keeps its result, but has no room for all bytes of it, and encodes each
//! part when it is sent.
//!
//! Hypotheses and results travel as the bytes of [`write`](super::write), which end with a checksum.
//! [`Request::Hello`] and [`Message::Hello`] begin with the same bytes in all versions: the first byte is
//! the number of the variant, and the second byte of the answer is [`PROTOCOL`].
//!
//! [`Request`], [`Message`] and [`Phase`] can be matched without a wildcard, since each end must decide what
//! to do for each variant. Reasons of refusals and failures may be added.

use serde::{Deserialize, Serialize};

use super::line::LineSettings;
use super::probe::OfferKind;
use super::types;

/// The version of the messages and of the types in them.
pub const PROTOCOL: u8 = 4;

/// The longest piece of a [`Message::Part`] or [`Message::Log`], in bytes. With the other fields of the
/// message it fits into a frame.
pub const MAX_PART: usize = 192;

/// How many times a target, or a host, asks a word before its run fails.
pub const ATTEMPTS: u32 = 4;

/// A message of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request<'a> {
    /// Who is there?
    Hello,
    /// How to talk to the device, one [`Rule`](super::rule::Rule) each. Number 0 replaces all rules. A rule
    /// whose number the target has already is ignored.
    Rule {
        /// The number of the rule, counted from 0.
        number: u32,
        /// [`Rule::encode`](super::rule::Rule::encode). They are bytes so that a target with a built-in device
        /// has no code that decodes rules.
        rule: &'a [u8],
    },
    /// Learn the device.
    Start(types::Options),
    /// End the run. The target keeps its result.
    Stop,
    /// Send the end of the run again.
    Result {
        /// The first byte of the result that is wanted.
        from: u32,
    },
    /// To an agent: what is this input called?
    Name {
        /// The input.
        input: u32,
    },
    /// To an agent: open a session, in which words follow. It ends another session that is open.
    Open {
        /// A number that the host chooses for itself and keeps as long as it runs.
        host: u32,
        /// A number that the host chooses for the session.
        session: u32,
        /// Number of outputs whose bytes the host knows from earlier sessions.
        known: u32,
    },
    /// To an agent: [symbols](super::words) of words.
    Words(&'a [u8]),
    // Variants are encoded by their place: a new one is the last.
    /// To a learner: by which rules do you talk to the device?
    Rules,
    /// To a learner: why did your program end before it last started? It keeps this until a host says that it
    /// [has heard it](Self::CrashHeard). A learner whose program keeps no crashes refuses with
    /// [`Refusal::OtherProgram`].
    Crash,
    /// To a learner: [`Message::Crash`] has come. The learner forgets the crash, so no other host hears of it.
    CrashHeard,
}

/// A message of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message<'a> {
    /// Who is here.
    Hello {
        /// [`PROTOCOL`] of the target.
        protocol: u8,
        /// The name of the board.
        board: &'a [u8],
        /// What it is doing.
        phase: Phase,
        /// The size of its learner's memory, in bytes.
        memory_bytes: u32,
        /// Whether a run can start without more rules.
        is_ready: bool,
    },
    /// The answer to a request.
    Answer {
        /// The sequence number of the request's frame.
        to: u8,
        /// Why the request is refused; `None` if it is not.
        refusal: Option<Refusal>,
    },
    /// How far the run is; sent several times a second.
    Progress(types::Progress),
    /// A piece of a hypothesis, or of the result.
    Part {
        /// The hypothesis, counted from 1; `None` for the result.
        round: Option<u64>,
        /// The position of its first byte.
        from: u32,
        /// At most [`MAX_PART`] bytes.
        bytes: &'a [u8],
        /// Whether it is the last piece.
        is_last: bool,
    },
    /// The device failed, and the word is asked again.
    Retry {
        /// How.
        error: DeviceError,
        /// Number of symbols of the word that were sent; 0 if the reset failed.
        sent: u32,
        /// How many times the word was asked by now, at most [`ATTEMPTS`].
        attempts: u32,
    },
    /// The run is over; `None` if nothing went wrong.
    Ended(Option<Fault>),
    /// A symbol of the word at which the run failed.
    Symbol {
        /// Its position in the word, counted from 0.
        position: u32,
        /// The input.
        input: u32,
    },
    /// A piece of the target's log, as defmt encodes it.
    Log(&'a [u8]),
    /// Of an agent: the name of an input.
    Name {
        /// The input.
        input: u32,
        /// Its name.
        name: &'a [u8],
    },
    /// Of an agent: a session is open.
    Opened {
        /// The number of the session.
        session: u32,
        /// Number of outputs that keep their numbers; 0 if the agent has forgotten them.
        known: u32,
        /// Number of inputs of the device.
        inputs: u32,
        /// The most frames of words that may wait for their outputs.
        frames: u8,
    },
    /// Of an agent: the bytes of the next new output. New outputs are numbered from 0. Of a learner: the first [`MAX_PART`]
    /// bytes of an output of the [contradiction](Fault::Contradiction) that ended the run, the one before first.
    Output(&'a [u8]),
    /// Of an agent: the numbers of the next outputs, one byte for each symbol of the words.
    Outputs(&'a [u8]),
    /// Of an agent: the device failed at the next symbol, and the session is over.
    Failed(DeviceError),
    /// Of a learner: the [digest](super::rule::Rule::digest) of its rules; 0 if it has none.
    Rules(u32),
    /// Before [`Refusal::NoOffer`] and [`Refusal::NoPin`]: something that the program of the board offers.
    Offer {
        /// Its kind.
        kind: OfferKind,
        /// Its name.
        name: &'a [u8],
    },
    /// Of a learner: why its program ended, as [`Crash::encode`](super::crash::Crash::encode) writes it; no bytes if
    /// it was switched on, or reset from outside.
    Crash(&'a [u8]),
}

/// The state of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Phase {
    /// There was no run yet.
    Idle,
    /// It is learning.
    Running,
    /// The last run is over, and the target has its result.
    Ended,
    /// It is an agent: it answers words and has no runs.
    Agent,
}

/// Why a target refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Refusal {
    /// A run is going on.
    Running,
    /// There is no run, or was none yet; of an agent: no session is open.
    NotRunning,
    /// There is no rule for an input, a reset or a reply.
    NoRules,
    /// A rule before this one is missing.
    RuleMissing,
    /// There is no room for this rule.
    RulesFull,
    /// The device is built into the target's program, which takes no rules.
    BuiltIn,
    /// The target cannot run with these options: it has one lane, and its program may lack the tests.
    Options,
    /// The request is for another program: an agent does not learn, and a learner answers no words.
    OtherProgram,
    /// An earlier frame is missing, and the session is over.
    FrameMissing,
    /// The device has more inputs than a [symbol](super::words) can tell apart.
    TooManyInputs,
    /// The line to the device cannot have the settings of the rule, and keeps these.
    Line(LineSettings),
    /// The program of the board has no pin of this name. [`Message::Offer`]s say which it has.
    NoPin,
    /// The program of the board offers nothing of this kind and name to probe the device with.
    /// [`Message::Offer`]s say what it offers.
    NoOffer,
    /// The program of the board has a line to the device, and no probes.
    NoProbes,
    /// The program of the board probes its device, and has no line to it.
    NoLine,
}

/// Why a run could not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Fault {
    /// The memory is full.
    Capacity(types::CapacityError),
    /// The device contradicts itself.
    Contradiction(types::Contradiction),
    /// The device failed, or the link to it.
    Device {
        /// How.
        error: DeviceError,
        /// The length of the word, in symbols.
        word_len: u32,
        /// Number of symbols that were sent; 0 if the reset failed.
        sent: u32,
    },
}

impl Fault {
    /// The length of the word at which the run failed, in symbols; 0 if it was not at a word.
    pub fn word_len(&self) -> u32 {
        match self {
            Self::Capacity(_) => 0,
            Self::Contradiction(contradiction) => contradiction.word_len,
            Self::Device { word_len, .. } => *word_len,
        }
    }
}

/// How a device failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum DeviceError {
    /// The device did not send what the reset expects.
    NotReset,
    /// Bytes came after the end of a reply.
    Late,
    /// A reply took longer than its rule allows.
    Unending,
    /// A reply has more bytes than its rule or the target has room for.
    TooLong,
    /// Bytes were lost on the way to the target.
    Overrun,
    /// A pin could not be driven or read.
    Pin,
    /// A transfer on a bus failed for another reason than a missing acknowledgement of the device.
    Bus,
    /// The device has more different outputs than an agent can number.
    TooManyOutputs,
    /// A character on the line had no stop bit.
    Framing,
    /// The parity of a character on the line was wrong.
    Parity,
    /// The device held the line low for longer than a character.
    Break,
    /// The levels of the sensed pins did not come to rest.
    Restless,
}
