//! `mealybug-bench generate`: models to learn, a subcommand for each generator.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use mealybug::dot;
use mealybug::machine::Machine;
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};

use super::exit::Exit;
use super::text::say;
use crate::generate::{Artificial, GenerateError, artificial, interleave};
use crate::model::read_machine;

/// Generate models to learn, as DOT
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug-bench generate artificial --machines 2 --states 10 --seed 1 --out random-2-10-1.dot
  mealybug-bench generate interleave lock.dot lamp.dot --out both.dot")]
pub(super) struct GenerateArgs {
    #[command(subcommand)]
    generator: GeneratorArgs,
}

#[derive(Debug, Subcommand)]
enum GeneratorArgs {
    Artificial(ArtificialArgs),
    Interleave(InterleaveArgs),
}

/// Random machines of which one is active; the inputs L and R switch to the one before and the next
///
/// As in the paper on OL*: the machines share their inputs a, b, …, and each has outputs of its own. A
/// machine that is not active keeps its state. The same options make the same model in every version.
#[derive(Debug, Args)]
struct ArtificialArgs {
    /// Number of machines
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    machines: u32,

    /// Number of states that each is drawn with; states that cannot be reached or told apart are left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    states: u32,

    /// Number of inputs, without L and R
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=26))]
    inputs: u32,

    /// Number of outputs of each machine
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    outputs: u32,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    target: ModelFile,
}

/// Machines side by side, each with its own inputs
///
/// An input that several machines have moves all of them; its output lists theirs, in their order, each
/// once, with commas between.
#[derive(Debug, Args)]
struct InterleaveArgs {
    /// DOT files of the machines
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    target: ModelFile,
}

/// Where the model goes.
#[derive(Debug, Args)]
struct ModelFile {
    /// File for the model, instead of standard output; it is overwritten
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl GenerateArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<Exit> {
        match &self.generator {
            GeneratorArgs::Artificial(wanted) => wanted.run(),
            GeneratorArgs::Interleave(wanted) => wanted.run(),
        }
    }
}

impl ArtificialArgs {
    fn run(&self) -> Result<Exit> {
        let &Self { machines, states, inputs, outputs, seed, ref target } = self;
        let machine = artificial(&Artificial { machines, states, inputs, outputs, seed })
            .map_err(|error| refused(&error, "fewer --machines, or fewer --states"))?;
        target.write(&machine)
    }
}

impl InterleaveArgs {
    fn run(&self) -> Result<Exit> {
        let parts: Result<Vec<_>> = self.files.iter().map(|file| part(file)).collect();
        let machine =
            interleave(&parts?).map_err(|error| refused(&error, "fewer or smaller machines"))?;
        self.target.write(&machine)
    }
}

/// A machine to be interleaved with others.
fn part(file: &Path) -> Result<Machine> {
    let part = read_machine(file)?;
    if part.inputs().is_empty() {
        return Err(miette!(
            help = "leave it out: a machine without inputs never does anything",
            "{} has no inputs",
            file.display()
        ));
    }
    Ok(part)
}

fn refused(error: &GenerateError, ask: &str) -> Report {
    miette!(help = format!("ask for {ask}"), "{error}")
}

impl ModelFile {
    fn write(&self, machine: &Machine) -> Result<Exit> {
        let text = dot::write(machine);
        match &self.out {
            Some(path) => std::fs::write(path, text)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot write {}", path.display()))?,
            None => say(&text),
        }
        Ok(Exit::Done)
    }
}
