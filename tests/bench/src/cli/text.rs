//! Text on the two standard streams, and in files.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use miette::Diagnostic;
use thiserror::Error;

/// Text that cannot be written.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot write {what}: {error}")]
#[diagnostic(help("a disk may be full, or a folder missing or not writable"))]
pub(super) struct OutputError {
    what: String,
    error: io::Error,
}

impl OutputError {
    /// The error of something that this names.
    pub(super) fn new(what: impl Into<String>, error: io::Error) -> Self {
        Self { what: what.into(), error }
    }
}

/// Prints text to standard output. A reader that has gone away is no error.
///
/// # Errors
/// The file or disk that it goes to is full.
pub(super) fn say(text: &str) -> Result<(), OutputError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(OutputError::new("standard output", error))
        }
        _ => Ok(()),
    }
}

/// Writes a file.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(path: &Path, text: &str) -> Result<(), OutputError> {
    std::fs::write(path, text).map_err(|error| OutputError::new(path.display().to_string(), error))
}

/// Prints a line to standard error.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
