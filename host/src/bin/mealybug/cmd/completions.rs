//! `mealybug completions`: made from the options themselves, so never out of date.

use clap::Args;
use clap_complete::Shell;
use miette::Result;

use crate::exit::Exit;
use crate::terminal::give;

/// Print a script with which a shell completes commands, options and files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug completions bash >~/.local/share/bash-completion/completions/mealybug
  mealybug completions zsh >~/.zfunc/_mealybug
  mealybug completions fish >~/.config/fish/completions/mealybug.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArgs {
    /// Runs the command; `all` is the whole command line.
    pub(crate) fn run(&self, mut all: clap::Command) -> Result<Exit> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut all, "mealybug", &mut text);
        give(text);
        Ok(Exit::Done)
    }
}
