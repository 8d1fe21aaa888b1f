//! What a run says while it goes on: each message to people and to programs.

use mealybug::events::Event;

use crate::run::options::RunOptions;
use crate::run::progress::ProgressLine;
use crate::terminal::output::OutputMode;

/// Says it on standard error to people, and as events to programs.
#[derive(Debug)]
pub(crate) struct Speaker {
    pub(crate) progress: ProgressLine,
    output: OutputMode,
}

impl Speaker {
    /// Speaks as the options of a run want it.
    pub(crate) fn new(options: &RunOptions) -> Self {
        Self { progress: ProgressLine::new(options), output: options.output }
    }

    /// Whether programs listen.
    pub(crate) fn is_json(&self) -> bool {
        self.output.is_json()
    }

    /// Tells programs alone.
    pub(crate) fn event(&self, event: &Event) {
        self.output.event(event);
    }

    /// Says something that the user should know; `prefix` is for people alone.
    pub(crate) fn note(&self, prefix: &str, message: &str) {
        self.progress.note(&format!("{prefix}{message}"));
        self.output.event(&Event::Note { message: message.to_owned() });
    }

    /// Says what is perhaps wrong with the device file.
    pub(crate) fn hint(&self, kind: &str, message: &str) {
        self.progress.note(&format!("Hint: {message}"));
        self.output.event(&Event::Hint { kind: kind.to_owned(), message: message.to_owned() });
    }

    /// Says that a word is asked again.
    pub(crate) fn retry(&self, message: &str, attempt: u32) {
        self.progress.note(message);
        self.output.event(&Event::Retry { message: message.to_owned(), attempt });
    }
}
