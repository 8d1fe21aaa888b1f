//! How one question is asked.

use mealybug::escape::visible_lines;
use miette::{IntoDiagnostic, Result, WrapErr};

use super::Questions;
use crate::cmd::init::answers::{BACK, NOTHING, Unanswered};
use crate::exit::{CliError, Exit};

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
            let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
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
                Err(wanted) => {
                    self.say(&format!("  `{answer}` is not accepted. Enter {wanted}.\n"))?;
                }
            }
        }
    }

    pub(super) fn say(&mut self, text: &str) -> Result<()> {
        let text = visible_lines(text);
        let shown = self.shown.write_all(text.as_bytes()).and_then(|()| self.shown.flush());
        shown.into_diagnostic().wrap_err("the questions cannot be shown")
    }
}
