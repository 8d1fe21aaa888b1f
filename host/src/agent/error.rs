//! What can go wrong with an agent, and with the device behind it.

use std::io;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use crate::serial::OpenError;
use crate::target::{DeviceFault, TargetError};

/// A word has no answer.
#[derive(Debug, Error, Diagnostic)]
pub enum AgentError {
    /// The line failed.
    #[error("the line to the agent failed")]
    #[diagnostic(help("is the board still plugged in?"))]
    Line(#[source] io::Error),
    /// Nobody answers.
    #[error("the agent has said nothing for {} s", .patience.as_secs())]
    #[diagnostic(help(
        "is this the port of the board's host side, does the agent run on it, and has it the same \
         baud rate?"
    ))]
    Silent {
        /// How long it was waited for.
        patience: Duration,
    },
    /// The agent does not do what it should.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Target(TargetError),
    /// The port is not back yet.
    #[error("the agent is not back")]
    #[diagnostic(help("check the cable and the power of the board"))]
    Away(#[source] OpenError),
    /// The device failed.
    #[error("the device at the agent failed: {0}")]
    #[diagnostic(help("is it attached, switched on, and does the device file fit?"))]
    Device(DeviceFault),
    /// The device answered otherwise when a word was asked again.
    #[error("the device answered otherwise when a word was asked again, to go on with it")]
    #[diagnostic(help("does the reset really bring it to the same state?"))]
    Otherwise,
    /// Too much is lost on the line.
    #[error(
        "{attempts} times in a row frames were lost between host and agent, and no answer came"
    )]
    #[diagnostic(help(
        "have both ends the same baud rate, and is the line short and good enough for it?"
    ))]
    Lossy {
        /// How often it was tried.
        attempts: u32,
    },
    /// Another program runs on the board.
    #[error("the program on the board ({board}) is no agent")]
    #[diagnostic(help(
        "`mealybug target` has a learner learn on its own; load the agent to learn from here"
    ))]
    NoAgent {
        /// The board.
        board: String,
    },
    /// The agent does not know how to talk to its device.
    #[error("the agent ({board}) does not know its device")]
    #[diagnostic(help("name the device file"))]
    NoDevice {
        /// The board.
        board: String,
    },
    /// The agent has other inputs than the device file.
    #[error("the agent has {found} inputs, the device file {expected}")]
    #[diagnostic(help("was it told something else meanwhile? Try again"))]
    Inputs {
        /// Those of the agent.
        found: usize,
        /// Those of the device file.
        expected: usize,
    },
}

impl AgentError {
    /// Whether the word may well have an answer when it is asked again.
    pub fn is_worth_a_retry(&self) -> bool {
        use mealybug_core::wire::message::DeviceError::{TooLong, TooManyOutputs};
        !matches!(self, Self::Device(DeviceFault(TooLong | TooManyOutputs)))
    }

    /// Whether the command line asked for something that is not there.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoAgent { .. } | Self::NoDevice { .. })
    }

    /// Whether the agent is away, and may come back.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Line(_) | Self::Silent { .. } | Self::Away(_))
    }
}

impl From<TargetError> for AgentError {
    fn from(error: TargetError) -> Self {
        match error {
            TargetError::Line(error) => Self::Line(error),
            TargetError::Silent { patience } => Self::Silent { patience },
            error => Self::Target(error),
        }
    }
}
