//! What can go wrong with a target.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::time::Duration;

use mealybug_core::wire::frame::TooLong;
use mealybug_core::wire::message::{DeviceError, MAX_PART, PROTOCOL, Refusal};
use miette::Diagnostic;
use thiserror::Error;

use super::crash::TargetCrash;
use crate::result_file::ResultFileError;

/// The device file needs something that a target cannot do.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("a target cannot do what the device file says: {what}")]
#[diagnostic(help(
    "docs/device-file.md says what a target can do; wire the device to the host to learn it there: \
     `mealybug learn --port`"
))]
pub struct NotForTarget {
    /// What the target cannot do.
    pub what: String,
}

/// The error for a device file that needs `what`.
pub(super) fn not(what: impl Into<String>) -> NotForTarget {
    NotForTarget { what: what.into() }
}

/// Why a target does not do what it should.
#[derive(Debug, Error, Diagnostic)]
pub enum TargetError {
    /// The line failed.
    #[error("the line to the target failed")]
    #[diagnostic(help(
        "is the board still plugged in? Its run goes on; call this again to watch it"
    ))]
    Line(#[source] io::Error),
    /// No target answers.
    #[error("no target answers, for {} s", .patience.as_secs())]
    #[diagnostic(help(
        "is this the port of the board's host side, does the learner run on it, and has it the same \
         baud rate (--baud)?"
    ))]
    Silent {
        /// How long the host waited.
        patience: Duration,
    },
    /// The target speaks another version of the protocol.
    #[error("the target speaks version {found} of the protocol, this program version {PROTOCOL}")]
    #[diagnostic(help("build both from the same sources"))]
    Version {
        /// The version of the target.
        found: u8,
    },
    /// The target refuses a request.
    #[error("the target refuses {what}: {}", because(*.refusal))]
    #[diagnostic(help("{}", advice(*.refusal)))]
    Refused {
        /// The request.
        what: String,
        /// The reason.
        refusal: Refusal,
    },
    /// The program of the board does not offer what the device file names.
    #[error("the board offers no {what}")]
    #[diagnostic(help("{}", offer(offered)))]
    NotOffered {
        /// Its kind and its name.
        what: String,
        /// What the board offers.
        offered: Vec<String>,
    },
    /// The target has lost its run.
    #[error("the target has started anew, and its run is lost{}", Because(.crash.as_ref()))]
    #[diagnostic(help(
        "{}. Start the run again with the device file",
        .crash.as_ref().map_or("it was reset, or without power".into(), TargetCrash::advice)
    ))]
    Restarted {
        /// Why its program ended, if the target knows.
        crash: Option<TargetCrash>,
    },
    /// The run is watched no longer.
    #[error("this command was told to end; the run on the target goes on")]
    #[diagnostic(help("call it again to watch the run, or to fetch its result"))]
    Left,
    /// A text of the device file does not fit into a frame.
    #[error("{what} has more bytes than fit into a frame ({MAX_PART})")]
    #[diagnostic(help("make it shorter, or wire the device to the host: `mealybug learn --port`"))]
    TooLong {
        /// The text.
        what: &'static str,
    },
    /// The target cannot do what the device file says.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Rules(#[from] NotForTarget),
    /// The result of the target cannot be read.
    #[error("the target's result makes no sense")]
    Result(#[source] ResultFileError),
}

impl TargetError {
    /// Whether the device file asks for what the board cannot do.
    pub fn is_of_the_device_file(&self) -> bool {
        use Refusal::{BuiltIn, Line, NoLine, NoOffer, NoPin, NoProbes, RulesFull, TooManyInputs};
        match self {
            Self::Rules(_) | Self::NotOffered { .. } | Self::TooLong { .. } => true,
            Self::Refused { refusal, .. } => matches!(
                refusal,
                BuiltIn | Line(_) | NoLine | NoOffer | NoPin | NoProbes | RulesFull | TooManyInputs
            ),
            _ => false,
        }
    }

    /// Whether the target or the line failed, as opposed to a request that the target refused.
    pub fn is_of_the_line(&self) -> bool {
        matches!(self, Self::Line(_) | Self::Silent { .. } | Self::Restarted { .. })
    }
}

