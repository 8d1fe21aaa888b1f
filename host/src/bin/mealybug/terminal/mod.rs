//! Standard output, standard error, the keyboard.

pub(crate) mod exchange;
pub(crate) mod hand_word;
pub(crate) mod output;
pub(crate) mod prompt;

use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;

use mealybug::escape::visible_lines;
use miette::Report;
use rustix::termios;

use crate::exit::{CliError, Exit};

/// Why standard output takes nothing more.
static FULL: OnceLock<io::Error> = OnceLock::new();

/// Prints to standard output what people read; hidden characters are escaped.
pub(crate) fn say(text: &str) {
    give(visible_lines(text).as_bytes());
}

/// Prints to standard output what programs read, as it is.
///
/// An error does not end the command: a run has its folder, which may hold the work of a night. Nothing is
/// printed after it, and [`output_error`] has it at the end.
pub(crate) fn give(content: impl AsRef<[u8]>) {
    if FULL.get().is_some() {
        return;
    }
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(content.as_ref()).and_then(|()| out.flush()) {
        // Another thread may have been first.
        let _ = FULL.set(error);
    }
}

/// The error if standard output did not take everything. That nobody reads it any more is none.
pub(crate) fn output_error() -> Option<Report> {
    let error = FULL.get().filter(|error| error.kind() != ErrorKind::BrokenPipe)?;
    Some(not_written(error))
}

/// The error for standard output that cannot be written.
pub(crate) fn not_written(error: &io::Error) -> Report {
    CliError::report(
        Exit::Disk,
        format!("cannot write to standard output: {error}"),
        "what was written there is not complete: is there room on its disk?",
    )
}

/// Prints a line to standard error; hidden characters are escaped. Nobody can be told if that fails.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{}", visible_lines(line));
}

/// Prints an error to standard error.
pub(crate) fn complain_of(report: &Report) {
    let _ = writeln!(io::stderr(), "{report:?}");
}

/// How many columns a line on standard output may have: no more than the terminal has.
pub(crate) fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || termios::tcgetwinsize(io::stdout()).ok().map(|size| size.ws_col.into());
    columns.or_else(terminal).filter(|&columns| columns > 0).unwrap_or(usize::MAX)
}
