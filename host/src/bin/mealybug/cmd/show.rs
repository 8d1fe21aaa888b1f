//! `mealybug show`: a model in another format, and what a target said.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use mealybug::export;
use mealybug::machine::Machine;
use mealybug::modules::Modules;
use mealybug::run_folder::file_names;
use mealybug::statistics::number;
use mealybug::target::{LogReader, TargetCapture, What, is_capture};
use mealybug::{dot, picture};
use miette::{Report, Result, miette};

use crate::exit::{CliError, Exit};
use crate::files::model::Loaded;
use crate::files::out_file::{OutFile, not_written};
use crate::terminal::{give, say, width};

/// The columns of a table for a file or a pipe, unless COLUMNS says another number.
const PAGE: usize = 120;

/// Show a model as a table, a picture, or in the format of another tool.
///
/// For a file with what a target said on its line, the messages come first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug show mealybug-runs/lock-1                    # a table that fits the terminal
  mealybug show mealybug-runs/lock-1 --component opened
  mealybug show lock.dot --modules                      # the machines that it consists of
  mealybug show lock.dot --modules --format svg --out pictures
  mealybug show mealybug-runs/lock-1 --format svg --out lock.svg
  mealybug show lock.dot --format mermaid --out lock.mmd
  mealybug show partial.dot --complete-with unknown --format dot --out whole.dot")]
pub(crate) struct ShowArgs {
    /// A DOT file, the result.postcard of a run, the folder of a run, or what a target said
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// How to show it
    #[arg(long, value_enum, default_value_t = ShowFormat::Table)]
    format: ShowFormat,

    /// What places the states in a picture: `--format svg` or `png`
    #[arg(long, value_enum, default_value_t = Engine::Own)]
    engine: Engine,

    /// Only the component of this name
    #[arg(long, value_name = "NAME")]
    component: Option<String>,

    /// The machines that it consists of, if it is several machines side by side
    ///
    /// They have as few states in total as possible. Each knows some inputs, some outputs, or some pairs of an input and
    /// an output; the others it ignores, or they only move it. With a --format for one machine, such as dot, --out names
    /// a folder for a file of each.
    #[arg(long, conflicts_with = "component")]
    modules: bool,

    /// Answer with OUTPUT what was never asked, and all that follows; for tools that want a complete
    /// model
    ///
    /// Each missing transition leads to a new state that answers every input with OUTPUT. It is no
    /// self-loop, because nothing is known about where the device goes. A note says so.
    #[arg(long, value_name = "OUTPUT")]
    complete_with: Option<String>,

    /// The ELF file of the target's program, to read the target's log
    #[arg(long, value_name = "ELF")]
    elf: Option<PathBuf>,

    /// The file to write to, instead of standard output; an existing file is overwritten. With --modules, a folder
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// Text, for people
    Table,
    /// Graphviz, and what other learners read
    Dot,
    /// A state diagram for wikis
    Mermaid,
    /// A state diagram of PlantUML
    Plantuml,
    /// State Chart XML of W3C, for tools that run state machines
    Scxml,
    /// For programs
    Json,
    /// A picture
    Svg,
    /// A picture, made by `rsvg-convert` of librsvg if it is installed
    Png,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Mealybug: at once, for at most 60 states, light or dark as the reader prefers
    Own,
    /// Graphviz, if it is installed: for any number of states, within 30 s
    Dot,
}

/// How long a program that draws may take. Graphviz draws some machines of 60 states in a second and others in minutes.
const PROGRAM_LIMIT: Duration = Duration::from_secs(30);

