//! A finding: what is wrong, how certain that is, the answers that show it, and what to change.

use std::time::Duration;

use mealybug_core::Input;

use super::field::{FieldRule, UntriedField};
use crate::device::Pauses;

/// Something about the device file or the device that the user should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// How certain it is.
    pub certainty: Certainty,
    /// What is wrong and what to do about it, for people.
    pub text: String,
    /// The answers that show it, if single answers do.
    pub example: Option<Example>,
    /// A change of the device file that mends it.
    pub change: Option<Change>,
    /// A field that a rule could take out.
    pub(super) untried: Option<UntriedField>,
}

/// A word, and the answers to its last input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The word.
    pub word: Vec<Input>,
    /// The different answers to its last input.
    pub answers: Vec<String>,
}

/// How certain a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// The answers have another explanation, too: some devices are like that.
    Possible,
    /// The answers show it.
    Shown,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// A word is answered in different ways, or outputs hold a field that changes.
    ChangingOutput,
    /// New states keep being found along one word.
    GrowingWord,
    /// Something is done only after it was answered.
    ActsLate,
    /// Answers are garbled now and then.
    Garbled,
    /// Answers hold a control byte now and then, and are the usual ones without it.
    StrayByte,
    /// A reset leaves something behind.
    ResetLeaves,
    /// A reset is not always over when the first input is sent.
    LateReset,
    /// A reset takes longer now and then than it waits.
    SlowReset,
    /// A reset fails now and then, and works when it is done again.
    FailedReset,
    /// The device reaches a state in which it answers nothing, or a run waits long in one.
    DeadState,
    /// A time-out is too short.
    ShortTimeOut,
    /// A time-out is much longer than the answers need.
    LongTimeOut,
    /// Replies never meet the end that the file describes; silence ends them.
    UnmetEnd,
    /// No reply at all meets the end that the file describes.
    WrongEnd,
    /// No input was answered.
    NoAnswer,
    /// What is sent is text, and no answer is.
    Noise,
    /// Replies begin with what was sent.
    Echo,
    /// Bytes come after the end of replies.
    LateBytes,
    /// The device says something without being asked.
    Unasked,
    /// A rule of `[[output]]` names no reply.
    UnmetRule,
    /// All answers have one output.
    OneOutput,
    /// An input is always silent, or never matters.
    IdleInput,
    /// An input has no line end, though all others have one.
    MissingLineEnd,
    /// Replies hold a checksum that the device file does not name.
    MissingChecksum,
    /// An input ends the connection, and the device file does not say so.
    ConnectionEnd,
    /// Words failed because bytes came after a reply.
    LateFault,
    /// Words failed because the device did not come back from a reset.
    ResetFault,
    /// Words failed for another reason.
    Fault,
}

/// A change of the device file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets another time-out.
    TimeOut {
        /// The key of the time-out.
        key: Key,
        /// The number of the input that has its own time-out; `None` for the time-out of `[reply]`.
        input: Option<usize>,
        /// The better time.
        better: Duration,
    },
    /// Adds a `[[replace]]`.
    Replace(FieldRule),
    /// Adds a pattern to `strip` of `[reply]`.
    Strip(String),
    /// Sets `match` of `[reply]`.
    Match(String),
    /// Lets all replies end with what fits this pattern, instead of by a length.
    EndBytes(String),
    /// Lets all replies end with a line that fits this pattern, instead of by a number of lines.
    LastLine(String),
    /// Sets after how many lines or bytes replies end.
    Longer {
        /// The key that says it.
        key: CountKey,
        /// The number of the input that has its own `reply`; `None` for `[reply]`.
        input: Option<usize>,
        /// The number of lines or bytes.
        count: usize,
    },
    /// Says in `[reply]` that the device repeats what is sent.
    Echo,
    /// Sets `checksum` of `[reply]` to this value, which is TOML.
    Checksum(String),
    /// Makes an output of the end of the connection after the input with this number, or after any of them.
    Closed(Option<usize>),
    /// Lets all resets wait for what fits a pattern.
    Expect(String),
    /// Sets how long each reset waits for what it expects, in ms.
    ExpectWithin(u64),
    /// Sets how often each reset is tried.
    Tries(u32),
    /// Lets time pass after resets or inputs: `quiet_ms` of a reset, `settle_ms` of an input's `reply`.
    Pause(Pauses),
}

/// A time-out of `[reply]`, or of an input's `reply`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// How long to wait for the first byte.
    Within,
    /// The silence that ends a reply.
    Quiet,
    /// The silence after `match`.
    Grace,
}

