//! `[inputs]`: what can be done to the device.

use std::time::Duration;

use super::error::FileFault;
use super::fields::{TomlField, check_name};
use super::message::MessageTemplate;
use super::probe::{BoardStep, of_line};
use super::reply::ReplySection;
use super::scope::FileScope;
use super::step::{self, DeviceStep};
use super::template::Variables;

/// An input: its name, what it does to the device, and how its reply ends.
///
/// ```toml
/// [inputs]
/// help   = "help\r"                      # text; short for { send = "help\r" }
/// status = { hex = "01 03 00 00 00 01", append = "crc16-modbus" }
/// page1  = { file = "page1.bin" }        # beside the device file
/// wait   = { wait_ms = 500 }             # sends nothing; what comes in that time is the output
/// boot   = { dtr = false, ms = 20 }      # a pulse; without `ms` the level stays
/// stop   = { break_ms = 250 }
/// read   = { send = "MEAS?\n", reply = { lines = 1, within_ms = 3000 } }
/// login  = { steps = [
///     { send = "root\r" },
///     { expect = { match = 'Password: $', within_ms = 2000 } },
///     { send = "secret\r" },
/// ] }
/// ```
///
/// The output is the reply to the last step. If that step is a wait, the output is everything that
/// arrived since the step before it; otherwise the [`ReplySection`] says when the reply has ended. An
/// `expect` step waits for its pattern or for the end of a reply without it. In the second case
/// that reply is the output and the remaining steps are skipped, so a failed login shows in the
/// outputs.
#[derive(Clone, Debug)]
pub struct InputRule {
    /// The name in the file.
    pub name: String,
    /// The steps, in their order: at least one, and the last one is not an `expect`.
    pub steps: Vec<DeviceStep>,
    /// How the reply ends: the `reply` of this input, completed by that of the file.
    pub reply: ReplySection,
}

impl InputRule {
    /// Whether a time ends its reply, whatever comes: its last step is a wait.
    pub fn waits(&self) -> bool {
        matches!(self.steps.last(), Some(DeviceStep::Wait(_)))
    }

    /// How long it waits, if that is all it does.
    pub fn only_waits(&self) -> Option<Duration> {
        let wait = |step: &DeviceStep| match step {
            DeviceStep::Wait(time) => Some(*time),
            _ => None,
        };
        self.steps.iter().map(wait).sum()
    }

    /// All bytes that the input sends with these variables if every expectation is met.
    pub fn sends(&self, variables: &Variables) -> Vec<u8> {
        let mut variables = variables.clone();
        let mut bytes = Vec::new();
        for step in &self.steps {
            if let DeviceStep::Send(message) = step {
                bytes.extend(message.send(&mut variables));
            }
        }
        bytes
    }
}

pub(super) fn read_all(
    inputs: &TomlField<'_>,
    reply: &ReplySection,
    scope: &FileScope<'_>,
) -> Result<Vec<InputRule>, FileFault> {
    let mut table = inputs.table_called("[inputs]")?;
    let mut rules: Vec<InputRule> = Vec::new();
    for field in table.rest() {
        let rule = read(&field, reply, scope)?;
        if let Some(twin) = rules.iter().find(|known| known.steps == rule.steps) {
            let message = format!("`{}` does the same as `{}`", rule.name, twin.name);
            return Err(field
                .fault(message, "again here")
                .help("two inputs that the device cannot tell apart double the work; remove one"));
        }
        rules.push(rule);
    }
    if rules.is_empty() {
        return Err(FileFault::new(table.place(), "there are no inputs", "this table is empty")
            .help("name what can be sent, such as help = \"help\\r\""));
    }
    Ok(rules)
}

/// How often steps count edges.
fn counts(steps: &[DeviceStep]) -> usize {
    let is_count = |step: &&DeviceStep| matches!(step, DeviceStep::Probe(BoardStep::Edges { .. }));
    steps.iter().filter(is_count).count()
}

/// What is often said of an input and belongs in its `reply`.
const REPLY_KEYS: [&str; 10] = [
    "closed",
    "echo",
    "grace_ms",
    "last_line",
    "length",
    "lines",
    "match",
    "quiet_ms",
    "silent",
    "within_ms",
];

fn read(
    field: &TomlField<'_>,
    reply: &ReplySection,
    scope: &FileScope<'_>,
) -> Result<InputRule, FileFault> {
    let name = field.key.to_owned();
    check_name(field, "an input")?;
    if field.is_text() && !scope.is_probed {
        let steps = vec![DeviceStep::Send(MessageTemplate::text(field, scope)?)];
        return Ok(InputRule { name, steps, reply: reply.clone() });
    }
    let Ok(mut fields) = field.table_called(format!("the input `{name}`")) else {
        return Err(field.expected(if scope.is_probed { "a table" } else { "text or a table" }));
    };
    let mut steps = step::take(&mut fields, scope, true)?;
    let single = steps.len();
    if let Some(field) = fields.field("steps") {
        steps.extend(step::read_all(&field, scope, true)?);
    }
    let reply = match fields.field("reply") {
        Some(field) if scope.is_probed => return Err(of_line(&field, "`reply` of an input")),
        Some(field) => ReplySection::read(field.table()?, reply)?,
        None => reply.clone(),
    };
    let place = fields.place();
    if let Some(field) = REPLY_KEYS.iter().find_map(|key| fields.peek(key)) {
        let key = field.key;
        let message = format!("the input `{name}` has no key `{key}`");
        return Err(FileFault::new(field.key_place.clone(), message, "it belongs in the `reply`")
            .help(format!("write reply = {{ {key} = … }}: all about a reply stands there")));
    }
    fields.finish()?;
    let wrong = match steps.as_slice() {
        [] => "it does nothing",
        _ if single > 0 && steps.len() > single => "it has `steps` and does something beside them",
        _ if counts(&steps) > 1 => "it counts edges twice",
        [_, later @ ..] if later.contains(&DeviceStep::Reconnect) => {
            "only its first step may be `reconnect`"
        }
        [.., DeviceStep::Expect(_)] => "its last step expects something",
        _ => return Ok(InputRule { name, steps, reply }),
    };
    let help = if scope.is_probed {
        format!("give it one of {}, or several of them as `steps`", step::kinds(scope))
    } else {
        "give it text or one of `send`, `hex`, `file`, `wait_ms`, `dtr`, `rts`, `break_ms`, \
         `reconnect`, `pin`, `run`, or several of them as `steps`; how the last reply ends is said by `reply`"
            .to_owned()
    };
    Err(FileFault::new(place, format!("the input `{name}` is not complete"), wrong).help(help))
}
