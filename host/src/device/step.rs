//! What can be done to a device: the steps of resets and of inputs.

use std::path::PathBuf;
use std::time::Duration;

use regex::bytes::Regex;

use super::error::FileFault;
use super::fields::{Fields, TomlField, Value, list};
use super::message::MessageTemplate;
use super::probe::{BoardStep, of_line};
use super::scope::FileScope;

/// A step of a reset or of an input.
///
/// In the file, `wait_ms` may stand beside any of the other keys; the wait then comes last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceStep {
    /// `{ send = "reset\r" }`, `{ hex = "7f" }`, `{ file = "page1.bin" }`.
    Send(MessageTemplate),
    /// `{ dtr = false }`, `{ rts = true }`, or both. With `ms = 20` it is a pulse, after which the
    /// lines get the opposite level. `{ break_ms = 250 }` starts and ends a break.
    Set(ControlLine, bool),
    /// `{ reconnect = true }`: ends the connection and opens a new one.
    Reconnect,
    /// `{ pin = "reset", ms = 5 }`: a pulse on a pin of the board that asks the device; the board's program
    /// names it. 20 ms unless told.
    Pin(String, Duration),
    /// What only a board can do, for a device with `[probe]`.
    Probe(BoardStep),
    /// `{ run = "uhubctl -a cycle -p 3", within_ms = 20000 }`.
    Run(ShellCommand),
    /// `{ expect = { match = 'Hit any key', within_ms = 5000 } }`: waits until the device says
    /// this.
    Expect(Expect),
    /// `{ wait_ms = 50 }`: lets time pass.
    Wait(Duration),
}

impl DeviceStep {
    /// Whether `steps` begin with a new connection: the old one may have ended before them.
    pub(crate) fn begin_with_reconnect(steps: &[Self]) -> bool {
        steps.first() == Some(&Self::Reconnect)
    }
}

/// A shell command, run in the folder of the device file. It must exit successfully.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCommand {
    /// The command.
    pub command: String,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// How long it may take; default one minute.
    pub within: Duration,
}

/// What the device should say, and how soon.
#[derive(Clone, Debug)]
pub struct Expect {
    /// A pattern for everything received since the last act, after `strip`.
    pub pattern: Regex,
    /// How long to wait for it.
    pub within: Duration,
}

/// A line of the port that can be set to a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlLine {
    /// Data terminal ready.
    Dtr,
    /// Request to send.
    Rts,
    /// The line that carries the data; `true` holds it in a break.
    Break,
}

/// The default for `ms` of a pin.
const PULSE: Duration = Duration::from_millis(20);
/// The default for `within_ms` of a command.
pub const RUN_WITHIN: Duration = Duration::from_secs(60);
/// The keys that make a step.
const KINDS: [&str; 11] = [
    "send",
    "hex",
    "file",
    "wait_ms",
    "dtr",
    "rts",
    "break_ms",
    "reconnect",
    "pin",
    "run",
    "expect",
];

/// The keys of steps that only a serial line, or a host beside it, can do.
const OF_LINE: [&str; 10] =
    ["send", "text", "hex", "file", "dtr", "rts", "break_ms", "reconnect", "run", "expect"];

/// Reads a list of steps. If they are `framed`, messages are put into the file's `[frame]`.
pub(super) fn read_all(
    field: &TomlField<'_>,
    scope: &FileScope<'_>,
    framed: bool,
) -> Result<Vec<DeviceStep>, FileFault> {
    let mut steps = Vec::new();
    for element in field.elements()? {
        let mut fields = element.table_called("a step")?;
        let acts = take(&mut fields, scope, framed)?;
        let place = fields.place();
        fields.finish()?;
        if acts.is_empty() {
            return Err(FileFault::new(place, "this step does nothing", "empty")
                .help(format!("give it one of {}", kinds(scope))));
        }
        steps.extend(acts);
    }
    Ok(steps)
}

