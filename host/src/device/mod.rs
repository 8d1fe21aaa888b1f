//! The device file: how a person tells Mealybug to talk to a device.
//!
//! There is one TOML file for each device, kept in the user's repository:
//!
//! ```
//! # use std::path::Path;
//! let device = mealybug::device::DeviceFile::parse(Path::new("lock.toml"), r#"
//!     [port]
//!     baud = 115200
//!
//!     ## Reset methods, cheapest first: the next one is tried when `expect` is not met.
//!     [[reset]]
//!     steps = [{ send = "\u0003" }, { send = "reset\r" }]
//!     expect = { match = 'ready> $', within_ms = 2000 }
//!     [[reset]]
//!     steps = [{ dtr = false, wait_ms = 50 }, { dtr = true }]
//!     expect = { match = 'ready> $', within_ms = 5000 }
//!
//!     [reply]
//!     match = 'ready> $'
//!     within_ms = 1000
//!     echo = true
//!     strip = ['\x1b\[[0-9;?]*[A-Za-z]']
//!
//!     [[output]]
//!     match = 'ERR (\d+)'
//!     name = "error:$1"
//!
//!     [inputs]
//!     help = "help\r"
//!     status = { hex = "01 03 00 00 00 01", append = "crc16-modbus", reply = { quiet_ms = 20 } }
//!     wait = { wait_ms = 500 }
//! "#)?;
//! let names: Vec<_> = device.inputs.iter().map(|input| input.name.as_str()).collect();
//! assert_eq!(names, ["help", "status", "wait"]);
//! # Ok::<(), mealybug::device::DeviceFileError>(())
//! ```
//!
//! The types that the tables become describe their keys: [`PortSection`], [`ProbeSection`], [`ResetMethod`], [`ReplySection`],
//! [`Replacement`], [`OutputRule`], [`Capture`], [`InputRule`], [`MessageTemplate`] (also for `[frame]`), [`NamedState`].
//! Text has TOML's own escapes and no second layer of them. It must be ASCII, because the bytes
//! from 0x80 on have no single meaning in UTF-8; write those with `hex`. Patterns are regular
//! expressions over bytes, without Unicode classes.
//!
//! The inputs are numbered in the order of the file. An unknown key is an error and never ignored:
//! whoever wrote it meant something by it.

mod bytes;
mod capture;
mod changes;
mod checksum;
mod checksum_search;
mod demands;
mod error;
mod fields;
mod frame;
mod input;
mod message;
mod output;
mod pauses;
mod port;
mod probe;
mod reply;
mod reply_checksum;
mod reset;
mod scope;
mod state;
mod step;
mod stuffing;
mod substitution;
mod template;
#[cfg(test)]
mod tests;
mod versions;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mealybug_core::Input;
use toml_edit::{Document, TomlError};

pub use capture::Capture;
pub use changes::{DeviceChanges, KeyChange};
pub use checksum::Checksum;
pub use checksum_search::CommonChecksum;
pub use demands::Demands;
pub use error::{DeviceFileError, Invalid};
pub use input::InputRule;
pub use message::{MessageTemplate, message_text};
pub use output::{OutputRule, Replacement};
pub use pauses::Pauses;
pub use port::{CharacterFormat, FlowControl, Parity, PortSection};
pub use probe::{BoardStep, ProbeSection};
pub use reply::{Late, LineErrors, ReplyLength, ReplySection};
pub use reply_checksum::{FoundChecksum, ReplyChecksum, SignedChecksum};
pub use reset::ResetMethod;
pub use step::{ControlLine, DeviceStep, Expect, RUN_WITHIN, ShellCommand};
pub use stuffing::{Stuffing, Unstuffed};
pub use template::Variables;
pub use versions::{DeviceVersion, FileDigests, file_digests};

use crate::state_names::{NamedState, StateNames};
use error::FileFault;
use fields::{Fields, TomlField, Value};
use scope::{FileScope, ReadFile};
use state::States;