/// What a device file counts to find the end of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountKey {
    /// Lines.
    Lines,
    /// Bytes.
    Length,
}

impl Finding {
    /// A certain finding, without example and change.
    pub(super) fn shown(kind: FindingKind, text: impl Into<String>) -> Self {
        let (certainty, text) = (Certainty::Shown, text.into());
        Self { kind, certainty, text, example: None, change: None, untried: None }
    }

    /// A possible finding, without example and change.
    pub(super) fn possible(kind: FindingKind, text: impl Into<String>) -> Self {
        Self { certainty: Certainty::Possible, ..Self::shown(kind, text) }
    }

    /// Whether the finding shows that something is wrong, not only slow.
    pub fn is_wrong(&self) -> bool {
        let is_slow = matches!(
            self.kind,
            FindingKind::LongTimeOut | FindingKind::UnmetEnd | FindingKind::DeadState
        );
        self.certainty == Certainty::Shown && !is_slow
    }
}

impl Finding {
    /// Whether only many answers make this finding likely: it compares a time-out that no answer has missed with the slowest.
    pub(super) fn rests_on_many_answers(&self) -> bool {
        self.kind == FindingKind::LongTimeOut || self.is_margin()
    }

    /// The change to write into a device file, if one is proposed. A longer time-out costs time at each silence: where no answer
    /// was lost so far, the user decides.
    pub fn change_to_write(&self) -> Option<&Change> {
        self.change.as_ref().filter(|_| !self.is_margin())
    }

    /// Whether the change is a longer time-out, though no answer was lost so far.
    fn is_margin(&self) -> bool {
        let is_time_out = matches!(self.change, Some(Change::TimeOut { .. }));
        self.certainty == Certainty::Possible && is_time_out
    }
}

impl FindingKind {
    /// Whether the finding is about all there was, so that more of it can change the finding or make
    /// it untrue. Otherwise it is about single answers that came.
    pub(super) const fn can_pass(self) -> bool {
        match self {
            Self::DeadState | Self::GrowingWord | Self::Garbled | Self::StrayByte => true,
            Self::UnmetEnd | Self::WrongEnd | Self::NoAnswer | Self::MissingLineEnd => true,
            Self::Noise
            | Self::Echo
            | Self::LateBytes
            | Self::MissingChecksum
            | Self::UnmetRule => true,
            Self::ChangingOutput | Self::ResetLeaves | Self::LateReset | Self::ActsLate => false,
            Self::ConnectionEnd | Self::Unasked => false,
            Self::LateFault | Self::ResetFault | Self::Fault => false,
            Self::SlowReset | Self::FailedReset => false,
            Self::ShortTimeOut | Self::LongTimeOut | Self::OneOutput | Self::IdleInput => false,
        }
    }

    /// Whether words failed.
    #[cfg(test)]
    pub(super) const fn is_fault(self) -> bool {
        matches!(self, Self::LateFault | Self::ResetFault | Self::Fault)
    }

    /// The name in events for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChangingOutput => "changing-output",
            Self::GrowingWord => "growing-word",
            Self::ActsLate => "acts-late",
            Self::Garbled => "garbled",
            Self::StrayByte => "stray-byte",
            Self::ResetLeaves => "reset-leaves",
            Self::LateReset => "late-reset",
            Self::SlowReset => "slow-reset",
            Self::FailedReset => "failed-reset",
            Self::DeadState => "dead-state",
            Self::ShortTimeOut => "short-time-out",
            Self::LongTimeOut => "long-time-out",
            Self::UnmetEnd => "unmet-end",
            Self::WrongEnd => "wrong-end",
            Self::NoAnswer => "no-answer",
            Self::Noise => "noise",
            Self::Echo => "echo",
            Self::LateBytes => "late-bytes",
            Self::Unasked => "unasked",
            Self::UnmetRule => "unmet-rule",
            Self::OneOutput => "one-output",
            Self::IdleInput => "idle-input",
            Self::MissingLineEnd => "missing-line-end",
            Self::MissingChecksum => "missing-checksum",
            Self::ConnectionEnd => "connection-end",
            Self::LateFault | Self::ResetFault | Self::Fault => "fault",
        }
    }
}

impl Key {
    /// All time-outs.
    pub const ALL: [Self; 3] = [Self::Within, Self::Quiet, Self::Grace];

    /// The name in the device file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Within => "within_ms",
            Self::Quiet => "quiet_ms",
            Self::Grace => "grace_ms",
        }
    }
}

impl CountKey {
    /// The name in the device file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Length => "length",
        }
    }
}