/// Takes the steps that `fields` describe: one action, a wait beside it, or nothing.
pub(super) fn take(
    fields: &mut Fields<'_>,
    scope: &FileScope<'_>,
    framed: bool,
) -> Result<Vec<DeviceStep>, FileFault> {
    let (mut steps, mut acts) = if scope.is_probed {
        take_probes(fields)?
    } else {
        BoardStep::refuse(fields)?;
        take_of_line(fields, scope, framed)?
    };
    if let Some(pin) = fields.field("pin") {
        acts += 1;
        let name = <&str>::read(&pin)?;
        if name.is_empty() {
            return Err(pin.fault("a pin needs a name", "empty"));
        }
        steps.push(DeviceStep::Pin(name.to_owned(), fields.take("ms")?.unwrap_or(PULSE)));
    }
    if acts > 1 {
        return Err(FileFault::new(
            fields.place(),
            "a step does one thing",
            "this one does several",
        )
        .help("write them as `steps`, each in braces; only `wait_ms` may stand beside another"));
    }
    steps.extend(fields.take("wait_ms")?.map(DeviceStep::Wait));
    Ok(steps)
}

/// What a step can be.
pub(super) fn kinds(scope: &FileScope<'_>) -> String {
    if scope.is_probed { BoardStep::kinds() } else { list(&KINDS) }
}

/// Takes the steps of a probed device, and says how many there are.
fn take_probes(fields: &mut Fields<'_>) -> Result<(Vec<DeviceStep>, usize), FileFault> {
    for key in OF_LINE {
        if let Some(field) = fields.peek(key) {
            return Err(of_line(field, &format!("`{key}`"))
                .help(format!("a step of this device is one of {}", BoardStep::kinds())));
        }
    }
    let probes = BoardStep::take_all(fields)?;
    let acts = probes.len();
    Ok((probes.into_iter().map(DeviceStep::Probe).collect(), acts))
}

/// Takes what only a device on a serial line can have done to it, and says how many things this is.
fn take_of_line(
    fields: &mut Fields<'_>,
    scope: &FileScope<'_>,
    framed: bool,
) -> Result<(Vec<DeviceStep>, usize), FileFault> {
    let mut steps = Vec::new();
    let messages = MessageTemplate::take_all(fields, scope, framed)?;
    let mut acts = messages.len();
    steps.extend(messages.into_iter().map(DeviceStep::Send));
    let mut levels = Vec::new();
    for (key, line) in [("dtr", ControlLine::Dtr), ("rts", ControlLine::Rts)] {
        levels.extend(fields.take(key)?.map(|level| (line, level)));
    }
    if !levels.is_empty() {
        acts += 1;
        steps.extend(levels.iter().map(|(line, level)| DeviceStep::Set(*line, *level)));
        if let Some(pulse) = fields.take("ms")? {
            steps.push(DeviceStep::Wait(pulse));
            steps.extend(levels.iter().map(|(line, level)| DeviceStep::Set(*line, !level)));
        }
    }
    if let Some(length) = fields.take("break_ms")? {
        acts += 1;
        steps.extend([DeviceStep::Set(ControlLine::Break, true), DeviceStep::Wait(length)]);
        steps.push(DeviceStep::Set(ControlLine::Break, false));
    }
    if let Some(field) = fields.field("reconnect") {
        acts += 1;
        if !bool::read(&field)? {
            return Err(field.fault("`reconnect` is true or left out", "does nothing"));
        }
        steps.push(DeviceStep::Reconnect);
    }
    if let Some(command) = fields.take::<&str>("run")? {
        acts += 1;
        steps.push(DeviceStep::Run(ShellCommand {
            command: command.to_owned(),
            folder: scope.folder.to_owned(),
            within: fields.take("within_ms")?.unwrap_or(RUN_WITHIN),
        }));
    }
    if let Some(expect) = fields.take("expect")? {
        acts += 1;
        steps.push(DeviceStep::Expect(expect));
    }
    Ok((steps, acts))
}

impl PartialEq for Expect {
    fn eq(&self, other: &Self) -> bool {
        self.pattern.as_str() == other.pattern.as_str() && self.within == other.within
    }
}

impl Eq for Expect {}

impl<'t> Value<'t> for Expect {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        let example = "such as { match = '=> $', within_ms = 2000 }, a pattern and a time";
        let mut fields = field.table().map_err(|fault| fault.help(example))?;
        let expect =
            Self { pattern: fields.require("match")?, within: fields.require("within_ms")? };
        fields.finish()?;
        Ok(expect)
    }
}