/// A device file that was read.
#[derive(Clone, Debug)]
pub struct DeviceFile {
    /// `[port]`: how the port is opened.
    pub port: PortSection,
    /// `[probe]`, if the device is on pins and buses of a board instead of a serial line.
    pub probe: Option<ProbeSection>,
    /// `[[reset]]`: the ways back to the initial state, cheapest first; at least one.
    pub resets: Vec<ResetMethod>,
    /// `[inputs]`, in the order of the file; at least one.
    pub inputs: Vec<InputRule>,
    /// `[[output]]`: the first rule that matches a reply names the output.
    pub outputs: Vec<OutputRule>,
    /// `stuffing` of `[frame]`. What the device says after a reset is not unstuffed.
    pub stuffing: Option<Stuffing>,
    /// `strip` of `[reply]`; also applied to what the device says after a reset.
    pub strip: Vec<regex::bytes::Regex>,
    /// `[[replace]]`: applied to a reply before it is named.
    pub replacements: Vec<Replacement>,
    /// `[captures]`: parts of replies that later messages contain.
    pub captures: Vec<Capture>,
    /// `[word]`: how long a word may take, counted from the end of the reset.
    pub word_max: Option<Duration>,
    /// `[[state]]`: what states are called.
    pub states: Vec<NamedState>,
    /// `noise`: the share of answers that are wrong, if that is known; 0 for none.
    pub noise: Option<f64>,
}

impl DeviceFile {
    /// What the only reset waits for at its end, if there is one reset and none of its steps waits for anything.
    pub fn only_expect(&self) -> Option<&Expect> {
        let [reset] = &self.resets[..] else { return None };
        let waits = reset.steps.iter().any(|step| matches!(step, DeviceStep::Expect(_)));
        reset.expect.as_ref().filter(|_| !waits)
    }

    /// Whether an input opens a new connection.
    pub fn reconnects(&self, input: Input) -> bool {
        let rule = self.inputs.get(input.index() as usize);
        rule.is_some_and(|rule| DeviceStep::begin_with_reconnect(&rule.steps))
    }

    /// Reads the device file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, or it contains an error.
    pub fn load(path: &Path) -> Result<Self, DeviceFileError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| DeviceFileError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(path, &text)
    }

    /// Reads `text` as the device file at `path`. Files that it names are relative to `path`'s
    /// folder.
    ///
    /// # Errors
    /// The text contains an error.
    pub fn parse(path: &Path, text: &str) -> Result<Self, DeviceFileError> {
        read(text, folder_of(path), &|file| std::fs::read(file))
            .map_err(|fault| fault.in_file(path, text))
    }

    /// Names an output: the replacements are applied to the reply, then the first matching rule
    /// names it; without one, the name is the escaped reply.
    pub fn name_output(&self, reply: &[u8]) -> String {
        let reply = self.replaced(reply);
        self.outputs
            .iter()
            .find_map(|rule| rule.name(&reply))
            .unwrap_or_else(|| crate::escape::escape(&reply))
    }

    /// A reply after all replacements: what the rules of `[[output]]` are tried on.
    pub(crate) fn replaced<'r>(&self, reply: &'r [u8]) -> Cow<'r, [u8]> {
        let replace = |reply: Cow<'r, [u8]>, rule: &Replacement| rule.apply(&reply).into();
        self.replacements.iter().fold(Cow::Borrowed(reply), replace)
    }

    /// Whether this output says that the connection has ended, after whichever input that was: all later inputs have it, too.
    pub(crate) fn is_end(&self, output: &str) -> bool {
        self.inputs.iter().any(|input| input.reply.closed.as_deref() == Some(output))
    }

    /// Whether names of outputs are text of the replies: a `[[replace]]` that fits a name fits the reply, too.
    pub fn outputs_keep_text(&self) -> bool {
        self.outputs.iter().all(OutputRule::keeps_text)
    }

    /// Whether bytes that come after the end of a reply are dropped, after some input at least.
    pub fn drops_late(&self) -> bool {
        self.inputs.iter().any(|input| input.reply.late == Late::Drop)
    }

    /// The names in `[[state]]` of this file, which is at `path`.
    pub fn state_names(&self, path: &Path) -> StateNames {
        StateNames { file: path.display().to_string(), states: self.states.clone() }
    }

    /// Stores what the captures match in `reply`.
    pub fn capture(&self, reply: &[u8], variables: &mut Variables) {
        for (capture, value) in self.captures.iter().zip(&mut variables.captures) {
            if let Some(found) = capture.of(reply) {
                *value = found.to_vec();
            }
        }
    }

    /// The variables right after a reset.
    pub fn variables(&self) -> Variables {
        let captures = self.captures.iter().map(|capture| capture.before.clone()).collect();
        Variables { sequence: 0, captures }
    }
}

