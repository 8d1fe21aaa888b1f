//! What is at the other end, chosen at run time.

pub(crate) mod connect;
pub(crate) mod device;
mod subject;

use std::sync::Arc;
use std::time::Duration;

use mealybug::adapter::{Adapter, AdapterError};
use mealybug::agent::{AgentClient, AgentError, LANES};
use mealybug::boards::{Boards, BoardsError, LANES_PER_BOARD};
use mealybug::device::DeviceFile;
use mealybug::serial::{Link, LinkError, SerialSul};
use mealybug::simulate::Simulated;
use mealybug::statistics::{BoardRecord, Serial};
use mealybug::store::Garbled;
use mealybug_core::{Input, Sul};
use miette::{Diagnostic, Report};
use thiserror::Error;

pub(crate) use subject::Subject;

use crate::run::board_news::BoardNews;
use device::DeviceUnderTest;

/// What is at the other end.
#[derive(Debug)]
pub(crate) enum Endpoint<'m> {
    /// A device behind a port.
    Port(Box<SerialSul<Box<dyn Link + Send>>>),
    /// A program.
    Adapter(Adapter),
    /// A device behind an agent.
    Agent(Box<AgentClient<Box<dyn Link + Send>>>),
    /// A model in this process.
    Model(Simulated<'m>),
    /// Several boards, each one of the others.
    Boards(Box<ManyBoards>),
}

/// Several boards.
#[derive(Debug)]
pub(crate) struct ManyBoards {
    pub(crate) boards: Boards<Endpoint<'static>>,
    pub(crate) news: Arc<BoardNews>,
    /// The device file, for boards that have one.
    pub(crate) file: Option<DeviceFile>,
}

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
            Self::Port(_) | Self::Adapter(_) => false,
        }
    }
}

impl From<BoardsError<Self>> for EndpointError {
    fn from(error: BoardsError<Self>) -> Self {
        Box::new(error).into()
    }
}

impl Sul for Endpoint<'_> {
    type Error = EndpointError;

    fn reset(&mut self) -> Result<(), EndpointError> {
        match self {
            Self::Port(sul) => Ok(sul.reset()?),
            Self::Adapter(sul) => Ok(sul.reset()?),
            Self::Agent(sul) => Ok(sul.reset()?),
            Self::Boards(many) => Ok(many.boards.reset()?),
            Self::Model(sul) => match sul.reset() {
                Ok(()) => Ok(()),
            },
        }
    }

    fn step(&mut self, input: Input) -> Result<&[u8], EndpointError> {
        match self {
            Self::Port(sul) => Ok(sul.step(input)?),
            Self::Adapter(sul) => Ok(sul.step(input)?),
            Self::Agent(sul) => Ok(sul.step(input)?),
            Self::Boards(many) => Ok(many.boards.step(input)?),
            Self::Model(sul) => match sul.step(input) {
                Ok(output) => Ok(output),
            },
        }
    }

    fn announce(&mut self, word: &[Input]) {
        match self {
            Self::Agent(sul) => sul.announce(word),
            Self::Boards(many) => many.boards.announce(word),
            Self::Port(_) | Self::Adapter(_) | Self::Model(_) => {}
        }
    }

    fn announce_open(&mut self, word: &[Input]) {
        match self {
            Self::Boards(many) => many.boards.announce_open(word),
            _ => self.announce(word),
        }
    }

    fn elapsed(&self) -> Option<Duration> {
        match self {
            Self::Boards(many) => many.boards.elapsed(),
            _ => None,
        }
    }

    fn reset_for(&mut self, word: &[Input]) -> Result<(), EndpointError> {
        match self {
            Self::Agent(sul) => Ok(sul.reset_for(word)?),
            Self::Boards(many) => Ok(many.boards.reset_for(word)?),
            _ => self.reset(),
        }
    }
}

