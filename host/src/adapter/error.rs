//! Why a program is no device, or why the device behind it failed.

use std::io;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use crate::escape::excerpt;

/// Why a program is no device, or why the device behind it failed.
#[derive(Debug, Error, Diagnostic)]
pub enum AdapterError {
    /// The shell cannot be started.
    #[error("the adapter `{command}` cannot be started")]
    #[diagnostic(help("is there a shell, `sh`?"))]
    Start {
        /// The command.
        command: String,
        /// What the system says.
        source: io::Error,
    },
    /// The program ended.
    #[error("the adapter ended at `{request}`: {status}")]
    #[diagnostic(help(
        "what it said on standard error stands above; try it by hand: `{command}`, and then the \
         lines `inputs`, `reset`, `step NAME`"
    ))]
    Ended {
        /// The command.
        command: String,
        /// What it was asked.
        request: String,
        /// How it ended.
        status: String,
    },
    /// The program does not answer.
    #[error("the adapter has not answered `{request}` for {} s", patience.as_secs_f32())]
    #[diagnostic(help(
        "each line that it reads wants one line as an answer; does it send its lines at once? \
         Many languages hold them back when no terminal reads them: flush, as \
         `print(…, flush=True)` does"
    ))]
    Silent {
        /// What it was asked.
        request: String,
        /// How long it had.
        patience: Duration,
    },
    /// The answer has no meaning.
    #[error("the adapter answered `{request}` by `{said}`, and not by {expected}")]
    #[diagnostic(help(
        "it must print nothing but answers, a line for each line that it reads; what is for \
         people belongs to standard error"
    ))]
    Nonsense {
        /// What it was asked.
        request: String,
        /// What it said.
        said: String,
        /// What it should have said.
        expected: &'static str,
    },
    /// The program said something that nobody had asked for.
    #[error("the adapter said `{said}` before it was asked `{request}`")]
    #[diagnostic(help(
        "each line that it reads wants one line as an answer, and no more; what is for people \
         belongs to standard error"
    ))]
    Unasked {
        /// What it was to be asked.
        request: String,
        /// What it said.
        said: String,
    },
    /// The program was started again and says other inputs than before.
    #[error("the adapter has other inputs than before, when they were: {inputs}")]
    #[diagnostic(help("a program must say the same inputs each time that it is started"))]
    OtherInputs {
        /// The inputs of before.
        inputs: String,
    },
    /// The program says that the device failed.
    #[error("the adapter says that the device failed at `{request}`: {text}")]
    #[diagnostic(help("what fails again and again is for whoever wrote the adapter to mend"))]
    Device {
        /// What it was asked.
        request: String,
        /// What it says.
        text: String,
    },
    /// It was stopped after an error, and there was no reset since.
    #[error("the adapter was stopped")]
    #[diagnostic(help("a reset starts it again"))]
    Stopped,
    /// Whoever waited for an answer does so no more.
    #[error("the adapter was interrupted")]
    Interrupted,
}

impl AdapterError {
    pub(super) fn nonsense(request: &str, said: &[u8], expected: &'static str) -> Self {
        Self::Nonsense { request: request.to_owned(), said: excerpt(said), expected }
    }
}
