//! Why a device, or what is between it and us, failed.

use mealybug::adapter::AdapterError;
use mealybug::agent::AgentError;
use mealybug::boards::BoardsError;
use mealybug::serial::LinkError;
use mealybug::store::Garbled;
use miette::Diagnostic;
use thiserror::Error;

/// Why the other end failed.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum EndpointError {
    /// The port, or the device behind it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Port(#[from] LinkError),
    /// The program, or the device behind it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Adapter(#[from] AdapterError),
    /// The agent, or the device behind it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Agent(#[from] AgentError),
    /// The boards together.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Boards(#[from] Box<BoardsError<Self>>),
    /// The device says nothing at all.
    #[error("not one of {inputs} inputs was answered, so there is nothing to learn")]
    Mute {
        /// How many were sent.
        inputs: u32,
        /// What to look at.
        #[help]
        help: String,
    },
}

impl EndpointError {
    /// Whether the device did its part, and the disk failed.
    pub(crate) fn is_of_the_disk(&self) -> bool {
        match self {
            Self::Boards(error) => match &**error {
                BoardsError::Store(_) => true,
                BoardsError::NoneLeft(error) => error.is_of_the_disk(),
                BoardsError::Otherwise | BoardsError::Interrupted => false,
            },
            Self::Agent(error) => matches!(error, AgentError::Store(_)),
            Self::Port(_) | Self::Adapter(_) | Self::Mute { .. } => false,
        }
    }

    /// Whether a word that failed may well succeed when it is asked again, or answers to the word before it are in
    /// doubt and will be asked for again.
    pub(crate) fn is_worth_a_retry(&self) -> bool {
        match self {
            Self::Port(error) => {
                error.is_worth_a_retry() || matches!(error, LinkError::Suspect { .. })
            }
            // A program that ended or hangs is started again.
            Self::Adapter(_) => true,
            Self::Agent(error) => error.is_worth_a_retry(),
            Self::Boards(error) => matches!(**error, BoardsError::Otherwise),
            Self::Mute { .. } => false,
        }
    }

    /// What an error says about the answer, if only the answer was lost on its way.
    pub(crate) fn garbled(&self) -> Garbled<'_> {
        match self {
            Self::Port(error) => error.garbled(),
            _ => Garbled::No,
        }
    }

    /// Whether the device is away and may come back; asking again finds out.
    pub(crate) fn is_away(&self) -> bool {
        match self {
            Self::Port(error) => error.is_gone(),
            Self::Adapter(_) | Self::Boards(_) | Self::Mute { .. } => false,
            Self::Agent(error) => error.is_away(),
        }
    }

    /// Whether the device does not come back from a reset, though it did before: it may be off, or start anew.
    pub(crate) fn is_failed_reset(&self) -> bool {
        matches!(self, Self::Port(LinkError::Reset { history, .. }) if !history.is_empty())
    }

    /// Whether the device was waited for and did not come back: what it should answer has no part in that.
    pub(crate) fn is_absence(&self) -> bool {
        match self {
            Self::Port(error) => matches!(error, LinkError::Away { .. }),
            Self::Adapter(_) | Self::Mute { .. } => false,
            Self::Agent(error) => error.is_away(),
            Self::Boards(error) => {
                matches!(&**error, BoardsError::NoneLeft(error) if error.is_absence())
            }
        }
    }
}

impl From<BoardsError<Self>> for EndpointError {
    fn from(error: BoardsError<Self>) -> Self {
        Box::new(error).into()
    }
}
