//! `[[reset]]`: the ways back to the initial state, as a ladder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::bytes::Regex;

use super::bytes;
use super::error::Fault;
use super::fields::{Field, Fields, Value};

/// One way to reset the device. When it does not work, the next rung of the ladder is tried.
///
/// ```toml
/// [[reset]]
/// steps = [
///     { send = "\u0003", wait_ms = 20 },
///     { send = "reset\r" },
///     { expect = { match = 'Hit any key', within_ms = 5000 } },
///     { hex = "20" },
/// ]
/// expect = { match = '=> $', within_ms = 2000 }
/// quiet_ms = 20
///
/// [[reset]]
/// steps = [{ run = "uhubctl -a cycle -p 3", within_ms = 20000 }]
/// ```
///
/// It worked when what came since the last act matches `expect`, and nothing more came for
/// `quiet_ms`. What the device said before the last act (a prompt from before the reset, say) does
/// not count. A rung without `expect` works when its steps do; write one wherever the device says
/// anything, since a reset that did not happen is the fault that is hardest to find later.
#[derive(Clone, Debug)]
pub struct Rung {
    /// What to do, in this order; at least one.
    pub steps: Vec<Step>,
    /// What the device says when it is back.
    pub expect: Option<Expect>,
    /// The silence that must follow; 20 ms unless the file says otherwise.
    pub quiet: Duration,
}

/// A step of a reset. In the file, `wait_ms` may stand beside any of the others and comes last.
#[derive(Clone, Debug)]
pub enum Step {
    /// `{ send = "reset\r" }` or `{ hex = "7f" }`.
    Send(Vec<u8>),
    /// `{ dtr = false }`, `{ rts = true }`, or both; `{ break_ms = 250 }` is a break and its end.
    Set(Line, bool),
    /// `{ run = "uhubctl -a cycle -p 3", within_ms = 20000 }`: a command for the shell, run in the
    /// folder of the device file. It must end within that time (a minute unless told) with success.
    Run {
        /// What the shell is given.
        command: String,
        /// Where it runs.
        folder: PathBuf,
        /// How long it may take.
        within: Duration,
    },
    /// `{ expect = { match = 'Hit any key', within_ms = 5000 } }`: waits until the device says so.
    Expect(Expect),
    /// `{ wait_ms = 50 }`: lets time pass.
    Wait(Duration),
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

/// The silence that must follow a reset.
const QUIET: Duration = Duration::from_millis(20);
/// How long a command may run.
const RUN_WITHIN: Duration = Duration::from_secs(60);

pub(super) fn read(mut fields: Fields<'_>, folder: &Path) -> Result<Rung, Fault> {
    let place = fields.place();
    let steps = fields.field("steps").map(|field| field.elements()).transpose()?;
    let expect = fields.take("expect")?;
    let quiet = fields.take("quiet_ms")?.unwrap_or(QUIET);
    fields.finish()?;
    let mut all = Vec::new();
    for step in steps.unwrap_or_default() {
        read_step(step.table_called("a step")?, folder, &mut all)?;
    }
    if all.is_empty() {
        return Err(Fault::new(place, "this reset does nothing", "it has no steps")
            .help("say how, such as steps = [{ send = \"reset\\r\" }]"));
    }
    Ok(Rung { steps: all, expect, quiet })
}

fn read_step(mut fields: Fields<'_>, folder: &Path, steps: &mut Vec<Step>) -> Result<(), Fault> {
    let before = steps.len();
    for (key, line) in [("dtr", Line::Dtr), ("rts", Line::Rts)] {
        steps.extend(fields.take(key)?.map(|level| Step::Set(line, level)));
    }
    let mut acts = usize::from(steps.len() > before);
    if let Some(length) = fields.take("break_ms")? {
        steps.extend([Step::Set(Line::Break, true), Step::Wait(length)]);
        steps.push(Step::Set(Line::Break, false));
        acts += 1;
    }
    if let Some(field) = fields.field("send") {
        steps.push(Step::Send(bytes::text(&field)?));
        acts += 1;
    }
    if let Some(field) = fields.field("hex") {
        steps.push(Step::Send(bytes::hex(&field)?));
        acts += 1;
    }
    if let Some(command) = fields.take::<&str>("run")? {
        steps.push(Step::Run {
            command: command.to_owned(),
            folder: folder.to_owned(),
            within: fields.take("within_ms")?.unwrap_or(RUN_WITHIN),
        });
        acts += 1;
    }
    if let Some(expect) = fields.take("expect")? {
        steps.push(Step::Expect(expect));
        acts += 1;
    }
    steps.extend(fields.take("wait_ms")?.map(Step::Wait));
    let place = fields.place();
    fields.finish()?;
    if acts > 1 {
        return Err(Fault::new(place, "a step does one thing", "this one does several")
            .help("write each as a step of its own; only `wait_ms` may stand beside another"));
    }
    if steps.len() == before {
        return Err(Fault::new(place, "this step does nothing", "empty"));
    }
    Ok(())
}

impl<'t> Value<'t> for Expect {
    fn read(field: &Field<'t>) -> Result<Self, Fault> {
        let mut fields = field.table()?;
        let expect =
            Self { pattern: fields.require("match")?, within: fields.require("within_ms")? };
        fields.finish()?;
        Ok(expect)
    }
}
