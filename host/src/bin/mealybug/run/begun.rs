//! How a run was begun, kept in its folder, and how it goes on.

use std::path::{Path, PathBuf};

use clap::{CommandFactory, FromArgMatches};
use mealybug::algorithm::Algorithm;
use mealybug::run_folder::RunFolder;
use miette::{IntoDiagnostic, Result, WrapErr};
use serde::{Deserialize, Serialize};

use crate::cli::{Cli, Command};
use crate::cmd::learn::Learn;
use crate::endpoint::connect::{Connect, PORT_VARIABLE};

/// The name of the subcommand.
const LEARN: &str = "learn";

/// How a run was begun: what is in `options.json`. The whole command line is, so that no option can be
/// forgotten.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Begun {
    /// What followed `mealybug learn`; of an option that comes twice the last counts.
    arguments: Vec<String>,
    /// The folder in which that was said: files and programs are named from there.
    called_in: PathBuf,
    /// Where the device file was: files that it names are beside that.
    device_file: Option<PathBuf>,
}

impl Begun {
    /// A run begins with this command line: writes down what it takes to go on with it.
    pub(crate) fn keep(folder: &RunFolder, connect: &Connect, algorithm: Algorithm) -> Result<()> {
        let mut arguments = given();
        // Another version may have another default.
        arguments.extend(["--algorithm".to_owned(), algorithm.to_string()]);
        let port = std::env::var(PORT_VARIABLE).ok().filter(|port| !port.is_empty());
        let has_port = connect.device.is_some() || connect.agent;
        if let (Some(port), true, None) = (port, has_port, &connect.port) {
            arguments.extend(["--port".to_owned(), port]);
        }
        let mut device_file = None;
        if let Some(path) = &connect.device {
            let text = std::fs::read_to_string(path).into_diagnostic();
            folder.write_device_file(&text.wrap_err("cannot read the device file again")?)?;
            device_file = Some(std::path::absolute(path).into_diagnostic()?);
        }
        let called_in = std::env::current_dir().into_diagnostic()?;
        Ok(folder.write_options(&Self { arguments, called_in, device_file })?)
    }

    /// The run in the folder at `path`, and the command that goes on with it: as it was begun, and what
    /// this command line says in addition, with `words` as its --words.
    ///
    /// From here on this process works in the folder in which the run was begun.
    pub(crate) fn resume(path: &Path, words: Option<&Path>) -> Result<(RunFolder, Learn)> {
        let mut folder = RunFolder::resume(path)?;
        let mut begun: Self = folder.read_options()?;
        begun.arguments.extend(given());
        if begun.called_in != std::env::current_dir().into_diagnostic()? {
            if let Some(words) = words {
                let words = std::path::absolute(words).into_diagnostic()?;
                begun.arguments.push(format!("--words={}", words.display()));
            }
            folder = RunFolder::resume(&std::path::absolute(path).into_diagnostic()?)?;
            // Where it is there no more, perhaps nothing was named from there.
            if begun.called_in.is_dir() {
                let entered = std::env::set_current_dir(&begun.called_in).into_diagnostic();
                let called_in = begun.called_in.display();
                entered.wrap_err_with(|| format!("the run was begun in {called_in}"))?;
            }
        }
        let name = ["mealybug", LEARN].map(str::to_owned);
        let command = Cli::command().mut_subcommand(LEARN, |learn| learn.args_override_self(true));
        let matches = command.try_get_matches_from(name.iter().chain(&begun.arguments));
        let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
        let Command::Learn(mut learn) = cli.unwrap_or_else(|error| error.exit()).command else {
            unreachable!("the subcommand is given")
        };
        if let Some(path) = &begun.device_file {
            learn.connect.device_text = Some(folder.read_device_file()?);
            learn.connect.device = Some(path.clone());
        }
        folder.write_options(&begun)?;
        Ok((folder, learn))
    }
}

/// The arguments of this command line, without the subcommand and `--resume`.
fn given() -> Vec<String> {
    let all = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    let mut arguments = Vec::new();
    let mut is_learn_there = false;
    let mut is_folder = false;
    for argument in all {
        if std::mem::take(&mut is_folder) || argument.starts_with("--resume=") {
            continue;
        }
        if argument == "--resume" {
            is_folder = true;
        } else if argument == LEARN && !is_learn_there {
            is_learn_there = true;
        } else {
            arguments.push(argument);
        }
    }
    arguments
}
