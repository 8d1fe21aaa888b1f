//! What is at the other end, chosen at run time.

use mealybug::adapter::{Adapter, AdapterError};
use mealybug::serial::{Link, LinkError, SerialSul};
use mealybug::simulate::Simulated;
use mealybug::statistics::Serial;
use mealybug_core::{Input, Sul};
use miette::{Diagnostic, Report};
use thiserror::Error;

use super::device::Device;

/// What is at the other end.
#[derive(Debug)]
pub(crate) enum End<'m> {
    /// A device behind a port.
    Port(Box<SerialSul<Box<dyn Link>>>),
    /// A program.
    Adapter(Adapter),
    /// A model in this process.
    Model(Simulated<'m>),
}

/// Why the other end failed.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum EndError {
    /// The port, or the device behind it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Port(#[from] LinkError),
    /// The program, or the device behind it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Adapter(#[from] AdapterError),
}

impl Sul for End<'_> {
    type Error = EndError;

    fn reset(&mut self) -> Result<(), EndError> {
        match self {
            Self::Port(sul) => Ok(sul.reset()?),
            Self::Adapter(sul) => Ok(sul.reset()?),
            Self::Model(sul) => match sul.reset() {
                Ok(()) => Ok(()),
            },
        }
    }

    fn step(&mut self, input: Input) -> Result<&[u8], EndError> {
        match self {
            Self::Port(sul) => Ok(sul.step(input)?),
            Self::Adapter(sul) => Ok(sul.step(input)?),
            Self::Model(sul) => match sul.step(input) {
                Ok(output) => Ok(output),
            },
        }
    }
}

impl Device for End<'_> {
    fn is_worth_a_retry(error: &EndError) -> bool {
        match error {
            EndError::Port(error) => error.is_worth_a_retry(),
            // A program that ended or hangs is started again.
            EndError::Adapter(_) => true,
        }
    }

    fn is_away(error: &EndError) -> bool {
        match error {
            EndError::Port(error) => error.is_gone(),
            EndError::Adapter(_) => false,
        }
    }

    fn help(error: &EndError) -> Option<String> {
        error.help().map(|help| help.to_string())
    }

    fn report(error: EndError) -> Report {
        error.into()
    }

    fn warnings(&self) -> &[String] {
        match self {
            Self::Port(sul) => sul.warnings(),
            Self::Adapter(_) | Self::Model(_) => &[],
        }
    }

    fn serial(&self) -> Option<Serial> {
        match self {
            Self::Port(sul) => sul.serial(),
            Self::Adapter(_) | Self::Model(_) => None,
        }
    }

    fn is_silence(&self, input: Input, output: &str) -> bool {
        match self {
            Self::Port(sul) => sul.is_silence(input, output),
            Self::Adapter(_) | Self::Model(_) => false,
        }
    }
}
