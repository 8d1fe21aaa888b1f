//! How a command ends, and the errors that say so.

use std::error::Error;

use mealybug::adapter::AdapterError;
use mealybug::agent::AgentError;
use mealybug::interrupt;
use mealybug::place::PlaceError;
use mealybug::run_folder::RunFolderError;
use mealybug::serial::{LinkError, OpenError};
use mealybug::store::StoreError;
use mealybug::target::TargetError;
use mealybug::word::UnknownInput;
use mealybug::words::WordsError;
use miette::{Diagnostic, Report};

use crate::endpoint::EndpointError;

/// How a command ended, as the shell is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what it should: converged, equal, passed.
    Done,
    /// It failed; two things differ that should not.
    Failed,
    /// The command line is wrong.
    Usage,
    /// A limit ended a run: rounds, symbols, time, memory.
    Limit,
    /// The device contradicts itself.
    Contradiction,
    /// The device failed, or the link to it.
    Device,
    /// A disk or a folder cannot be used.
    Disk,
    /// Ctrl-C, or a request to end.
    Interrupted,
}

impl Exit {
    /// The number for the shell.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            // As clap has it.
            Self::Usage => 2,
            Self::Limit => 3,
            Self::Contradiction => 4,
            Self::Device => 5,
            Self::Disk => 6,
            Self::Interrupted => interrupt::EXIT_STATUS,
        }
    }

    /// What kind of failure was reported.
    pub(crate) fn of(report: &Report) -> Self {
        let of_cause = |cause: &(dyn Error + 'static)| {
            if let Some(trouble) = cause.downcast_ref::<CliError>() {
                return Some(trouble.exit);
            }
            if let Some(AdapterError::Interrupted) = cause.downcast_ref() {
                return Some(Self::Interrupted);
            }
            if let Some(TargetError::Left) = cause.downcast_ref() {
                return Some(Self::Interrupted);
            }
            if let Some(OpenError::Place(error)) = cause.downcast_ref()
                && matches!(**error, PlaceError::Interrupted)
            {
                return Some(Self::Interrupted);
            }
            let endpoint = cause.downcast_ref::<EndpointError>();
            let device = endpoint.is_some_and(|error| !error.is_of_the_disk())
                || cause.is::<AdapterError>()
                || cause.downcast_ref().is_some_and(AgentError::is_of_the_device)
                || cause.is::<LinkError>()
                || cause.is::<OpenError>()
                || cause.downcast_ref().is_some_and(TargetError::is_of_the_line);
            let disk = cause.is::<RunFolderError>()
                || cause.is::<StoreError>()
                || endpoint.is_some_and(EndpointError::is_of_the_disk);
            let usage = cause.is::<UnknownInput>()
                || cause.is::<WordsError>()
                || cause.downcast_ref().is_some_and(AgentError::is_usage);
            let of = |is: bool, exit| is.then_some(exit);
            of(device, Self::Device).or(of(disk, Self::Disk)).or(of(usage, Self::Usage))
        };
        report.chain().find_map(of_cause).unwrap_or(Self::Failed)
    }
}

/// A failure of which only the command knows what kind it is.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
pub(crate) struct CliError {
    exit: Exit,
    message: String,
    #[help]
    help: String,
}

impl CliError {
    /// What happened, and what to do.
    pub(crate) fn report(
        exit: Exit,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Report {
        Self { exit, message: message.into(), help: help.into() }.into()
    }
}

#[cfg(test)]
mod tests {
    use miette::{WrapErr, miette};

    use super::*;

    #[test]
    fn the_cause_of_a_failure_is_its_exit_status_whatever_is_said_around_it() {
        let link = || LinkError::Gone { during: "`a` was sent".to_owned() };
        let folder = || RunFolderError::NotAFolder { path: "x".into() };
        let wrapped = |result: Result<(), Report>| {
            Exit::of(&result.wrap_err("inner").wrap_err("outer").expect_err("it is one")).code()
        };
        assert_eq!(wrapped(Err(miette!("something"))), 1);
        assert_eq!(wrapped(Err(CliError::report(Exit::Usage, "what", "do"))), 2);
        assert_eq!(wrapped(Err(link().into())), 5);
        assert_eq!(wrapped(Err(folder().into())), 6);
        assert_eq!(Exit::of(&link().into()), Exit::Device);
        assert_eq!(Exit::of(&EndpointError::from(link()).into()), Exit::Device);
    }
}
