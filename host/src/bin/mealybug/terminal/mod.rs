//! Standard output, the keyboard.

pub(crate) mod exchange;
pub(crate) mod output;
pub(crate) mod prompt;

use std::io::{self, Write};

use rustix::termios;

/// Prints to standard output. That nobody reads it any more is no reason to stop.
pub(crate) fn say(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// How many columns a line on standard output may have: no more than the terminal has.
pub(crate) fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || termios::tcgetwinsize(io::stdout()).ok().map(|size| size.ws_col.into());
    columns.or_else(terminal).filter(|&columns| columns > 0).unwrap_or(usize::MAX)
}