impl ShowArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        if self.engine == Engine::Dot && !matches!(self.format, ShowFormat::Svg | ShowFormat::Png) {
            return Err(CliError::report(
                Exit::Usage,
                "--engine dot draws pictures only",
                "add --format svg, or leave out --engine dot",
            ));
        }
        if self.format == ShowFormat::Png && self.out.is_none() && io::stdout().is_terminal() {
            return Err(CliError::report(
                Exit::Usage,
                "a PNG is not for terminals",
                "add --out FILE, or send standard output to a file",
            ));
        }
        let reader = self.elf.as_deref().map(LogReader::load).transpose()?;
        let mut listing = String::new();
        if self.format == ShowFormat::Table
            && self.component.is_none()
            && !self.modules
            && let Some(capture) = capture(&self.file)
        {
            listing = listed(&capture, reader.as_ref());
            if capture.result.is_none() && capture.hypothesis.is_none() {
                return self.give(listing.as_bytes());
            }
            listing.push('\n');
        }
        let mut loaded = Loaded::read(&self.file)?;
        let mut machine = match &self.component {
            Some(name) => loaded.component(name)?,
            None => loaded.machine()?,
        };
        let unknown = machine.gaps().unknown;
        if let Some(output) = self.complete_with.as_ref().filter(|_| unknown > 0) {
            // A module numbers its states anew.
            let state = match self.modules {
                true => "a new state".to_owned(),
                false => format!("s{}", machine.states()),
            };
            let completed = format!(
                "completed: transitions never asked, which lead to {state} and answer `{output}`: {unknown}"
            );
            loaded.note = Some(match &loaded.note {
                Some(note) => format!("{note}; {completed}"),
                None => completed,
            });
            machine = machine.complete_with(output);
        }
        if self.modules {
            return self.show_modules(&machine, &loaded);
        }
        let mut content = listing.into_bytes();
        content.extend(self.content(&machine, &loaded)?);
        self.give(&content)
    }

    fn show_modules(&self, machine: &Machine, loaded: &Loaded) -> Result<Exit> {
        let modules = Modules::new(machine).ok_or_else(|| {
            let help = match machine.gaps().unknown {
                0 => "learn the device to the end: where an open transition leads is a guess, which --complete-with leaves \
                      as it is",
                _ => "learn the device to the end, or say with --complete-with what the rest answers",
            };
            miette!(
                help = help,
                "the modules of a partial model are not known: {}",
                machine.gaps()
            )
        })?;
        let note = loaded.note.as_deref();
        if self.format == ShowFormat::Json {
            let json = export::modules_json(&modules, loaded.converged, note);
            return self.give(json.as_bytes());
        }
        if self.format == ShowFormat::Table {
            let mut text =
                note.map_or_else(String::new, |note| format!("{note}\n\n")) + &modules.text();
            for module in &modules.modules {
                let table = export::table(&module.machine, self.width());
                write!(text, "\n{}\n{table}", export::shown(&module.name))
                    .expect("a string takes everything");
            }
            return self.give(text.as_bytes());
        }
        let Some(folder) = &self.out else {
            return Err(CliError::report(
                Exit::Usage,
                "each module is a file of its own in this format",
                "add --out FOLDER, or take --format table or json",
            ));
        };
        std::fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
        let files = file_names(&modules.names(), self.format.ending());
        for (module, file) in modules.modules.iter().zip(files) {
            let content = self.content(&module.machine, loaded)?;
            OutFile::try_at(&folder.join(file))?.write(content)?;
        }
        say(&modules.text());
        Ok(Exit::Done)
    }

    /// How wide a table is at most.
    fn width(&self) -> usize {
        Some(width()).filter(|&edge| self.out.is_none() && edge < usize::MAX).unwrap_or(PAGE)
    }

    fn give(&self, content: &[u8]) -> Result<Exit> {
        match &self.out {
            Some(path) => OutFile::try_at(path)?.write(content)?,
            None if self.format == ShowFormat::Table => say(&String::from_utf8_lossy(content)),
            None => give(content),
        }
        Ok(Exit::Done)
    }

    fn content(&self, machine: &Machine, loaded: &Loaded) -> Result<Vec<u8>> {
        let note = loaded.note.as_deref();
        let text = match self.format {
            ShowFormat::Dot => dot::write_with_note(machine, note),
            ShowFormat::Mermaid => export::mermaid(machine, note),
            ShowFormat::Plantuml => export::plantuml(machine, note),
            ShowFormat::Scxml => export::scxml(machine, note),
            ShowFormat::Json => export::json(machine, loaded.converged, note),
            ShowFormat::Svg => self.svg(machine, note)?,
            ShowFormat::Png => return Ok(picture::png(self.svg(machine, note)?, PROGRAM_LIMIT)?),
            ShowFormat::Table => {
                let note = note.map_or_else(String::new, |note| format!("{note}\n\n"));
                note + &export::table(machine, self.width())
            }
        };
        Ok(text.into_bytes())
    }

    fn svg(&self, machine: &Machine, note: Option<&str>) -> Result<String> {
        match self.engine {
            Engine::Dot => Ok(picture::svg_by_graphviz(machine, note, PROGRAM_LIMIT)?),
            Engine::Own => picture::svg(machine, note).ok_or_else(|| too_large(machine)),
        }
    }
}

impl ShowFormat {
    /// The ending of the name of a file.
    const fn ending(self) -> &'static str {
        match self {
            Self::Table => "txt",
            Self::Dot => "dot",
            Self::Mermaid => "mmd",
            Self::Plantuml => "puml",
            Self::Scxml => "scxml",
            Self::Json => "json",
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

/// What a target said, if that is what the file holds.
fn capture(path: &Path) -> Option<TargetCapture> {
    let bytes = std::fs::read(path).ok()?;
    is_capture(&bytes).then(|| TargetCapture::read(&bytes))
}

/// All that is in a capture, a line each: where it begins, and what it is.
fn listed(capture: &TargetCapture, reader: Option<&LogReader>) -> String {
    let mut text = String::new();
    let mut line = |at: usize, what: &str| {
        writeln!(text, "{:>9}  {what}", number(at as u64)).expect("a string takes everything");
    };
    for entry in &capture.entries {
        match (&entry.what, reader) {
            (What::Said(what), _) => line(entry.at, what),
            (What::Lost(what), _) => line(entry.at, &format!("LOST: {what}")),
            (What::Log(piece), None) => {
                line(entry.at, &format!("log, {} bytes, which --elf makes readable", piece.len()));
            }
            (What::Log(piece), Some(reader)) => {
                for message in reader.read(piece) {
                    let unreadable = "log: a message that --elf does not know".to_owned();
                    line(entry.at, &message.map_or(unreadable, |message| format!("log {message}")));
                }
            }
        }
    }
    let [messages, lost] = [capture.messages, capture.lost].map(number);
    let summary = format!("{messages} messages, {lost} frames damaged or missing; ");
    text + "\n"
        + &summary
        + match (&capture.result, &capture.hypothesis) {
            (Some(_), _) => "this is the result:\n",
            (None, Some(_)) => "the result is not whole, but this hypothesis:\n",
            (None, None) => "no hypothesis or result is whole\n",
        }
}

/// A picture would be a tangle.
fn too_large(machine: &Machine) -> Report {
    let states = machine.states();
    miette!(
        help = "show a --component of a run, or the --modules that it consists of, which are smaller; or a --format table. --engine dot \
                tries it with Graphviz",
        "a machine of {states} states is too large for a picture; at most {} are drawn",
        picture::MAX_STATES
    )
}
