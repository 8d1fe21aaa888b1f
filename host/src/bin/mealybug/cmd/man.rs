//! `mealybug man`: made from the options themselves, so never out of date.

use clap::Args;
use mealybug::word::UnknownInput;
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::exit::{CliError, Exit};
use crate::terminal::give;

/// Print the man page of a command, as roff.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug man | man -l -
  mealybug man learn >/usr/local/share/man/man1/mealybug-learn.1")]
pub(crate) struct ManArgs {
    /// The command; without it, the page about all of them
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl ManArgs {
    /// Runs the command; `all` is the whole command line.
    pub(crate) fn run(&self, mut all: clap::Command) -> Result<Exit> {
        // Names the commands in full: mealybug-learn.
        all.build();
        let command = match &self.command {
            None => all,
            Some(name) => {
                all.find_subcommand(name).cloned().ok_or_else(|| no_command(name, &all))?
            }
        };
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .into_diagnostic()
            .wrap_err("the page cannot be made")?;
        give(page);
        Ok(Exit::Done)
    }
}

fn no_command(name: &str, all: &clap::Command) -> miette::Report {
    let names: Vec<_> = all.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    let nearest = UnknownInput::new(name, &names).nearest;
    let like = nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?"));
    let help = format!("the commands are {}", names.join(", "));
    CliError::report(Exit::Usage, format!("there is no command `{name}`{like}"), help)
}
