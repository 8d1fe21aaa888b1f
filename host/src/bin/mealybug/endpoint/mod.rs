//! What is at the other end, chosen at run time.

pub(crate) mod connect;
mod device;
mod error;
mod subject;

use std::sync::Arc;
use std::time::Duration;

use mealybug::adapter::Adapter;
use mealybug::agent::AgentClient;
use mealybug::boards::Boards;
use mealybug::device::DeviceFile;
use mealybug::serial::{SerialSul, TimedLink};
use mealybug::simulate::Simulated;
use mealybug_core::{Input, Sul};

pub(crate) use device::Means;
pub(crate) use error::EndpointError;
pub(crate) use subject::Subject;

use crate::run::board_news::BoardNews;

/// What is at the other end.
#[derive(Debug)]
pub(crate) enum Endpoint<'m> {
    /// A device behind a port.
    Port(Box<SerialSul<Box<dyn TimedLink + Send>>>),
    /// A program.
    Adapter(Adapter),
    /// A device behind an agent.
    Agent(Box<AgentClient<Box<dyn TimedLink + Send>>>),
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

    fn reply(&self) -> Option<&[u8]> {
        match self {
            Self::Port(sul) => sul.reply(),
            Self::Boards(many) => many.boards.reply(),
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) => None,
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
