//! `mealybug init`: a first device file, from a few questions.

mod answers;
mod bytes;
mod kind;
mod known;
mod last_line;
mod questions;

use std::cell::RefCell;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use mealybug::device::{DeviceFile, PortSection};
use mealybug::draft::Draft;
use mealybug::place::{self, Place};
use mealybug::serial::PortAddress;
use miette::Result;

use crate::endpoint::connect::{PORT_VARIABLE, port_of_environment};
use crate::exit::{CliError, Exit};
use crate::files::device_file;
use crate::files::new_file::{must_be_new, write_new};
use crate::terminal::{say, width};
use kind::DeviceKind;
use questions::{GivenPort, Questions};

/// Write a first device file, with comments: from what the device says, and a few questions.
///
/// At a port it finds out by itself at which baud rate and with which line end the device answers,
/// whether it has an echo, what its prompt is, whether it needs a pause between lines, and what it says
/// after a reset. --kind asks nothing and writes an example of that kind, for you to edit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug init lock.toml
  mealybug init lock.toml --port /dev/ttyUSB0
  mealybug init lock.toml --kind console")]
pub(crate) struct InitArgs {
    /// The device file; it must be new
    #[arg(value_name = "DEVICE.toml", default_value = "device.toml")]
    file: PathBuf,

    /// Ask nothing; write an example for a device of this kind
    #[arg(long, value_enum)]
    kind: Option<DeviceKind>,

    /// Where the device is, which is then not asked: a serial port, tcp:HOST:PORT or rfc2217:HOST:PORT; else
    /// MEALYBUG_PORT
    #[arg(long, value_name = "PORT", conflicts_with = "kind")]
    port: Option<String>,

    /// A place of a labgrid coordinator: acquire it, use its serial port, release it at the end (docs/boards.md)
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new(), conflicts_with_all = ["kind", "port"])]
    place: Option<String>,
}

impl InitArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        let shown = self.file.display();
        must_be_new(&self.file)?;
        let draft = match self.kind {
            Some(kind) => kind.example(),
            None if !io::stdin().is_terminal() => {
                return Err(CliError::report(
                    Exit::Usage,
                    "there is nobody to ask: standard input is no terminal",
                    "give --kind console, lines, modem, frames or bytes for an example to edit",
                ));
            }
            None => {
                // Acquired once for all baud rates that are tried.
                let acquired: RefCell<Option<(String, Place)>> = RefCell::new(None);
                let open = |port: &str, baud| {
                    let settings = PortSection { baud, ..PortSection::default() };
                    let address = PortAddress::parse(port)?;
                    let PortAddress::Place(name) = &address else {
                        return address.open(&settings);
                    };
                    let mut acquired = acquired.borrow_mut();
                    if acquired.as_ref().is_none_or(|(before, _)| before != name) {
                        let place = Place::acquire(name).map_err(Box::new)?;
                        if acquired.replace((name.clone(), place)).is_none() {
                            place::end_with_signals();
                        }
                    }
                    let found = acquired.as_ref().map(|(_, place)| PortAddress::from(place.port()));
                    found.unwrap_or(address).open(&settings)
                };
                let (answers, shown) = (&mut io::stdin().lock(), &mut io::stdout());
                let folder = self.file.parent().unwrap_or(Path::new(""));
                let questions = Questions::new(answers, shown, &open, self.given_port());
                questions.in_folder(folder).in_columns(width()).ask()?
            }
        };
        let name = self.file.file_name().unwrap_or(self.file.as_os_str()).to_string_lossy();
        let text = draft.text(&name);
        write_new(&self.file, &text)?;
        if let Err(mistake) = DeviceFile::parse(&self.file, &text) {
            // That would be our fault, and is no reason to lose the answers.
            say(&format!("\nWritten to {shown}, with a mistake to mend there:\n"));
            return Err(mistake.into());
        }
        device_file::remember(&self.file, &text);
        say(&format!("\nWritten to {shown}.\n{}", next_steps(&self.file, &draft)));
        Ok(Exit::Done)
    }

    /// The port that need not be asked for.
    fn given_port(&self) -> Option<GivenPort> {
        let by_option = self.port.clone().map(|port| (port, "--port"));
        let by_place = || Some((format!("place:{}", self.place.as_ref()?), "--place"));
        let by_variable = || Some((port_of_environment()?, PORT_VARIABLE));
        let (port, source) = by_option.or_else(by_place).or_else(by_variable)?;
        Some(GivenPort { port, source })
    }
}

/// What to do with the file.
fn next_steps(file: &Path, draft: &Draft) -> String {
    let port = if draft.port.is_some() { "" } else { "--port PORT " };
    let file = file.display();
    format!(
        "  mealybug try {port}{file}      talk to the device by hand\n  \
           mealybug check {port}{file}    does the file fit?\n  \
           mealybug learn {port}{file}    learn it\n"
    )
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_example_is_a_device_file() {
        for kind in DeviceKind::value_variants() {
            let text = kind.example().text("lock.toml");
            DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
        }
    }
}
