//! What can go wrong with an agent, and with the device behind it.

use std::io;
use std::time::Duration;

use mealybug_core::wire::words::MAX_INPUTS;
use miette::Diagnostic;
use thiserror::Error;

use crate::serial::OpenError;
use crate::store::StoreError;
use crate::target::{DeviceFault, TargetError};

/// Why a word has no answer.
#[derive(Debug, Error, Diagnostic)]
pub enum AgentError {
    /// The line failed.
    #[error("the line to the agent failed")]
    #[diagnostic(help("is the board still plugged in?"))]
    Line(#[source] io::Error),
    /// The agent does not answer.
    #[error("the agent has said nothing for {} s", .patience.as_secs())]
    #[diagnostic(help(
        "is this the port of the board's host side, and does the agent run on it{}?",
        if *.has_baud { ", at the same baud rate (--baud)" } else { "" }
    ))]
    Silent {
        /// How long the host waited.
        patience: Duration,
        /// Whether the line has a baud rate.
        has_baud: bool,
    },
    /// The agent breaks the protocol or refuses a request.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Target(TargetError),
    /// The port has not come back yet.
    #[error("the agent is not back")]
    #[diagnostic(help("check the cable and the power of the board"))]
    Away(#[source] OpenError),
    /// The device failed.
    #[error("the device at the agent failed: {0}")]
    #[diagnostic(help("is it attached, switched on, and does the device file fit?"))]
    Device(DeviceFault),
    /// What the device said cannot be stored.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(StoreError),
    /// The device gave other answers when a word was repeated.
    #[error("the device answered otherwise when a word was asked again, to go on with it")]
    #[diagnostic(help("does the reset really bring it to the same state?"))]
    Otherwise,
    /// Too many frames are lost on the line.
    #[error(
        "{attempts} times in a row frames were lost between host and agent, and no answer came"
    )]
    #[diagnostic(help(
        "{}is the line good enough?",
        if *.has_baud { "have both ends the same baud rate, and " } else { "" }
    ))]
    Lossy {
        /// How often the word was tried.
        attempts: u32,
        /// Whether the line has a baud rate.
        has_baud: bool,
    },
    /// The program on the board is not an agent.
    #[error("the program on the board ({board}) is no agent")]
    #[diagnostic(help(
        "`mealybug target` has a learner learn on its own; load the agent to learn from here"
    ))]
    NoAgent {
        /// The name of the board.
        board: String,
    },
    /// The agent has no rules for its device, and the host has no device file.
    #[error("the agent ({board}) does not know its device")]
    #[diagnostic(help("name the device file"))]
    NoDevice {
        /// The name of the board.
        board: String,
    },
    /// The agent has more inputs than its protocol has numbers for.
    #[error("the agent says that its device has {found} inputs; there are at most {MAX_INPUTS}")]
    #[diagnostic(help("is its program of this version of Mealybug?"))]
    TooManyInputs {
        /// The number of inputs of the agent.
        found: u32,
    },
    /// Two inputs of the agent have the same name.
    #[error("the agent has two inputs called `{name}`")]
    #[diagnostic(help("each input of its program needs a name of its own"))]
    EqualInputs {
        /// The name.
        name: String,
    },
    /// The agent has another number of inputs than the device file.
    #[error("the agent has {found} inputs, the device file {expected}")]
    #[diagnostic(help("was it told something else meanwhile? Try again"))]
    Inputs {
        /// The number of inputs of the agent.
        found: usize,
        /// The number of inputs in the device file.
        expected: usize,
    },
}

impl AgentError {
    /// Whether the word may succeed when it is asked again.
    pub fn is_worth_a_retry(&self) -> bool {
        use mealybug_core::wire::message::DeviceError::{TooLong, TooManyOutputs};
        !matches!(self, Self::Store(_) | Self::Device(DeviceFault(TooLong | TooManyOutputs)))
    }

    /// Whether the error is in the command line: it asks for something that does not exist.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoAgent { .. } | Self::NoDevice { .. })
    }

    /// Whether the device failed, or the link to it, as opposed to what the user wrote.
    pub fn is_of_the_device(&self) -> bool {
        let is_of_the_file = |error: &TargetError| error.is_of_the_device_file();
        !self.is_usage() && !matches!(self, Self::Target(error) if is_of_the_file(error))
    }

    /// The error on a line that may have no baud rate.
    pub(super) fn on_line(self, has_baud: bool) -> Self {
        match self {
            Self::Silent { patience, .. } => Self::Silent { patience, has_baud },
            Self::Lossy { attempts, .. } => Self::Lossy { attempts, has_baud },
            other => other,
        }
    }

    /// Whether the agent is disconnected and may come back.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Line(_) | Self::Silent { .. } | Self::Away(_))
    }
}

impl From<TargetError> for AgentError {
    fn from(error: TargetError) -> Self {
        match error {
            TargetError::Line(error) => Self::Line(error),
            TargetError::Silent { patience } => Self::Silent { patience, has_baud: true },
            error => Self::Target(error),
        }
    }
}
