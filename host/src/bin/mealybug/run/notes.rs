//! What a run says that stays: each message to people and to programs.

use std::sync::{Arc, Mutex};

use indicatif::ProgressBar;
use mealybug::events::Event;

use crate::run::board_news::Tell;
use crate::terminal::output::OutputMode;
use crate::terminal::{complain, note};

/// The last notes, the newest first.
pub(crate) type KeptNotes = Arc<Mutex<Vec<String>>>;

/// What a run does while nothing can be asked.
pub(crate) const WAITING: &str = "waiting for the device to come back";

/// How many notes are kept.
const KEPT: usize = 20;

/// Says it on standard error to people, and as events to programs.
#[derive(Clone, Debug)]
pub(crate) struct Notes {
    /// The lines that change, on a terminal: notes stand above them.
    bar: Option<ProgressBar>,
    output: OutputMode,
    /// Those that the page of `--live` shows.
    kept: Option<KeptNotes>,
}

impl Notes {
    /// Notes above the lines of `bar`, if there are such lines.
    pub(crate) fn new(bar: Option<ProgressBar>, output: OutputMode) -> Self {
        Self { bar, output, kept: None }
    }

    /// Keeps the last notes there from now on.
    pub(crate) fn keep(&mut self, kept: KeptNotes) {
        self.kept = Some(kept);
    }

    /// Tells programs alone.
    pub(crate) fn event(&self, event: &Event) {
        self.output.event(event);
    }

    /// Tells people alone.
    pub(crate) fn line(&self, text: &str) {
        if let Some(Ok(mut kept)) = self.kept.as_ref().map(|kept| kept.lock()) {
            kept.insert(0, text.to_owned());
            kept.truncate(KEPT);
        }
        match &self.bar {
            Some(bar) => bar.println(note(text)),
            None if self.output.shows_notes() => complain(text),
            None => {}
        }
    }

    /// Says what is perhaps wrong with the device file.
    pub(crate) fn hint(&self, kind: &str, message: &str) {
        self.line(&format!("Hint: {message}"));
        self.event(&Event::Hint { kind: kind.to_owned(), message: message.to_owned() });
    }
}

impl Tell for Notes {
    fn note(&self, prefix: &str, message: &str) {
        self.line(&format!("{prefix}{message}"));
        self.event(&Event::Note { message: message.to_owned() });
    }

    fn retry(&self, message: &str, attempt: u32, is_shown: bool) {
        if is_shown {
            self.line(message);
        }
        self.event(&Event::Retry { message: message.to_owned(), attempt });
    }

    fn waits(&self) {
        if let Some(bar) = &self.bar {
            bar.set_message(WAITING);
        }
    }
}
