//! What a command says while it runs and at its end: to people, or to programs.

use clap::Args;
use mealybug::events::{CommandName, Event, FORMAT};
use serde::{Deserialize, Serialize};

use crate::terminal::{give, say};

/// What is shown.
#[derive(Clone, Copy, Debug, Default, Args, Serialize, Deserialize)]
pub(crate) struct OutputMode {
    /// Show nothing but errors; the files and the exit status say the rest
    #[arg(long, short, conflicts_with = "json", help_heading = "Output")]
    quiet: bool,

    /// Do not show how it goes on; what goes wrong is still shown
    #[arg(long, help_heading = "Output")]
    no_progress: bool,

    /// Events for programs on standard output, one JSON object a line (docs/json.md)
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl OutputMode {
    /// Whether people want to see how it goes on.
    pub(crate) fn shows_progress(self) -> bool {
        !self.quiet && !self.no_progress
    }

    /// Whether people want to see what goes wrong and is mended.
    pub(crate) fn shows_notes(self) -> bool {
        !self.quiet
    }

    /// Whether programs listen.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Says something to people.
    pub(crate) fn say(self, text: &str) {
        if !self.quiet && !self.json {
            say(text);
        }
    }

    /// Prints the first event.
    pub(crate) fn start(self, command: CommandName, name: &str, inputs: &[String]) {
        self.event(&Event::Start {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command,
            name: name.to_owned(),
            inputs: inputs.to_vec(),
        });
    }

    /// Prints an event, if programs listen.
    pub(crate) fn event(self, event: &Event) {
        if self.json {
            let line = serde_json::to_string(event).expect("its keys are strings");
            give(line + "\n");
        }
    }
}
