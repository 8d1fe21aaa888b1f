//! What a host and a program on a microcontroller, the *target*, say to each other. Each message is
//! a [`frame`](super::frame). The program is a learner, or an [agent](super::words), which answers
//! the words of a learner on the host.
//!
//! | host | target |
//! |---|---|
//! | [`Request::Hello`] | [`Message::Hello`] |
//! | [`Request::Rule`], [`Request::Start`], [`Request::Stop`] | [`Message::Answer`] |
//! | [`Request::Result`] | [`Message::Answer`], then the end of the run |
//! | | during a run: [`Message::Progress`], [`Message::Part`] of each hypothesis, [`Message::Retry`], [`Message::Log`] |
//! | | *the end of the run*: [`Message::Ended`], a [`Message::Symbol`] for each symbol of the word at which it failed, [`Message::Part`] of the result |
//!
//! and with an agent:
//!
//! | host | agent |
//! |---|---|
//! | [`Request::Hello`] | [`Message::Hello`] |
//! | [`Request::Rule`], [`Request::Stop`] | [`Message::Answer`] |
//! | [`Request::Name`] | [`Message::Name`] |
//! | [`Request::Open`] | [`Message::Opened`] |
//! | [`Request::Words`] | [`Message::Outputs`], before them [`Message::Output`] for each new name; [`Message::Failed`] |
//!
//! A host may connect, vanish and come back at any time. It repeats a request that gets no answer;
//! each can be repeated without harm. What it missed of the end it asks for again, since a target
//! keeps its result and makes the bytes anew, a part at a time: it has no room for all of them.
//!
//! Hypotheses and result travel as the bytes that [`write`](super::write) makes, which bring their
//! own checksum. `Hello` and its answer begin alike in all versions: their first byte is the number
//! of the variant, and in the answer [`PROTOCOL`] is the second.
//!
//! [`Request`], [`Message`] and [`Phase`] can be matched to the last variant, since each end must decide what
//! to make of each. The reasons of refusals and failures may become more.

use serde::{Deserialize, Serialize};

use super::types;

/// The version of this list, and of all that its messages hold.
pub const PROTOCOL: u8 = 2;

/// The longest piece of a [`Message::Part`] or [`Message::Log`], in bytes: with all that stands
/// around it, it fits into a frame.
pub const MAX_PART: usize = 192;

/// A target asks a word so often before its run gives up.
pub const ATTEMPTS: u32 = 4;

/// What a host says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request<'a> {
    /// Who is there?
    Hello,
    /// How to talk to the device, rule by rule. Number 0 begins anew; a rule that is there already
    /// is not taken twice.
    Rule {
        /// The number of the rule.
        number: u32,
        /// The bytes of a [`Rule`](super::rule::Rule): a target that needs none need not read them.
        rule: &'a [u8],
    },
    /// Learn the device.
    Start(types::Options),
    /// End the run; its result stays.
    Stop,
    /// Send the end of the run again.
    Result {
        /// From this byte of the result on.
        from: u32,
    },
    /// To an agent: what is this input called?
    Name {
        /// The input.
        input: u32,
    },
    /// To an agent: words follow. Another session than the one that is open ends that.
    Open {
        /// What the host calls itself, as long as it runs; it makes that up.
        host: u32,
        /// The number of the session, which the host makes up, too.
        session: u32,
        /// So many outputs it knows the bytes of, from sessions before.
        known: u32,
    },
    /// To an agent: [symbols](super::words) of words.
    Words(&'a [u8]),
}

/// What a target says.
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
        /// The memory that its learner has, in bytes.
        memory_bytes: u32,
        /// Whether it knows how to talk to its device, so that a run can start without rules.
        is_ready: bool,
    },
    /// The answer to a request.
    Answer {
        /// The number of the request's frame.
        to: u8,
        /// Why it is refused, if it is.
        refusal: Option<Refusal>,
    },
    /// Where the run stands; comes several times a second.
    Progress(types::Progress),
    /// A piece of a hypothesis, or of the result.
    Part {
        /// The hypothesis, counted from 1; none for the result.
        round: Option<u64>,
        /// Where the piece belongs, in bytes.
        from: u32,
        /// The piece.
        bytes: &'a [u8],
        /// Whether nothing follows.
        is_last: bool,
    },
    /// The device failed, and the word is asked again.
    Retry {
        /// How.
        error: DeviceError,
        /// How many symbols of the word were sent; 0 for a reset.
        sent: u32,
        /// How often it was asked by now, [`ATTEMPTS`] times at most.
        attempts: u32,
    },
    /// The run is over.
    Ended(Option<Fault>),
    /// A symbol of the word at which the run failed.
    Symbol {
        /// Its place in the word.
        position: u32,
        /// The input.
        input: u32,
    },
    /// A piece of the target's log, in its own encoding.
    Log(&'a [u8]),
    /// Of an agent: what an input is called.
    Name {
        /// The input.
        input: u32,
        /// Its name.
        name: &'a [u8],
    },
    /// Of an agent: a session is open.
    Opened {
        /// Its number.
        session: u32,
        /// So many outputs keep their numbers; none if the agent has forgotten them.
        known: u32,
        /// How many inputs the device has.
        inputs: u32,
        /// So many frames of words may wait for their outputs.
        frames: u8,
    },
    /// Of an agent: the bytes of an output that is new. They are numbered from 0 on.
    Output(&'a [u8]),
    /// Of an agent: the numbers of the outputs that follow, one for each symbol of the words.
    Outputs(&'a [u8]),
    /// Of an agent: the next symbol has no output, and the session is over.
    Failed(DeviceError),
}

/// What a target is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Phase {
    /// Nothing yet.
    Idle,
    /// It learns.
    Running,
    /// The last run is over, and its result is here.
    Ended,
    /// It is an agent: it answers words, and has no runs.
    Agent,
}

/// Why a target does not do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Refusal {
    /// It learns.
    Running,
    /// It does not learn, or there was no run yet; of an agent: no session is open.
    NotRunning,
    /// There is no input, or no rule for a reset or a reply.
    NoRules,
    /// A rule before this one is missing.
    RuleMissing,
    /// There is no room for this rule.
    RulesFull,
    /// The device is one of the target's program, and needs no rules.
    BuiltIn,
    /// The options are not for this target: it has one lane, and tests of its own.
    Options,
    /// It is a request for another program: an agent does not learn, a learner does not answer words.
    OtherProgram,
    /// A frame before this one is missing, and the session is over.
    FrameMissing,
    /// The device has more inputs than a [symbol](super::words) can tell apart.
    TooManyInputs,
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
        /// How many of these were sent; 0 for a reset.
        sent: u32,
    },
}

impl Fault {
    /// How long the word is at which the run failed.
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
    /// What a reset expects did not come.
    NotReset,
    /// Bytes came after the end of a reply.
    Late,
    /// A reply takes longer than it may.
    Unending,
    /// A reply has more bytes than there is room for.
    TooLong,
    /// Bytes were lost on the way to the target.
    Overrun,
    /// A pin could not be driven or read.
    Pin,
    /// A transfer on a bus failed, and not because the device did not acknowledge it.
    Bus,
    /// It has more different outputs than an agent can name.
    TooManyOutputs,
}
