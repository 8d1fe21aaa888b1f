//! Text on the two standard streams. A reader that has gone away is no error.

use std::io::{self, Write};

/// Prints text to standard output.
pub(super) fn say(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a line to standard error.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
