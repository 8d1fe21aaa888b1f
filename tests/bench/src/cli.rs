//! The command line: a file for each subcommand, and what they share.

mod exit;
mod generate;
mod measure;
mod pairs;
mod progress;
mod run;
mod settings;
mod summary;
mod text;
mod verdicts;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mealybug::error_style;

use exit::Exit;

/// Measure what learning costs, and generate models to learn
///
/// This is the tool for research on learners. `mealybug` learns devices.
#[derive(Debug, Parser)]
#[command(version, about, arg_required_else_help = true, after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunArgs),
    Pairs(pairs::PairsArgs),
    Summary(summary::SummaryArgs),
    Verdicts(verdicts::VerdictsArgs),
    Generate(generate::GenerateArgs),
}

/// Runs the command `mealybug-bench`, and reports its errors.
pub fn main() -> ExitCode {
    error_style::suit_terminal();
    let result = match Cli::parse().command {
        Command::Run(run) => run.run(),
        Command::Pairs(pairs) => pairs.run(),
        Command::Summary(summary) => summary.run(),
        Command::Verdicts(verdicts) => verdicts.run(),
        Command::Generate(generate) => generate.run(),
    };
    let exit = result.unwrap_or_else(|report| {
        eprintln!("{report:?}");
        Exit::of(&report)
    });
    exit.code().into()
}
