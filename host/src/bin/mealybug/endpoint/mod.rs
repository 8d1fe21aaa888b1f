//! What is at the other end, chosen at run time.

pub(crate) mod connect;
pub(crate) mod device;
mod subject;

use mealybug::adapter::{Adapter, AdapterError};
use mealybug::agent::{AgentClient, AgentError, LANES};
use mealybug::serial::{Link, LinkError, SerialSul};
use mealybug::simulate::Simulated;
use mealybug::statistics::Serial;
use mealybug_core::{Input, Sul};
use miette::{Diagnostic, Report};
use thiserror::Error;

pub(crate) use subject::Subject;

use device::DeviceUnderTest;

/// What is at the other end.
#[derive(Debug)]
pub(crate) enum Endpoint<'m> {
    /// A device behind a port.
    Port(Box<SerialSul<Box<dyn Link>>>),
    /// A program.
    Adapter(Adapter),
    /// A device behind an agent.
    Agent(Box<AgentClient<Box<dyn Link>>>),
    /// A model in this process.
    Model(Simulated<'m>),
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
}

impl Sul for Endpoint<'_> {
    type Error = EndpointError;

    fn reset(&mut self) -> Result<(), EndpointError> {
        match self {
            Self::Port(sul) => Ok(sul.reset()?),
            Self::Adapter(sul) => Ok(sul.reset()?),
            Self::Agent(sul) => Ok(sul.reset()?),
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
            Self::Model(sul) => match sul.step(input) {
                Ok(output) => Ok(output),
            },
        }
    }

    fn announce(&mut self, word: &[Input]) {
        if let Self::Agent(sul) = self {
            sul.announce(word);
        }
    }

    fn reset_for(&mut self, word: &[Input]) -> Result<(), EndpointError> {
        match self {
            Self::Agent(sul) => Ok(sul.reset_for(word)?),
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
        }
    }

    fn is_suspect(error: &EndpointError) -> bool {
        matches!(error, EndpointError::Port(LinkError::Suspect { .. }))
    }

    fn is_away(error: &EndpointError) -> bool {
        match error {
            EndpointError::Port(error) => error.is_gone(),
            EndpointError::Adapter(_) => false,
            EndpointError::Agent(error) => error.is_away(),
        }
    }

    fn help(error: &EndpointError) -> Option<String> {
        error.help().map(|help| help.to_string())
    }

    fn report(error: EndpointError) -> Report {
        error.into()
    }

    fn warnings(&self) -> &[String] {
        match self {
            Self::Port(sul) => sul.warnings(),
            Self::Agent(sul) => sul.warnings(),
            Self::Adapter(_) | Self::Model(_) => &[],
        }
    }

    fn serial(&self) -> Option<Serial> {
        match self {
            Self::Port(sul) => sul.serial(),
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) => None,
        }
    }

    fn noise(&self) -> Option<f64> {
        match self {
            Self::Port(sul) => sul.noise(),
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) => None,
        }
    }

    fn is_silence(&self, input: Input, output: &str) -> bool {
        match self {
            Self::Port(sul) => sul.is_silence(input, output),
            // The agent calls it what the device file says, too, and spends no time of ours on it.
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) => false,
        }
    }

    fn lanes(&self) -> u32 {
        if let Self::Agent(_) = self { LANES } else { 1 }
    }
}
