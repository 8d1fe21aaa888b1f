//! How errors look, as far as the terminal decides it.

use std::io;

use anstream::{AutoStream, ColorChoice};
use miette::MietteHandlerOpts;
use rustix::termios;
use supports_unicode::Stream;

/// Errors that are printed from now on suit standard error.
pub fn suit_terminal() {
    let style = style();
    // It fails only if it was done before.
    let _ = miette::set_hook(Box::new(move |_| Box::new(style().build())));
}

/// A style that suits standard error: its width, its colours, its characters.
pub fn style() -> impl Fn() -> MietteHandlerOpts {
    let has_colors = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let has_unicode = supports_unicode::on(Stream::Stderr);
    let terminal = termios::tcgetwinsize(io::stderr()).map(|size| size.ws_col.into());
    let columns = terminal.ok().filter(|&columns| columns > 0).unwrap_or(80);
    move || MietteHandlerOpts::new().color(has_colors).unicode(has_unicode).width(columns)
}
