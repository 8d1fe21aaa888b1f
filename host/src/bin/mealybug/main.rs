//! The `mealybug` command.

mod cli;
mod cmd;
mod endpoint;
mod exit;
mod files;
mod option_values;
mod run;
mod terminal;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