/// The folder for what the device file at `path` names.
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Reads `text` as a device file in `folder`; `read_file` reads the files that it names.
fn read(text: &str, folder: &Path, read_file: ReadFile<'_>) -> Result<DeviceFile, FileFault> {
    let document = Document::parse(text).map_err(|error| toml_fault(text, &error))?;
    let mut file = Fields::new("a device file", 0..0, document.as_table());

    let probe = match file.field("probe") {
        Some(field) => {
            probe::refuse_line(&file)?;
            Some(ProbeSection::read(field.table_called("[probe]")?)?)
        }
        None => None,
    };
    let noise = file.field("noise").map(|field| f64::read(&field)).transpose()?;
    let port = match file.field("port") {
        Some(field) => port::read(field.table_called("[port]")?)?,
        None => PortSection::default(),
    };
    let captures = match file.field("captures") {
        Some(field) => Capture::read_all(&field)?,
        None => Vec::new(),
    };
    let names = captures.iter().map(|capture| capture.name.clone()).collect();
    let mut scope = FileScope {
        folder,
        read_file,
        captures: names,
        is_probed: probe.is_some(),
        frame: None,
        in_frame: false,
    };
    if let Some(field) = file.field("frame") {
        let frame = message::read_frame(field.table_called("[frame]")?, &scope)?;
        scope.frame = Some(Arc::new(frame));
    }
    let mut is_first = true;
    let resets = tables(file.field("reset"), "[[reset]]", |method| {
        let is_first = std::mem::replace(&mut is_first, false);
        reset::read(method, is_first, &scope)
    })?;
    let stuffing = scope.frame.as_ref().and_then(|frame| frame.stuffing);
    let usual = ReplySection::usual(stuffing);
    let reply = match file.field("reply") {
        Some(field) => ReplySection::read(field.table_called("[reply]")?, &usual)?,
        None => usual,
    };
    let replacements = tables(file.field("replace"), "[[replace]]", Replacement::read)?;
    let outputs = tables(file.field("output"), "[[output]]", OutputRule::read)?;
    let states = file.field("state");
    let word_max = file.field("word").map(|field| read_word_max(&field)).transpose()?;
    let inputs = file.field("inputs");
    file.finish()?;

    let inputs = inputs.ok_or_else(no_inputs)?;
    let inputs = input::read_all(&inputs, &reply, &scope)?;
    if resets.is_empty() {
        return Err(no_reset());
    }
    let names: Vec<_> = inputs.iter().map(|input| input.name.clone()).collect();
    let mut known = States::new(&names, text);
    let states = tables(states, "[[state]]", |state| known.read(state))?;
    let strip = reply.strip;
    Ok(DeviceFile {
        port,
        probe,
        resets,
        inputs,
        outputs,
        stuffing,
        strip,
        replacements,
        captures,
        word_max,
        states,
        noise,
    })
}

fn toml_fault(text: &str, error: &TomlError) -> FileFault {
    let place = error.span().unwrap_or(0..0);
    match (error.message(), text.get(place.clone())) {
        ("duplicate key", Some(key)) => FileFault::new(
            place,
            format!("there are two of the name `{key}` in one table"),
            "again here",
        ),
        (message, _) => FileFault::new(place, "this is not TOML", message),
    }
}

fn no_inputs() -> FileFault {
    FileFault::new(0..0, "there are no inputs", "this file has no table [inputs]")
        .help("name what can be sent, such as\n[inputs]\nhelp = \"help\\r\"")
}

fn no_reset() -> FileFault {
    let message = "there is no way to reset the device";
    FileFault::new(0..0, message, "this file has no table [[reset]]").help(
        "every word starts from the initial state; say how the device gets there, such as\n\
         [[reset]]\nsteps = [{ send = \"reset\\r\" }]\n\
         expect = { match = 'ready> $', within_ms = 2000 }",
    )
}

/// Reads `[word]`.
fn read_word_max(field: &TomlField<'_>) -> Result<Duration, FileFault> {
    let mut word = field.table_called("[word]")?;
    let max = word.require("max_ms")?;
    word.finish()?;
    Ok(max)
}

/// Reads each table of an array of tables, such as `[[reset]]`.
fn tables<T>(
    field: Option<TomlField<'_>>,
    what: &str,
    mut read: impl FnMut(Fields<'_>) -> Result<T, FileFault>,
) -> Result<Vec<T>, FileFault> {
    let elements = match field {
        Some(field) => field.elements().map_err(|fault| {
            fault.help(format!("there may be several: put it between double brackets, {what}"))
        })?,
        None => Vec::new(),
    };
    elements.iter().map(|element| read(element.table_called(what)?)).collect()
}
