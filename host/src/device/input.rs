//! `[inputs]`: what can be done to the device.

use std::path::Path;
use std::time::Duration;

use super::bytes;
use super::checksum::Checksum;
use super::error::Fault;
use super::fields::{Field, Fields, Value, list};
use super::reply::ReplyRule;
use super::reset::Line;

/// An input: its name, what it does to the device, and how its reply ends.
///
/// ```toml
/// [inputs]
/// help   = "help\r"                      # text; short for { text = "help\r" }
/// status = { hex = "01 03 00 00 00 01", append = "crc16-modbus" }
/// page1  = { file = "page1.bin" }        # beside the device file
/// wait   = { wait_ms = 500 }             # sends nothing; what comes in that time is the output
/// boot   = { dtr = false, ms = 20 }      # a pulse; without `ms` the level stays
/// read   = { text = "MEAS?\n", reply = { lines = 1, within_ms = 3000 } }
/// ```
///
/// `append` is one of `crc8-smbus`, `crc8-maxim-dow`, `crc16-modbus`, `crc16-xmodem`,
/// `crc16-kermit`, `crc16-ibm-3740`, `crc16-ibm-sdlc`, `crc32-iso-hdlc`, `crc32-mpeg-2`,
/// `crc32-iscsi`, as the catalogue of Greg Cook calls them. Those that reflect their output, as
/// Modbus does, are sent low byte first.
#[derive(Clone, Debug)]
pub struct InputRule {
    /// Its name in the file.
    pub name: String,
    /// What it does.
    pub act: Act,
    /// How its reply ends: its own `reply` over that of the file.
    pub reply: ReplyRule,
}

/// What an input does to the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Lets time pass.
    Wait(Duration),
    /// Gives lines these levels, for so long or until something else does.
    Set {
        /// The lines, in the order in which they are set.
        levels: Vec<(Line, bool)>,
        /// After this time each gets the opposite level.
        pulse: Option<Duration>,
    },
}

pub(super) fn read_all(
    inputs: &Field<'_>,
    reply: &ReplyRule,
    folder: &Path,
) -> Result<Vec<InputRule>, Fault> {
    let mut table = inputs.table_called("[inputs]")?;
    let mut rules: Vec<InputRule> = Vec::new();
    for field in table.rest() {
        let rule = read(&field, reply, folder)?;
        if let Some(twin) = rules.iter().find(|known| known.act == rule.act) {
            let message = format!("`{}` does the same as `{}`", rule.name, twin.name);
            return Err(field
                .fault(message, "again here")
                .help("two inputs that the device cannot tell apart double the work; remove one"));
        }
        rules.push(rule);
    }
    if rules.is_empty() {
        return Err(Fault::new(table.place(), "there are no inputs", "this table is empty")
            .help("name what can be sent, such as help = \"help\\r\""));
    }
    Ok(rules)
}

fn read(field: &Field<'_>, reply: &ReplyRule, folder: &Path) -> Result<InputRule, Fault> {
    let name = field.key.to_owned();
    if name.is_empty() {
        return Err(Fault::new(field.key_place.clone(), "an input needs a name", "empty"));
    }
    if field.is_text() {
        return Ok(InputRule { name, act: Act::Send(bytes::text(field)?), reply: reply.clone() });
    }
    let Ok(mut fields) = field.table_called(format!("the input `{name}`")) else {
        return Err(field.expected("text or a table"));
    };
    let acts = read_acts(&mut fields, folder)?;
    let reply = match fields.field("reply") {
        Some(field) => ReplyRule::read(field.table()?, Some(reply))?,
        None => reply.clone(),
    };
    let place = fields.place();
    fields.finish()?;
    match <[Act; 1]>::try_from(acts) {
        Ok([act]) => Ok(InputRule { name, act, reply }),
        Err(acts) => {
            let what = if acts.is_empty() { "nothing" } else { "several things" };
            let kinds = ["text", "hex", "file", "wait_ms", "dtr", "rts"];
            Err(Fault::new(place, "an input does one thing", format!("this one does {what}"))
                .help(format!("give it one of {}", list(&kinds))))
        }
    }
}

/// What the keys of an input tell it to do: one act, when the file is right.
fn read_acts(fields: &mut Fields<'_>, folder: &Path) -> Result<Vec<Act>, Fault> {
    let mut acts = Vec::new();
    if let Some(field) = fields.field("text") {
        acts.push(Act::Send(bytes::text(&field)?));
    }
    if let Some(field) = fields.field("hex") {
        acts.push(Act::Send(bytes::hex(&field)?));
    }
    if let Some(field) = fields.field("file") {
        acts.push(Act::Send(read_file(&field, folder)?));
    }
    if let [Act::Send(bytes)] = acts.as_mut_slice()
        && let Some(checksum) = fields.take::<Checksum>("append")?
    {
        checksum.append(bytes);
    }
    acts.extend(fields.take("wait_ms")?.map(Act::Wait));
    let mut levels = Vec::new();
    for (key, line) in [("dtr", Line::Dtr), ("rts", Line::Rts)] {
        levels.extend(fields.take(key)?.map(|level| (line, level)));
    }
    if !levels.is_empty() {
        acts.push(Act::Set { levels, pulse: fields.take("ms")? });
    }
    Ok(acts)
}

fn read_file(field: &Field<'_>, folder: &Path) -> Result<Vec<u8>, Fault> {
    let path = folder.join(<&str>::read(field)?);
    let bytes = std::fs::read(&path).map_err(|error| {
        field.fault(format!("cannot read {}", path.display()), error.to_string())
    })?;
    if bytes.is_empty() {
        return Err(field.fault("there is nothing to send", "an empty file"));
    }
    Ok(bytes)
}
