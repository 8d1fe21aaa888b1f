//! `mealybug generate`: models of the two families that learners are measured on.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use mealybug::dot;
use mealybug::generate::{self, Artificial, GenerateError};
use mealybug::machine::Machine;
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};

use crate::exit::Exit;
use crate::files::model;
use crate::terminal::say;

/// Makes models to learn, as DOT.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug generate artificial --machines 2 --states 10 --seed 1 --out random-2-10-1.dot
  mealybug generate interleave lock.dot lamp.dot --out both.dot")]
pub(crate) struct Generate {
    #[command(subcommand)]
    family: Family,
}

#[derive(Debug, Subcommand)]
enum Family {
    Artificial(OfMachines),
    Interleave(Interleave),
}

/// Random machines of which one is active, and inputs L and R that switch to the one before and the next
///
/// As in the paper on OL*: the machines share their inputs a, b, …, and each has outputs of its own.
/// A machine that is not active stays where it is. The same numbers make the same model in every version.
#[derive(Debug, Args)]
struct OfMachines {
    /// How many machines
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    machines: u32,

    /// With how many states each is drawn; what cannot be reached or told apart is left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    states: u32,

    /// How many inputs, besides L and R
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=26))]
    inputs: u32,

    /// How many outputs each machine has
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    outputs: u32,

    /// What all draws follow from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The file to write it to, instead of standard output; it is overwritten
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Machines side by side, each with its own inputs
///
/// An input that several have moves them all; its output is what they say, in their order, each thing
/// once, with commas between.
#[derive(Debug, Args)]
struct Interleave {
    /// DOT files, results or folders of runs
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    files: Vec<PathBuf>,

    /// The file to write it to, instead of standard output; it is overwritten
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Generate {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        match &self.family {
            Family::Artificial(wanted) => wanted.run(),
            Family::Interleave(wanted) => wanted.run(),
        }
    }
}

impl OfMachines {
    fn run(&self) -> Result<Exit> {
        let &Self { machines, states, inputs, outputs, seed, ref out } = self;
        let machine = generate::artificial(&Artificial { machines, states, inputs, outputs, seed })
            .map_err(|error| refused(&error, "fewer --machines, or fewer --states"))?;
        give(&machine, out.as_deref())
    }
}

impl Interleave {
    fn run(&self) -> Result<Exit> {
        let mut parts = Vec::new();
        for file in &self.files {
            let part = model::read_complete(file)?;
            if part.inputs().is_empty() {
                return Err(miette!(
                    help = "leave it out: a machine without inputs never does anything",
                    "{} has no inputs",
                    file.display()
                ));
            }
            parts.push(part);
        }
        let machine = generate::interleave(&parts)
            .map_err(|error| refused(&error, "fewer or smaller machines"))?;
        give(&machine, self.out.as_deref())
    }
}

fn refused(error: &GenerateError, ask: &str) -> Report {
    miette!(help = format!("ask for {ask}"), "{error}")
}

fn give(machine: &Machine, out: Option<&Path>) -> Result<Exit> {
    let text = dot::write(machine);
    match out {
        Some(path) => std::fs::write(path, text)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", path.display()))?,
        None => say(&text),
    }
    Ok(Exit::Done)
}
