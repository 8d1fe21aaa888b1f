//! The `mealybug` command.

mod cli;
mod cmd;
mod endpoint;
mod exit;
mod files;
mod run;
mod terminal;
mod values;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
