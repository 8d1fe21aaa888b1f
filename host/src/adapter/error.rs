//! Why a program cannot be used as a device, or why the device behind it failed.

use std::io;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use crate::escape::excerpt;

/// Why a program cannot be used as a device, or why the device behind it failed.
#[derive(Debug, Error, Diagnostic)]
pub enum AdapterError {
    /// The shell could not be started.
    #[error("the adapter `{command}` cannot be started")]
    #[diagnostic(help("is there a shell, `sh`?"))]
    Start {
        /// The command.
        command: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The program ended.
    #[error("the adapter ended at `{request}`: {status}")]
    #[diagnostic(help(
        "what it said on standard error, if anything, stands above; try it by hand: `{command}`, and then the \
         lines `inputs`, `reset`, `step NAME`{}",
        if_the_device_ended(request)
    ))]
    Ended {
        /// The command.
        command: String,
        /// The request that it did not answer.
        request: String,
        /// The exit status.
        status: String,
    },
    /// What the program prints cannot be read.
    #[error("what the adapter `{command}` answers to `{request}` cannot be read")]
    #[diagnostic(help("the run goes on with --resume"))]
    Unreadable {
        /// The command.
        command: String,
        /// The request.
        request: String,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// The program does not answer.
    #[error("the adapter has not answered `{request}` for {} s", patience.as_secs_f32())]
    #[diagnostic(help(
        "each line that it reads wants one line as an answer; does it send its lines at once? \
         Many languages hold them back when no terminal reads them: flush, as \
         `print(…, flush=True)` does"
    ))]
    Silent {
        /// The request.
        request: String,
        /// How long the adapter had to answer.
        patience: Duration,
    },
    /// The answer is not a valid one.
    #[error("the adapter answered `{request}` by `{said}`, and not by {expected}")]
    #[diagnostic(help(
        "it must print nothing but answers, a line for each line that it reads; what is for \
         people belongs to standard error"
    ))]
    Nonsense {
        /// The request.
        request: String,
        /// The answer.
        said: String,
        /// What a valid answer is.
        expected: &'static str,
    },
    /// The program printed a line before it was asked.
    #[error("the adapter said `{said}` before it was asked `{request}`")]
    #[diagnostic(help(
        "each line that it reads wants one line as an answer, and no more; what is for people \
         belongs to standard error"
    ))]
    Unasked {
        /// The request that was about to be sent.
        request: String,
        /// The line.
        said: String,
    },
    /// The program printed a line that is too long.
    #[error("the adapter answered `{request}` by a line of more than {max_bytes} bytes")]
    #[diagnostic(help("an answer is one line; give a long output a short name"))]
    TooLong {
        /// The request.
        request: String,
        /// The most bytes of a line.
        max_bytes: u64,
    },
    /// The program separates its inputs by commas.
    #[error(
        "the adapter answered `inputs` by one name, `{said}`: names have blanks between, not commas"
    )]
    #[diagnostic(help(
        "print `{}`; if it is the only input, write each comma in its name as \\x2c",
        said.replace(',', " ")
    ))]
    CommasBetweenInputs {
        /// The answer.
        said: String,
    },
    /// Two inputs of the program have the same name.
    #[error("the adapter has two inputs called `{name}`")]
    #[diagnostic(help(
        "give each input a name of its own; an escape such as \\x61 for `a` makes no other name"
    ))]
    EqualInputs {
        /// The name.
        name: String,
    },
    /// The program was restarted and now has other inputs than before.
    #[error("the adapter has other inputs than before, when they were: {inputs}")]
    #[diagnostic(help("a program must say the same inputs each time that it is started"))]
    OtherInputs {
        /// The inputs before the restart.
        inputs: String,
    },
    /// The program reports that the device failed.
    #[error("the adapter says that the device failed at `{request}`: {text}")]
    #[diagnostic(help("what fails again and again is for whoever wrote the adapter to mend"))]
    Device {
        /// The request.
        request: String,
        /// The text of the report.
        text: String,
    },
    /// The program was stopped after an error and not yet reset.
    #[error("the adapter was stopped")]
    #[diagnostic(help("a reset starts it again"))]
    Stopped,
    /// The caller was interrupted while it waited for an answer.
    #[error("the adapter was interrupted")]
    Interrupted,
}

/// What an adapter does whose device ended at a step.
fn if_the_device_ended(request: &str) -> &'static str {
    match request.starts_with("step ") {
        true => {
            ". If the device ended, the adapter must go on: it answers this step and all later ones by an output, and \
             starts the device anew at `reset`"
        }
        false => "",
    }
}

impl AdapterError {
    pub(super) fn nonsense(request: &str, said: &[u8], expected: &'static str) -> Self {
        Self::Nonsense { request: request.to_owned(), said: excerpt(said), expected }
    }
}
