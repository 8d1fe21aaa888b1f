//! What can be done to a device: the steps of resets and of inputs.

use std::path::PathBuf;
use std::time::Duration;

use regex::bytes::Regex;

use super::error::Fault;
use super::fields::{Field, Fields, Value, list};
use super::message::Message;
use super::scope::Scope;

/// A step of a reset or of an input.
///
/// In the file, `wait_ms` may stand beside any of the others and comes last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `{ send = "reset\r" }`, `{ hex = "7f" }`, `{ file = "page1.bin" }`.
    Send(Message),
    /// `{ dtr = false }`, `{ rts = true }`, or both, with `ms = 20` as a pulse after which they get
    /// the opposite level; `{ break_ms = 250 }` is a break and its end.
    Set(Line, bool),
    /// `{ run = "uhubctl -a cycle -p 3", within_ms = 20000 }`.
    Run(Run),
    /// `{ expect = { match = 'Hit any key', within_ms = 5000 } }`: waits until the device says so.
    Expect(Expect),
    /// `{ wait_ms = 50 }`: lets time pass.
    Wait(Duration),
}

/// A command for the shell, run in the folder of the device file. It must end with success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What the shell is given.
    pub command: String,
    /// Where it runs.
    pub folder: PathBuf,
    /// How long it may take; a minute unless told.
    pub within: Duration,
}

/// What a device is expected to say, and how soon.
#[derive(Clone, Debug)]
pub struct Expect {
    /// A pattern over what came since the last act, after `strip`.
    pub pattern: Regex,
    /// How long to wait for it.
    pub within: Duration,
}

/// A line of the port that has a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Data terminal ready.
    Dtr,
    /// Request to send.
    Rts,
    /// The line that data is sent on: `true` holds it in a break.
    Break,
}

/// How long a command may run.
const RUN_WITHIN: Duration = Duration::from_secs(60);
/// What a step can be.
const KINDS: [&str; 9] =
    ["send", "hex", "file", "wait_ms", "dtr", "rts", "break_ms", "run", "expect"];

/// Reads a list of steps; messages are put into the frame of the file if they are `framed`.
pub(super) fn read_all(
    field: &Field<'_>,
    scope: &Scope<'_>,
    framed: bool,
) -> Result<Vec<Step>, Fault> {
    let mut steps = Vec::new();
    for element in field.elements()? {
        let mut fields = element.table_called("a step")?;
        let acts = take(&mut fields, scope, framed)?;
        let place = fields.place();
        fields.finish()?;
        if acts.is_empty() {
            return Err(Fault::new(place, "this step does nothing", "empty")
                .help(format!("give it one of {}", list(&KINDS))));
        }
        steps.extend(acts);
    }
    Ok(steps)
}

/// Takes what `fields` say is to be done: one thing, a wait beside it, or nothing.
pub(super) fn take(
    fields: &mut Fields<'_>,
    scope: &Scope<'_>,
    framed: bool,
) -> Result<Vec<Step>, Fault> {
    let mut steps = Vec::new();
    let messages = Message::take_all(fields, scope, framed)?;
    let mut acts = messages.len();
    steps.extend(messages.into_iter().map(Step::Send));
    let mut levels = Vec::new();
    for (key, line) in [("dtr", Line::Dtr), ("rts", Line::Rts)] {
        levels.extend(fields.take(key)?.map(|level| (line, level)));
    }
    if !levels.is_empty() {
        acts += 1;
        steps.extend(levels.iter().map(|(line, level)| Step::Set(*line, *level)));
        if let Some(pulse) = fields.take("ms")? {
            steps.push(Step::Wait(pulse));
            steps.extend(levels.iter().map(|(line, level)| Step::Set(*line, !level)));
        }
    }
    if let Some(length) = fields.take("break_ms")? {
        acts += 1;
        steps.extend([Step::Set(Line::Break, true), Step::Wait(length)]);
        steps.push(Step::Set(Line::Break, false));
    }
    if let Some(command) = fields.take::<&str>("run")? {
        acts += 1;
        steps.push(Step::Run(Run {
            command: command.to_owned(),
            folder: scope.folder.to_owned(),
            within: fields.take("within_ms")?.unwrap_or(RUN_WITHIN),
        }));
    }
    if let Some(expect) = fields.take("expect")? {
        acts += 1;
        steps.push(Step::Expect(expect));
    }
    if acts > 1 {
        return Err(Fault::new(fields.place(), "a step does one thing", "this one does several")
            .help(
                "write them as `steps`, each in braces; only `wait_ms` may stand beside another",
            ));
    }
    steps.extend(fields.take("wait_ms")?.map(Step::Wait));
    Ok(steps)
}

impl PartialEq for Expect {
    fn eq(&self, other: &Self) -> bool {
        self.pattern.as_str() == other.pattern.as_str() && self.within == other.within
    }
}

impl Eq for Expect {}

impl<'t> Value<'t> for Expect {
    fn read(field: &Field<'t>) -> Result<Self, Fault> {
        let mut fields = field.table()?;
        let expect =
            Self { pattern: fields.require("match")?, within: fields.require("within_ms")? };
        fields.finish()?;
        Ok(expect)
    }
}