impl From<io::Error> for TargetError {
    fn from(error: io::Error) -> Self {
        Self::Line(error)
    }
}

impl From<TooLong> for TargetError {
    fn from(TooLong: TooLong) -> Self {
        Self::TooLong { what: "a rule" }
    }
}

/// Ends a sentence with why the program of a target ended.
struct Because<'a>(Option<&'a TargetCrash>);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |crash| write!(f, ": {crash}"))
    }
}

fn because(refusal: Refusal) -> Cow<'static, str> {
    Cow::Borrowed(match refusal {
        Refusal::Line(has) => {
            return Cow::Owned(format!("the board cannot do that; its line is at {has}"));
        }
        Refusal::Running => "it is learning",
        Refusal::NotRunning => "there is no run",
        Refusal::NoRules => "it lacks rules",
        Refusal::RuleMissing => "a rule before this one is missing",
        Refusal::RulesFull => "it has no more room for rules",
        Refusal::BuiltIn => "its device is built into its program",
        Refusal::Options => "it cannot learn with these options",
        Refusal::OtherProgram => "its program is another one",
        Refusal::FrameMissing => "frames are missing",
        Refusal::NoPin => "its program has no such pin",
        Refusal::NoOffer => "its program does not offer it",
        Refusal::NoProbes => "its program has a line to the device and no probes",
        Refusal::NoLine => "its program probes the device and has no line to it",
        Refusal::TooManyInputs => "its device has more than 128 inputs",
        _ => "for a reason that this program does not know",
    })
}

/// What a board offers, for a help text.
fn offer(offered: &[String]) -> String {
    match offered {
        [] => "its program offers nothing to probe with".to_owned(),
        _ => format!("its program offers {}", offered.join(", ")),
    }
}

fn advice(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Running => {
            "watch the run without a device file; Ctrl-C ends it there, and what it has learned is fetched"
        }
        Refusal::NotRunning => "name the device file to start one",
        Refusal::NoRules | Refusal::RuleMissing => "was it reset meanwhile? Try again",
        Refusal::RulesFull => "fewer or shorter inputs fit",
        Refusal::BuiltIn => "leave the device file out: the run needs none",
        Refusal::Options => "choose other --tests",
        Refusal::OtherProgram => {
            "`mealybug target` wants the program `learner` on the board, `--agent` the program `agent`"
        }
        Refusal::FrameMissing => "does the line lose bytes? Try again",
        Refusal::NoPin => "the program of the board names its pins",
        Refusal::NoOffer => "the program of the board says what it offers",
        Refusal::NoProbes => "load a program that offers pins or buses, or remove [probe]",
        Refusal::NoLine => {
            "say in [probe] how the board probes the device, or load a program with a line to it"
        }
        Refusal::TooManyInputs => "an agent tells 128 inputs apart",
        Refusal::Line(_) => {
            "set the device to what the board can do, and say so in [port], or change the program of the board"
        }
        _ => "build both from the same sources",
    }
}

/// How a device at a target failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub struct DeviceFault(pub DeviceError);

impl fmt::Display for DeviceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            DeviceError::NotReset => "after a reset it did not say what is expected",
            DeviceError::Late => "it said something after the end of a reply",
            DeviceError::Unending => "a reply takes longer than `max_ms`",
            DeviceError::TooLong => {
                "a reply is longer than `max_bytes`, or than a target has room for"
            }
            DeviceError::Overrun => "the target lost bytes of a reply",
            DeviceError::Framing => "a character on its line had no stop bit",
            DeviceError::Parity => "a character on its line had the wrong parity",
            DeviceError::Break => "it sent a break",
            DeviceError::Restless => {
                "its sensed pins did not come to rest, for 100 times `debounce_us`"
            }
            DeviceError::Pin => "a pin of the target could not be driven or read",
            DeviceError::Bus => "a transfer on the target's bus failed",
            DeviceError::TooManyOutputs => {
                "it has more different outputs than an agent has room for: 256, or 4 KiB"
            }
            _ => "it failed in a way that this program does not know",
        })
    }
}
