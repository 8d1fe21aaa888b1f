//! `mealybug-bench generate`: models to learn, a subcommand for each generator.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use mealybug::dot;
use mealybug::machine::Machine;
use miette::{Report, Result, miette};
use serde::Serialize;

use super::exit::BenchExit;
use super::text::{OutputError, say, write};
use crate::generate::{
    Artificial, BehaviourFamily, GenerateError, artificial, hidden, interleave, prefixed,
    random_base,
};
use crate::model::read_machine;

/// How many draws a machine may take, on average.
const TRIES: u64 = 20;

/// Generate models to learn, as DOT
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug-bench generate artificial --machines 2 --states 10 --seed 1 --out random-2-10-1.dot
  mealybug-bench generate interleave lock.dot lamp.dot --out both.dot
  mealybug-bench generate interleave lamp.dot lamp.dot --prefix --out lamps.dot
  mealybug-bench generate hidden --count 400 --out hidden
  mealybug-bench generate hidden lock.dot lamp.dot --family counter,payload --max-symbols 10000 --out hidden")]
pub(super) struct GenerateArgs {
    #[command(subcommand)]
    generator: GeneratorArgs,
}

#[derive(Debug, Subcommand)]
enum GeneratorArgs {
    Artificial(ArtificialArgs),
    Interleave(InterleaveArgs),
    Hidden(HiddenArgs),
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

    /// Begin each input with the number of its machine, `1.` or `2.`, so that machines share no input
    #[arg(long)]
    prefix: bool,

    #[command(flatten)]
    target: ModelFile,
}

/// Machines that hide something, as firmware does
///
/// Plants a behaviour into each machine: a counter of errors that locks the device, a sequence of inputs that unlocks
/// something, a payload that is swallowed and checked, a mode that shows three inputs later, a time-out in one state, a
/// counter that wraps around, or a wrong transition far from the initial state. FILEs are taken in turn; without them the
/// machines are random, with 4 to 12 states.
///
/// hidden.csv lists all machines with their parameters, and with the symbols to meet: the mean number of symbols of
/// random words until an output differs from that of the machine without the behaviour.
#[derive(Debug, Args)]
struct HiddenArgs {
    /// DOT files of machines to plant into
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Families, with commas between [default: all, in turn]
    #[arg(long, value_name = "FAMILY", value_enum, value_delimiter = ',')]
    family: Vec<BehaviourFamily>,

    /// Number of machines
    #[arg(long, value_name = "N", default_value_t = 400)]
    count: u32,

