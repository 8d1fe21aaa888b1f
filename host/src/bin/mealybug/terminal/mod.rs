//! Standard output, standard error, the keyboard.

pub(crate) mod exchange;
pub(crate) mod hand_word;
pub(crate) mod output;
pub(crate) mod prompt;

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;

use mealybug::error_style::wrapped;
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

/// The same for sentences: no word is cut at the edge of a terminal.
pub(crate) fn say_sentences(text: &str) {
    give(folded(&visible_lines(text), edge_of(io::stdout())));
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

/// Prints a line to standard error, as a note. Nobody can be told if that fails.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{}", note(line));
}

/// What people read of a note on standard error: hidden characters are escaped, and no word is cut at the edge of a terminal.
pub(crate) fn note(text: &str) -> String {
    folded(&visible_lines(text), edge_of(io::stderr()))
}

/// Prints an error to standard error.
pub(crate) fn complain_of(report: &Report) {
    let _ = writeln!(io::stderr(), "{report:?}");
}

/// How many columns a line on standard output may have: no more than the terminal has.
pub(crate) fn width() -> usize {
    columns_of(io::stdout())
}

/// The edge of a terminal. A pipe and a file have none: programs look for lines in them.
fn edge_of(stream: impl AsFd + IsTerminal) -> usize {
    if stream.is_terminal() { columns_of(stream) } else { usize::MAX }
}

fn columns_of(stream: impl AsFd) -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || termios::tcgetwinsize(stream).ok().map(|size| size.ws_col.into());
    columns.or_else(terminal).filter(|&columns| columns > 0).unwrap_or(usize::MAX)
}

/// A text whose longer lines are broken at blanks, but for lines of a device file: they are copied as they stand.
fn folded(text: &str, columns: usize) -> String {
    let is_copied = |line: &str| {
        let key = line.split_once(" = ").map(|(key, _)| key.trim_start());
        let is_key =
            |key: &str| key.starts_with('"') || !key.is_empty() && !key.contains([' ', '`']);
        let is_table = line.trim_start().starts_with('[') && line.ends_with(']');
        is_table || key.is_some_and(is_key)
    };
    let mut folded = String::new();
    for line in text.split_inclusive('\n') {
        let words = line.trim_end_matches('\n');
        match is_copied(words) {
            true => folded += words,
            false => {
                let indent = words.len() - words.trim_start_matches(' ').len();
                let (lead, width) = (&words[..indent], columns.saturating_sub(indent).max(1));
                folded += lead;
                folded += &wrapped(&words[indent..], width).join(&format!("\n{lead}"));
            }
        }
        folded += &line[words.len()..];
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks_but_for_what_is_copied() {
        let text = "Hint: a field changes:\n\n[[replace]]\nmatch = '(up for )\\d+( ms)'\n";
        let broken = "Hint: a\nfield\nchanges:\n\n[[replace]]\nmatch = '(up for )\\d+( ms)'\n";
        assert_eq!(folded(text, 9), broken);
        let sentence = "  [[reset]] has changed: 86 answers are asked again.\n";
        let broken = "  [[reset]] has changed:\n  86 answers are asked\n  again.\n";
        assert_eq!(folded(sentence, 24), broken);
        assert_eq!(folded(text, usize::MAX), text);
        assert_eq!(folded("if `a` = b", 6), "if `a`\n= b", "no line of a device file");
        assert_eq!(folded("  \"get 1\" = 'a b c'", 6), "  \"get 1\" = 'a b c'");
        assert_eq!(folded("  to be", 5), "  to\n  be");
    }
}
