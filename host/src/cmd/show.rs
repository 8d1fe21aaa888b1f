//! `mealybug show`: a model in another format.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mealybug::export;
use mealybug::machine::Machine;
use mealybug::{dot, picture};
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};

use super::model::Loaded;
use super::{Exit, say, width};

/// Shows a model: as a table, a picture, or as DOT, Mermaid or JSON.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug show mealybug-runs/lock-1                    # a table that fits the terminal
  mealybug show mealybug-runs/lock-1 --component opened
  mealybug show mealybug-runs/lock-1 --format svg --out lock.svg
  mealybug show lock.dot --format mermaid --out lock.mmd")]
pub(crate) struct Show {
    /// A DOT file, the result.postcard of a run, or the folder of a run
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// How to show it
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Only the component of this name
    #[arg(long, value_name = "NAME")]
    component: Option<String>,

    /// The file to write it to, instead of standard output; it is overwritten
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text, for people
    Table,
    /// Graphviz, and what other learners read
    Dot,
    /// A state diagram for wikis
    Mermaid,
    /// For programs
    Json,
    /// A picture
    Svg,
}

impl Show {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        let loaded = Loaded::read(&self.file)?;
        let machine = match &self.component {
            Some(name) => loaded.component(name)?,
            None => loaded.machine()?,
        };
        let text = self.text(&machine, &loaded)?;
        match &self.out {
            Some(path) => std::fs::write(path, text)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot write {}", path.display()))?,
            None => say(&text),
        }
        Ok(Exit::Done)
    }

    fn text(&self, machine: &Machine, loaded: &Loaded) -> Result<String> {
        let note = loaded.note.as_deref();
        Ok(match self.format {
            Format::Dot => dot::write_with_note(machine, note),
            Format::Mermaid => export::mermaid(machine, note),
            Format::Json => export::json(machine, loaded.converged, note),
            Format::Svg => picture::svg_of_file(machine, note).ok_or_else(|| too_large(machine))?,
            Format::Table => {
                let width = if self.out.is_some() { usize::MAX } else { width() };
                let note = note.map_or_else(String::new, |note| format!("{note}\n\n"));
                note + &export::table(machine, width)
            }
        })
    }
}

/// A picture would be a tangle.
fn too_large(machine: &Machine) -> Report {
    let states = machine.states();
    miette!(
        help = "show a --component, which is smaller, or a --format table",
        "a machine of {states} states is too large for a picture; at most {} are drawn",
        picture::MAX_STATES
    )
}
