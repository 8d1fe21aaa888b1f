//! The command line: one file a subcommand, and what several of them need.

mod demo;
mod device;
mod interrupt;
mod learn;
mod model;
mod observer;
mod options;
mod progress;
mod projections;
mod results;
mod run;
mod simulate;
mod summary;
mod table;
mod trouble;
mod values;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Learns the state machine inside a device by talking to it over a serial port.
#[derive(Debug, Parser)]
#[command(version, about, long_about = None, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Learn(learn::Learn),
    Simulate(simulate::Simulate),
    Demo(demo::Demo),
}

/// How a command ended, when nothing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// It did what it should.
    Done,
    /// A run ended before its model had withstood all tests.
    NotConverged,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    /// What the shell is told; 1 is an error, 2 a wrong option.
    const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NotConverged => 3,
            // As of a process that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }
}

/// Runs the command and says how it ended.
pub(crate) fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Learn(learn) => learn.run(),
        Command::Simulate(simulate) => simulate.run(),
        Command::Demo(demo) => demo.run(),
    };
    match result {
        Ok(exit) => exit.code().into(),
        Err(report) => {
            eprintln!("{report:?}");
            ExitCode::FAILURE
        }
    }
}

/// Prints to standard output. That nobody reads it any more is no reason to stop.
fn say(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
