//! The command line: one file a subcommand, and what several of them need.

mod bench;
mod check;
mod compile;
mod connect;
mod demo;
mod device;
mod diff;
mod end;
mod exchange;
mod generate;
mod hinted;
mod init;
mod interrupt;
mod learn;
mod manual;
mod model;
mod new_file;
mod observer;
mod options;
mod output;
mod ports;
mod progress;
mod projections;
mod prompt;
mod results;
mod run;
mod settings;
mod show;
mod simulate;
mod summary;
mod target;
mod target_end;
mod target_watch;
mod test;
mod time_left;
mod trouble;
mod try_out;
mod values;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mealybug::adapter::AdapterError;
use mealybug::agent::AgentError;
use mealybug::bench::RowError;
use mealybug::run_folder::RunFolderError;
use mealybug::serial::{LinkError, OpenError};
use mealybug::store::StoreError;
use mealybug::target::TargetError;
use mealybug::word::UnknownInput;
use miette::{Diagnostic, Report};
use rustix::termios;

use end::EndError;

/// Learns the state machine inside a device by talking to it over a serial port.
#[derive(Debug, Parser)]
#[command(version, about, long_about = None, arg_required_else_help = true, after_help = EXIT_STATUS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Learn(learn::Learn),
    Simulate(simulate::Simulate),
    Demo(demo::Demo),
    Ports(ports::Ports),
    Try(try_out::Try),
    Check(check::Check),
    Init(init::Init),
    Test(test::Test),
    Completions(manual::Completions),
    Man(manual::Man),
    Show(show::Show),
    Diff(diff::Diff),
    Target(target::Target),
    Compile(compile::Compile),
    Bench(bench::Bench),
    Generate(generate::Generate),
}

/// How a command ended, as the shell is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
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
    /// Ctrl-C.
    Interrupted,
}

/// What `--help` says about it.
const EXIT_STATUS: &str = "\
Exit status:
    0  done: converged, equal, passed
    1  failed: different, a file that makes no sense, anything else
    2  the command line is wrong; of `diff`, too: a model cannot be read
    3  a limit ended the run: rounds, symbols, time, memory
    4  the device contradicts itself
    5  the device failed, or the link to it was lost
    6  a disk or a folder cannot be used
  130  Ctrl-C
Whatever the end, what was learned is written.";

impl Exit {
    /// The number for the shell.
    const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            // As clap has it.
            Self::Usage => 2,
            Self::Limit => 3,
            Self::Contradiction => 4,
            Self::Device => 5,
            Self::Disk => 6,
            // As of a process that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }

    /// What kind of failure was reported.
    fn of(report: &Report) -> Self {
        let of_cause = |cause: &(dyn Error + 'static)| {
            if let Some(trouble) = cause.downcast_ref::<Trouble>() {
                return Some(trouble.exit);
            }
            if let Some(AdapterError::Interrupted) = cause.downcast_ref() {
                return Some(Self::Interrupted);
            }
            let device = cause.is::<EndError>()
                || cause.is::<AdapterError>()
                || cause.downcast_ref().is_some_and(|error: &AgentError| !error.is_usage())
                || cause.is::<LinkError>()
                || cause.is::<OpenError>()
                || cause.downcast_ref().is_some_and(TargetError::is_of_the_line);
            let disk =
                cause.is::<RunFolderError>() || cause.is::<StoreError>() || cause.is::<RowError>();
            let usage = cause.is::<UnknownInput>()
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
struct Trouble {
    exit: Exit,
    message: String,
    #[help]
    help: String,
}

impl Trouble {
    /// What happened, and what to do.
    fn report(exit: Exit, message: impl Into<String>, help: impl Into<String>) -> Report {
        Self { exit, message: message.into(), help: help.into() }.into()
    }
}

/// Runs the command and says how it ended.
pub(crate) fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Target(target) => target.run(),
        Command::Compile(compile) => compile.run(),
        Command::Learn(learn) => learn.run(),
        Command::Simulate(simulate) => simulate.run(),
        Command::Demo(demo) => demo.run(),
        Command::Ports(ports) => ports.run(),
        Command::Try(try_out) => try_out.run(),
        Command::Check(check) => check.run(),
        Command::Init(init) => init.run(),
        Command::Test(test) => test.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
        Command::Show(show) => show.run(),
        Command::Diff(diff) => diff.run(),
        Command::Bench(bench) => bench.run(),
        Command::Generate(generate) => generate.run(),
    };
    match result {
        Ok(exit) => exit.code().into(),
        Err(report) => {
            eprintln!("{report:?}");
            Exit::of(&report).code().into()
        }
    }
}

/// Prints to standard output. That nobody reads it any more is no reason to stop.
fn say(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// How many columns a line on standard output may have: no more than the terminal has.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || termios::tcgetwinsize(io::stdout()).ok().map(|size| size.ws_col.into());
    columns.or_else(terminal).filter(|&columns| columns > 0).unwrap_or(usize::MAX)
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
        assert_eq!(wrapped(Err(Trouble::report(Exit::Usage, "what", "do"))), 2);
        assert_eq!(wrapped(Err(link().into())), 5);
        assert_eq!(wrapped(Err(folder().into())), 6);
        assert_eq!(Exit::of(&link().into()), Exit::Device);
        assert_eq!(Exit::of(&EndError::from(link()).into()), Exit::Device);
    }
}
