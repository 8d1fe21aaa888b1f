//! How one question is asked.

use mealybug::draft::Echo;
use mealybug::error_style::wrapped;
use mealybug::escape::visible_lines;
use miette::{IntoDiagnostic, Result, WrapErr};

use super::Questions;
use crate::cmd::init::answers::{BACK, NOTHING, Unanswered};
use crate::exit::{CliError, Exit};

/// A blank at which no line is broken: the no-break space of Unicode. It is shown as a plain blank.
const UNBROKEN: &str = "\u{a0}";

impl Questions<'_> {
    /// Asks for one more answer, after others; `None` if these are all.
    pub(super) fn one_more<T>(
        &mut self,
        question: &str,
        read: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<Option<T>, Unanswered> {
        self.until(question, NOTHING, |answer| match answer {
            NOTHING => Ok(None),
            answer => read(answer).map(Some),
        })
    }

    /// Asks until the answer makes sense.
    pub(super) fn until<T>(
        &mut self,
        question: &str,
        default: &str,
        read: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<T, Unanswered> {
        loop {
            let shown = match default {
                "" => String::new(),
                default => format!(" [{}]", unbroken(default)),
            };
            self.say(&format!("{question}{shown}: "))?;
            let mut line = String::new();
            let count = self.answers.read_line(&mut line).into_diagnostic();
            if count.wrap_err("cannot read an answer")? == 0 {
                return Err(Unanswered::Failed(CliError::report(
                    Exit::Failed,
                    "the questions were not answered to the end",
                    "nothing was written",
                )));
            }
            // A blank at the end of a prompt counts.
            let line = line.trim_end_matches(['\r', '\n']);
            let answer = if line.trim().is_empty() { default } else { line };
            if answer == BACK {
                return Err(Unanswered::Back);
            }
            match read(answer) {
                Ok(value) => {
                    self.answer = Some(answer.to_owned());
                    return Ok(value);
                }
                Err(wanted) => self.refuse(answer, wanted)?,
            }
        }
    }

    /// Says that an answer makes no sense, and what is wanted.
    pub(super) fn refuse(&mut self, answer: &str, wanted: &str) -> Result<()> {
        self.say(&format!("  `{answer}` is not accepted. Enter {wanted}.\n"))
    }

    /// Says once that a device has an echo in some replies only, where this reply shows it.
    pub(super) fn tell_of_echoes(&mut self, sent: &[u8], heard: &[u8]) -> Result<()> {
        if self.known.has_told_of_echoes || !self.known.differs_in_echo(sent, heard) {
            return Ok(());
        }
        self.known.has_told_of_echoes = true;
        self.say(match self.known.echo {
            Echo::None => {
                "  Here the device repeats what was sent, and before it did not: something may have switched its echo on. The file has \
                 `echo = false`, with which outputs show the difference.\n"
            }
            _ => {
                "  Here the device does not repeat what was sent, and before it did. If the reset or an input switches the echo off, \
                 leave `echo` out of the file: with `echo = true`, replies with and without an echo look alike.\n"
            }
        })
    }

    pub(super) fn say(&mut self, text: &str) -> Result<()> {
        let text = in_columns(&visible_lines(text), self.columns);
        let shown = self.shown.write_all(text.as_bytes()).and_then(|()| self.shown.flush());
        shown.into_diagnostic().wrap_err("the questions cannot be shown")
    }
}

/// A text that stays on one line where it fits into one.
pub(super) fn unbroken(text: &str) -> String {
    text.replace(' ', UNBROKEN)
}

/// A line for the file, to be copied.
pub(super) fn copied(line: &str) -> String {
    format!("  {}\n", unbroken(line))
}

/// A text whose lines have at most this many columns. They are broken between words, and keep their indent.
fn in_columns(text: &str, columns: usize) -> String {
    let lines = text.split('\n').map(|line| {
        let words = line.trim_start_matches(' ');
        let indent = &line[..line.len() - words.len()];
        let parts = wrapped(words, columns.saturating_sub(indent.len()).max(1));
        parts.iter().map(|part| format!("{indent}{part}")).collect::<Vec<_>>().join("\n")
    });
    lines.collect::<Vec<_>>().join("\n").replace(UNBROKEN, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "Write bytes as \\r, \\n, \\x1b.\n  a line to send [>\u{a0}]: ";
        let narrow = "Write bytes as \\r,\n\\n, \\x1b.\n  a line to send\n  [> ]: ";
        assert_eq!(in_columns(text, 20), narrow);
        assert_eq!(in_columns(text, 80), text.replace('\u{a0}', " "));
    }
}
