//! How errors look: a message and its causes, the places in a file that are wrong, and advice.
//!
//! Hidden characters are escaped, whatever the files and devices hold that an error quotes.

mod snippet;

use std::{fmt, iter};

use miette::{Diagnostic, ReportHandler};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::escape::visible_lines;

/// Lines stay this many columns shorter than the terminal.
const MARGIN: usize = 2;
/// Text has this many columns, however narrow the terminal is.
const TEXT_MIN: usize = 20;

// What follows `ESC [` and stands before `m`.
const RED: &str = "31";
const CYAN: &str = "36";
const LINK: &str = "36;1;4";
const DIM: &str = "2";
/// Labels take turns.
const LABELS: [&str; 3] = ["35;1", "33;1", "32;1"];

/// How errors are printed.
#[derive(Clone, Copy, Debug)]
pub struct ErrorStyle {
    has_colors: bool,
    signs: &'static Signs,
    columns: usize,
}

/// The characters that are drawn.
#[derive(Debug)]
struct Signs {
    error: char,
    bar: char,
    gap: char,
    line: char,
    arrow: char,
    top: char,
    bottom: char,
    branch: char,
    underline: char,
    stem: char,
    place: char,
}

const UNICODE: Signs = Signs {
    error: '×',
    bar: '│',
    gap: '·',
    line: '─',
    arrow: '▶',
    top: '╭',
    bottom: '╰',
    branch: '├',
    underline: '─',
    stem: '┬',
    place: '▲',
};

#[cfg(any(feature = "cli", test))]
const ASCII: Signs = Signs {
    error: 'x',
    bar: '|',
    gap: ':',
    line: '-',
    arrow: '>',
    top: ',',
    bottom: '`',
    branch: '|',
    underline: '^',
    stem: '|',
    place: '^',
};

/// Errors that are printed from now on suit standard error: its width, its colours, its characters.
#[cfg(feature = "cli")]
pub fn suit_terminal() {
    use std::io::{self, IsTerminal};

    use anstream::{AutoStream, ColorChoice};
    use rustix::termios;

    let stream = io::stderr();
    let columns = termios::tcgetwinsize(&stream).map(|size| size.ws_col.into());
    let style = ErrorStyle {
        has_colors: AutoStream::choice(&stream) != ColorChoice::Never,
        signs: if !stream.is_terminal() || has_unicode() { &UNICODE } else { &ASCII },
        columns: columns.ok().filter(|&columns| columns > 0).unwrap_or(80),
    };
    // It fails only if it was done before.
    let _ = miette::set_hook(Box::new(move |_| Box::new(style)));
}

/// Whether the terminal shows more than ASCII, as far as the environment says. A Linux console has few characters.
#[cfg(feature = "cli")]
fn has_unicode() -> bool {
    let variable = |name| std::env::var(name).ok();
    let locale = variable("LC_ALL").or_else(|| variable("LC_CTYPE")).or_else(|| variable("LANG"));
    let locale = locale.unwrap_or_default().to_uppercase();
    variable("TERM").as_deref() != Some("linux")
        && (locale.ends_with("UTF-8") || locale.ends_with("UTF8"))
}

impl ReportHandler for ErrorStyle {
    fn debug(&self, error: &dyn Diagnostic, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(error))
    }
}

impl ErrorStyle {
    /// Without colours, in this many columns.
    pub const fn plain(columns: usize) -> Self {
        Self { has_colors: false, signs: &UNICODE, columns }
    }

    /// The text about an error, its last line included. Of its causes only the messages are shown: a [`Report`] that
    /// wraps an error passes on its places and its advice.
    ///
    /// [`Report`]: miette::Report
    pub fn render(&self, error: &dyn Diagnostic) -> String {
        let Signs { error: sign, bar, branch, bottom, line, arrow, .. } = self.signs;
        let red = |text: &str| self.paint(RED, text);
        let [sign, bar] = [sign, bar].map(|sign| red(&sign.to_string()));
        let mut text =
            self.indented(&error.to_string(), &format!("  {sign} "), &format!("  {bar} "), 4);
        let mut causes = iter::successors(error.source(), |cause| cause.source()).peekable();
        while let Some(cause) = causes.next() {
            let (corner, rest) = match causes.peek() {
                Some(_) => (branch, bar.as_str()),
                None => (bottom, " "),
            };
            let first = format!("  {} ", red(&format!("{corner}{line}{arrow}")));
            text += &self.indented(&cause.to_string(), &first, &format!("  {rest}   "), 6);
        }
        if let Some(source) = error.source_code() {
            let labels = error.labels().map(Iterator::collect).unwrap_or_default();
            text += &self.snippets(source, labels);
        }
        if let Some(help) = error.help() {
            let first = format!("  {} ", self.paint(CYAN, "help:"));
            text += &self.indented(&help.to_string(), &first, &" ".repeat(8), 8);
        }
        text
    }

    /// Lines that begin with `first` and then with `rest`, both `indent` columns wide.
    fn indented(&self, text: &str, first: &str, rest: &str, indent: usize) -> String {
        let width = self.columns.saturating_sub(MARGIN + indent).max(TEXT_MIN);
        let text = visible_lines(text.trim_end());
        let mut indented = String::new();
        for line in text.lines().flat_map(|line| wrapped(line, width)) {
            let lead = if indented.is_empty() { first } else { rest };
            indented += format!("{lead}{line}").trim_end();
            indented.push('\n');
        }
        indented
    }

    fn paint(&self, color: &str, text: &str) -> String {
        if self.has_colors { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A line in lines of at most `width` columns. It is broken at blanks, and words only if they are longer than a line:
/// commands and paths can be copied.
pub fn wrapped(line: &str, width: usize) -> Vec<String> {
    if line.width() <= width {
        return vec![line.to_owned()];
    }
    let mut lines = vec![String::new()];
    for (at, word) in line.split(' ').enumerate() {
        let mut last = lines.last_mut().expect("there is a first one");
        if at > 0 && last.width() + 1 + word.width() <= width {
            last.push(' ');
        } else if at > 0 {
            lines.push(String::new());
        }
        for c in word.chars() {
            last = lines.last_mut().expect("there is a first one");
            if last.width() + c.width().unwrap_or(0) > width {
                lines.push(String::new());
                last = lines.last_mut().expect("there is a first one");
            }
            last.push(c);
        }
    }
    lines
}

#[cfg(test)]
mod tests;
