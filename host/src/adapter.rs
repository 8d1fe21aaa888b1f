//! Adapters: any program as a device. It gets requests as lines on its standard input.
//!
//! | line in | line out |
//! |---|---|
//! | `inputs` | the names of the inputs, separated by blanks; asked once, at the start |
//! | `reset` | `ok` |
//! | `step NAME` | the output: any line, even an empty one |
//! | any | `error TEXT`: the device failed; the word is asked again |
//!
//! Each answer is one line, with its line end; standard error is for people. The program must exit when its standard
//! input ends. `NAME` is what the program wrote as the name. In both directions a backslash begins
//! an escape: `\\`, `\n`, `\r`, `\t`, or `\xNN` for the byte with this value, so `\x20` is a blank
//! in the name of an input, and `\x2c` a comma in that of a single input. A backslash alone is the empty name. What people see as the
//! name of an input or an output is made by [`names`](crate::names).
//!
//! A line may have 1 MiB. A program that ends, hangs or gives an invalid answer is stopped, and the next reset starts it
//! again. Otherwise a late answer could be taken for the answer to a later request.

mod error;
mod line;
mod process;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mealybug_core::{Input, Sul};

pub use error::AdapterError;
pub(crate) use line::{quote, quote_names, unquote};
use process::Process;
pub use process::WORKER_VARIABLE;

use crate::escape::{excerpt, visible};
use crate::names::{find_twice, name_of};

/// How long an answer may take: a reset may include a power cycle and a start of the device.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program as a device.
///
/// ```
/// use mealybug::adapter::Adapter;
/// use mealybug_core::{Input, Sul};
///
/// let program = r#"while read -r word name; do
///     case $word in inputs) echo button look;; reset) echo ok;; step) echo "$name!";; esac
/// done"#;
/// let mut device = Adapter::start(program, Default::default())?;
/// assert_eq!(device.inputs(), ["button", "look"]);
/// device.reset()?;
/// assert_eq!(device.step(Input::new(0))?, b"button!");
/// # Ok::<(), mealybug::adapter::AdapterError>(())
/// ```
#[derive(Debug)]
pub struct Adapter {
    command: String,
    number: Option<u32>,
    patience: Duration,
    interrupted: Arc<AtomicBool>,
    /// `None` while the program is stopped.
    process: Option<Process>,
    /// The names of the inputs as the program wrote them.
    written: Vec<String>,
    inputs: Vec<String>,
    output: Vec<u8>,
}

impl Adapter {
    /// Starts the program of a shell command, and asks for its inputs. Waiting for an answer fails
    /// once `interrupted` is true.
    ///
    /// # Errors
    /// The program does not start, or does not list its inputs.
    pub fn start(command: &str, interrupted: Arc<AtomicBool>) -> Result<Self, AdapterError> {
        Self::start_with(command, None, PATIENCE, interrupted)
    }

    /// As [`start`](Self::start), for one of several programs that run at the same time. The program finds its number
    /// in the environment variable [`WORKER_VARIABLE`].
    ///
    /// # Errors
    /// As of [`start`](Self::start).
    pub fn start_worker(
        command: &str,
        number: u32,
        interrupted: Arc<AtomicBool>,
    ) -> Result<Self, AdapterError> {
        Self::start_with(command, Some(number), PATIENCE, interrupted)
    }

    fn start_with(
        command: &str,
        number: Option<u32>,
        patience: Duration,
        interrupted: Arc<AtomicBool>,
    ) -> Result<Self, AdapterError> {
        let mut adapter = Self {
            command: command.to_owned(),
            number,
            patience,
            interrupted,
            process: None,
            written: Vec::new(),
            inputs: Vec::new(),
            output: Vec::new(),
        };
        adapter.written = adapter.begin()?;
        let names = adapter.written.iter().map(|written| name(written));
        adapter.inputs = names.collect::<Result<_, _>>()?;
        if let Some(name) = find_twice(&adapter.inputs) {
            return Err(AdapterError::EqualInputs { name: name.clone() });
        }
        Ok(adapter)
    }

    /// The names of the inputs.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// Starts the program, and asks for its inputs. A program that does not say them is stopped.
    fn begin(&mut self) -> Result<Vec<String>, AdapterError> {
        self.process = Some(Process::start(&self.command, self.number)?);
        let names = self.ask("inputs").and_then(names_of_inputs);
        if names.is_err() {
            self.process = None;
        }
        names
    }

    /// Sends a request. A program that does not answer as it should is stopped.
    fn ask(&mut self, request: &str) -> Result<Vec<u8>, AdapterError> {
        let process = self.process.as_mut().ok_or(AdapterError::Stopped)?;
        let answer = process.ask(request, self.patience, &self.interrupted);
        if answer.is_err() {
            self.process = None;
        }
        let answer = answer?;
        match answer.strip_prefix(b"error") {
            Some(text @ ([] | [b' ', ..])) => {
                let text = visible(String::from_utf8_lossy(text).trim()).into_owned();
                Err(AdapterError::Device { request: request.to_owned(), text })
            }
            _ => Ok(answer),
        }
    }
}

/// The names in the answer to `inputs`.
fn names_of_inputs(answer: Vec<u8>) -> Result<Vec<String>, AdapterError> {
    let nonsense = |expected| AdapterError::nonsense("inputs", &answer, expected);
    let names = String::from_utf8(answer.clone())
        .map_err(|_| nonsense("the names of its inputs, as text"))?;
    let names: Vec<_> = names.split_ascii_whitespace().map(str::to_owned).collect();
    if names.is_empty() {
        return Err(nonsense("the names of its inputs, with blanks between"));
    }
    if names.len() == 1 && names[0].contains(',') {
        return Err(AdapterError::CommasBetweenInputs { said: excerpt(&answer) });
    }
    Ok(names)
}

impl Sul for Adapter {
    type Error = AdapterError;

    fn reset(&mut self) -> Result<(), AdapterError> {
        if self.process.is_none() && self.begin()? != self.written {
            self.process = None;
            return Err(AdapterError::OtherInputs { inputs: self.inputs.join(" ") });
        }
        let answer = self.ask("reset")?;
        if answer != b"ok" {
            self.process = None;
            return Err(AdapterError::nonsense("reset", &answer, "`ok`"));
        }
        Ok(())
    }

    /// # Panics
    /// The device has no such input.
    fn step(&mut self, input: Input) -> Result<&[u8], AdapterError> {
        let request = format!("step {}", self.written[input.index() as usize]);
        let answer = self.ask(&request)?;
        let Some(output) = unquote(&answer) else {
            self.process = None;
            let expected = "an output, in which a backslash that begins no escape is doubled";
            return Err(AdapterError::nonsense(&request, &answer, expected));
        };
        self.output = name_of(&output).into_bytes();
        Ok(&self.output)
    }
}

/// The name that the program wrote like this.
fn name(written: &str) -> Result<String, AdapterError> {
    let name = unquote(written.as_bytes()).map(|bytes| name_of(&bytes));
    let expected = "names in which a backslash that begins no escape is doubled";
    name.ok_or_else(|| AdapterError::nonsense("inputs", written.as_bytes(), expected))
}
