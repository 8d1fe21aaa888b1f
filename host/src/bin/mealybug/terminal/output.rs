//! What a command says while it runs and at its end: to people, or to programs.

use clap::Args;
use serde_json::{Value, json};

use crate::terminal::say;

/// The version of the events of `--json`; docs/json.md describes them.
const FORMAT: u32 = 1;

/// What is shown.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Output {
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

impl Output {
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

    /// The first event: what begins.
    pub(crate) fn start(self, command: &str, name: &str, inputs: &[String]) {
        let version = env!("CARGO_PKG_VERSION");
        let fields = json!({
            "format": FORMAT, "version": version, "command": command, "name": name, "inputs": inputs,
        });
        self.event("start", fields);
    }

    /// Tells programs of an event; `fields` is an object.
    pub(crate) fn event(self, event: &str, fields: Value) {
        if !self.json {
            return;
        }
        let mut object = json!({ "event": event });
        if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), fields) {
            object.extend(fields);
        }
        say(&format!("{object}\n"));
    }
}