impl DeviceUnderTest for Endpoint<'_> {
    fn is_worth_a_retry(error: &EndpointError) -> bool {
        match error {
            EndpointError::Port(error) => error.is_worth_a_retry(),
            // A program that ended or hangs is started again.
            EndpointError::Adapter(_) => true,
            EndpointError::Agent(error) => error.is_worth_a_retry(),
            EndpointError::Boards(error) => matches!(**error, BoardsError::Otherwise),
        }
    }

    fn garbled(error: &EndpointError) -> Garbled<'_> {
        match error {
            EndpointError::Port(error) => error.garbled(),
            _ => Garbled::No,
        }
    }

    fn is_suspect(error: &EndpointError) -> bool {
        matches!(error, EndpointError::Port(LinkError::Suspect { .. }))
    }

    fn is_away(error: &EndpointError) -> bool {
        match error {
            EndpointError::Port(error) => error.is_gone(),
            EndpointError::Adapter(_) | EndpointError::Boards(_) => false,
            EndpointError::Agent(error) => error.is_away(),
        }
    }

    fn help(error: &EndpointError) -> Option<String> {
        error.help().map(|help| help.to_string())
    }

    fn report(error: EndpointError) -> Report {
        error.into()
    }

    fn warnings(&self) -> Vec<String> {
        match self {
            Self::Port(sul) => sul.warnings().to_vec(),
            Self::Agent(sul) => sul.warnings().to_vec(),
            Self::Adapter(_) | Self::Model(_) => Vec::new(),
            Self::Boards(many) => {
                let all = many.news.names().iter().zip(many.boards.stop());
                let named = all.flat_map(|(name, board)| {
                    board.warnings().into_iter().map(move |warning| format!("{name}: {warning}"))
                });
                named.collect()
            }
        }
    }

    fn serial(&self) -> Option<Serial> {
        match self {
            Self::Port(sul) => sul.serial(),
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) | Self::Boards(_) => None,
        }
    }

    fn noise(&self) -> Option<f64> {
        match self {
            Self::Port(sul) => sul.noise(),
            Self::Boards(many) => many.file.as_ref().and_then(|file| file.noise),
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) => None,
        }
    }

    fn is_silence(&self, input: Input, output: &str) -> bool {
        match self {
            Self::Port(sul) => sul.is_silence(input, output),
            Self::Boards(many) => {
                many.file.as_ref().is_some_and(|file| device::is_silence(file, input, output))
            }
            // The agent calls it what the device file says, too, and spends no time of ours on it.
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) => false,
        }
    }

    fn lanes(&self) -> u32 {
        match self {
            Self::Agent(_) => LANES,
            Self::Boards(many) => {
                let boards = u32::try_from(many.news.names().len()).unwrap_or(u32::MAX);
                boards.saturating_mul(LANES_PER_BOARD)
            }
            Self::Port(_) | Self::Adapter(_) | Self::Model(_) => 1,
        }
    }

    fn board_news(&self) -> Option<&Arc<BoardNews>> {
        match self {
            Self::Boards(many) => Some(&many.news),
            _ => None,
        }
    }

    fn boards(&self) -> Vec<BoardRecord> {
        let Self::Boards(many) = self else { return Vec::new() };
        let boards = many.boards.stop();
        let counts = many.boards.counts().into_iter();
        let all = many.news.names().iter().zip(boards).zip(counts);
        all.map(|((name, board), counts)| BoardRecord {
            name: name.clone(),
            asked: counts.asked.into(),
            failures: counts.failures,
            disagreements: counts.disagreements,
            left_out: counts.left_out,
            serial: board.serial(),
        })
        .collect()
    }

    fn said(&self, word: &[Input]) -> Vec<(&str, Vec<u8>, u32)> {
        let Self::Boards(many) = self else { return Vec::new() };
        let said = many.boards.said(word).into_iter();
        said.map(|(board, output, count)| (&*many.news.names()[board], output, count)).collect()
    }
}
