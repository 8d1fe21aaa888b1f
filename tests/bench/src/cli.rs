//! The command line: a file for each subcommand, and what they share.

mod exit;
mod failures;
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

use exit::BenchExit;

/// Measure what learning costs, and generate models to learn
///
/// This is the tool for research on learners. `mealybug` learns devices.
#[derive(Debug, Parser)]
#[command(version, about, arg_required_else_help = true, after_help = exit::HELP)]
struct BenchCli {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    Run(run::RunArgs),
    Pairs(pairs::PairsArgs),
    Summary(summary::SummaryArgs),
    Verdicts(verdicts::VerdictsArgs),
    Generate(generate::GenerateArgs),
}

/// Runs the command `mealybug-bench`, and reports its errors.
pub fn main() -> ExitCode {
    error_style::suit_terminal();
    let result = match BenchCli::parse().command {
        BenchCommand::Run(run) => run.run(),
        BenchCommand::Pairs(pairs) => pairs.run(),
        BenchCommand::Summary(summary) => summary.run(),
        BenchCommand::Verdicts(verdicts) => verdicts.run(),
        BenchCommand::Generate(generate) => generate.run(),
    };
    let exit = result.unwrap_or_else(|report| {
        eprintln!("{report:?}");
        BenchExit::of(&report)
    });
    exit.code().into()
}