    /// Leave out behaviours that take more symbols than this to meet
    #[arg(long, value_name = "N")]
    max_symbols: Option<f64>,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Folder for the models and hidden.csv; it must be new, or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// A machine that hides something.
struct HiddenModel {
    /// Its line in hidden.csv.
    row: HiddenRow,
    /// Its file.
    dot: String,
}

/// A line of hidden.csv.
#[derive(Serialize)]
struct HiddenRow {
    #[serde(rename = "Model")]
    model: String,
    #[serde(rename = "Family")]
    family: &'static str,
    #[serde(rename = "Parameters")]
    parameters: String,
    #[serde(rename = "Base")]
    base: String,
    #[serde(rename = "Base states")]
    base_states: u32,
    #[serde(rename = "States")]
    states: u32,
    #[serde(rename = "Symbols to meet")]
    symbols_to_meet: f64,
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
    pub(super) fn run(&self) -> Result<BenchExit> {
        match &self.generator {
            GeneratorArgs::Artificial(wanted) => wanted.run(),
            GeneratorArgs::Interleave(wanted) => wanted.run(),
            GeneratorArgs::Hidden(wanted) => wanted.run(),
        }
    }
}

impl ArtificialArgs {
    fn run(&self) -> Result<BenchExit> {
        let &Self { machines, states, inputs, outputs, seed, ref target } = self;
        let machine = artificial(&Artificial { machines, states, inputs, outputs, seed })
            .map_err(|error| refused(&error, "fewer --machines, or fewer --states"))?;
        target.write(&machine)
    }
}

impl InterleaveArgs {
    fn run(&self) -> Result<BenchExit> {
        let parts: Result<Vec<_>> = self.files.iter().map(|file| part(file)).collect();
        let mut parts = parts?;
        if self.prefix {
            parts = prefixed(&parts);
        }
        let machine =
            interleave(&parts).map_err(|error| refused(&error, "fewer or smaller machines"))?;
        self.target.write(&machine)
    }
}

impl HiddenArgs {
    fn run(&self) -> Result<BenchExit> {
        let is_empty =
            |folder: &Path| std::fs::read_dir(folder).is_ok_and(|mut it| it.next().is_none());
        if self.out.exists() && !is_empty(&self.out) {
            return Err(miette!(
                help = "nothing is overwritten: name another folder, or empty this one",
                "{} is not an empty folder",
                self.out.display()
            ));
        }
        let bases: Result<Vec<_>> =
            self.files.iter().map(|file| Ok((stem(file), part(file)?))).collect();
        let bases = bases?;
        let made = self.make(&bases)?;
        std::fs::create_dir_all(&self.out)
            .map_err(|error| OutputError::new(self.out.display().to_string(), error))?;
        let mut rows = csv::Writer::from_writer(Vec::new());
        for HiddenModel { row, dot } in &made {
            write(&self.out.join(&row.model), dot)?;
            rows.serialize(row).expect("a row can be written to memory");
        }
        let rows = rows.into_inner().expect("a row can be written to memory");
        write(&self.out.join("hidden.csv"), &String::from_utf8_lossy(&rows))?;
        say(&format!("{} machines in {}\n", made.len(), self.out.display()))?;
        Ok(BenchExit::Done)
    }

    /// Makes the machines. Nothing is written yet: the same folder can be named again if they are too few.
    fn make(&self, bases: &[(String, Machine)]) -> Result<Vec<HiddenModel>> {
        let families =
            if self.family.is_empty() { &BehaviourFamily::ALL[..] } else { &self.family };
        let count = self.count as usize;
        let mut made = Vec::new();
        // Some bases cannot hide some behaviours; a seed of its own for each try.
        for attempt in 0..u64::from(self.count).saturating_mul(TRIES) {
            if made.len() == count {
                break;
            }
            let seed = self.seed.wrapping_mul(1 << 32).wrapping_add(attempt);
            let family = families[made.len() % families.len()];
            let at = usize::try_from(attempt).unwrap_or(usize::MAX);
            let (base, machine) = match bases.get(at % bases.len().max(1)) {
                Some((name, machine)) => (name.clone(), machine.clone()),
                None => (format!("random-{seed}"), random_base(seed)),
            };
            let Some(found) = hidden(&machine, family, seed) else { continue };
            if self.max_symbols.is_some_and(|most| found.symbols_to_meet > most) {
                continue;
            }
            let row = HiddenRow {
                model: format!("{family}-{}.dot", made.len()),
                family: family.name(),
                parameters: found.behaviour.parameters(&machine),
                base,
                base_states: found.plain.states(),
                states: found.machine.states(),
                symbols_to_meet: found.symbols_to_meet,
            };
            made.push(HiddenModel { row, dot: dot::write(&found.machine) });
        }
        if made.len() < count {
            return Err(miette!(
                help = "more or larger FILEs, other --family, or a larger --max-symbols",
                "{} machines were made instead of {count}: these bases hide no more",
                made.len()
            ));
        }
        Ok(made)
    }
}

/// The name of a file, without its ending.
fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
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
    fn write(&self, machine: &Machine) -> Result<BenchExit> {
        let text = dot::write(machine);
        match &self.out {
            Some(path) => write(path, &text)?,
            None => say(&text)?,
        }
        Ok(BenchExit::Done)
    }
}
