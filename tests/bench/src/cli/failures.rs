//! Models and runs that failed. All others go on; the last lines of a command name these.

use mealybug::statistics::number;
use miette::Report;

use super::exit::BenchExit;
use super::text::note;
use crate::suite::UnreadableModel;

/// What failed, a line each.
#[derive(Debug, Default)]
pub(super) struct Failures(Vec<String>);

impl Failures {
    /// Reports files that are not models.
    pub(super) fn of_models(unreadable: Vec<UnreadableModel>) -> Self {
        let line = |UnreadableModel { name, error }| {
            let line = format!("{name}: {error}");
            note(&format!("{:?}", Report::new(error)));
            line
        };
        Self(unreadable.into_iter().map(line).collect())
    }

    /// Adds something that failed, and why.
    pub(super) fn add(&mut self, line: String) {
        self.0.push(line);
    }

    /// Names everything that failed. Returns the exit status of a command that ended with `exit` apart from that.
    pub(super) fn finish(&self, exit: BenchExit) -> BenchExit {
        if self.0.is_empty() {
            return exit;
        }
        note(&format!("failed: {}", number(self.0.len() as u64)));
        self.0.iter().for_each(|line| note(&format!("  {line}")));
        if exit == BenchExit::Done { BenchExit::Incomplete } else { exit }
    }
}
