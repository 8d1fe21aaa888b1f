//! The device file: how a person tells Mealybug to talk to a device.
//!
//! One TOML file a device, kept in the user's repository:
//!
//! ```
//! # use std::path::Path;
//! let device = mealybug::device::Device::parse(Path::new("lock.toml"), r#"
//!     [port]
//!     baud = 115200
//!
//!     ## A ladder, cheapest first: the next one is tried when `expect` is not met.
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
//!     strip = ['\x1b\[[0-9;]*[A-Za-z]']
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
//! What each table may say is told at the type that it becomes: [`Port`], [`Rung`], [`ReplyRule`],
//! [`OutputRule`], [`InputRule`]. Text is written with TOML's own escapes and no second layer of
//! them; it may hold bytes below 0x80 only, as the others have no one meaning in UTF-8: `hex` says
//! those. Patterns are regular expressions over bytes, without Unicode classes.
//!
//! The inputs are numbered in the order of the file. A key that is not known is an error, never
//! ignored: whoever wrote it meant something by it.

mod bytes;
mod checksum;
mod error;
mod fields;
mod input;
mod output;
mod port;
mod reply;
mod reset;
#[cfg(test)]
mod tests;

use std::path::Path;

use toml::de::DeTable;

pub use error::{DeviceFileError, Invalid};
pub use input::{Act, InputRule};
pub use output::OutputRule;
pub use port::{FlowControl, Format, Parity, Port};
pub use reply::{Late, Length, ReplyRule};
pub use reset::{Expect, Line, Rung, Step};

use error::Fault;
use fields::{Field, Fields};

/// All that a device file says.
#[derive(Clone, Debug)]
pub struct Device {
    /// `[port]`: how the port is opened.
    pub port: Port,
    /// `[[reset]]`: the ways back to the initial state, cheapest first; at least one.
    pub resets: Vec<Rung>,
    /// `[inputs]`, in the order of the file; at least one.
    pub inputs: Vec<InputRule>,
    /// `[[output]]`: the first that matches a reply names it.
    pub outputs: Vec<OutputRule>,
    /// The `strip` of `[reply]`; what the device says after a reset is cleaned by it, too.
    pub strip: Vec<regex::bytes::Regex>,
}

impl Device {
    /// Reads the device file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, or it says something that has no meaning.
    pub fn load(path: &Path) -> Result<Self, DeviceFileError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| DeviceFileError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(path, &text)
    }

    /// Reads `text` as the device file at `path`; files that it names are looked for beside that.
    ///
    /// # Errors
    /// The text says something that has no meaning.
    pub fn parse(path: &Path, text: &str) -> Result<Self, DeviceFileError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        read(text, folder).map_err(|fault| fault.in_file(path, text))
    }

    /// The name of an output: what the first matching rule says, else the reply itself, escaped.
    pub fn name_output(&self, reply: &[u8]) -> String {
        self.outputs
            .iter()
            .find_map(|rule| rule.name(reply))
            .unwrap_or_else(|| crate::escape::escape(reply))
    }
}

fn read(text: &str, folder: &Path) -> Result<Device, Fault> {
    let table = DeTable::parse(text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        Fault::new(place, "this is not TOML", error.message())
    })?;
    let mut file = Fields::new("a device file", 0..0, table.get_ref());

    let port = match file.field("port") {
        Some(field) => port::read(field.table_called("[port]")?)?,
        None => Port::default(),
    };
    let resets = tables(file.field("reset"), "[[reset]]", |rung| reset::read(rung, folder))?;
    let reply = match file.field("reply") {
        Some(field) => ReplyRule::read(field.table_called("[reply]")?, None)?,
        None => ReplyRule::default(),
    };
    let outputs = tables(file.field("output"), "[[output]]", output::read)?;
    let inputs = file.field("inputs");
    file.finish()?;

    let inputs = inputs.ok_or_else(|| {
        Fault::new(0..0, "there are no inputs", "this file has no table [inputs]")
            .help("name what can be sent, such as\n[inputs]\nhelp = \"help\\r\"")
    })?;
    let inputs = input::read_all(&inputs, &reply, folder)?;
    if resets.is_empty() {
        return Err(Fault::new(
            0..0,
            "there is no way to reset the device",
            "this file has no table [[reset]]",
        )
        .help(
            "every word starts from the initial state; say how the device gets there, such as\n\
             [[reset]]\nsteps = [{ send = \"reset\\r\" }]\n\
             expect = { match = 'ready> $', within_ms = 2000 }",
        ));
    }
    Ok(Device { port, resets, inputs, outputs, strip: reply.strip })
}

/// Reads each table of a list of tables, such as `[[reset]]`.
fn tables<T>(
    field: Option<Field<'_>>,
    what: &str,
    read: impl Fn(Fields<'_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let elements = match field {
        Some(field) => field.elements().map_err(|fault| {
            fault.help(format!("there may be several: put it between double brackets, {what}"))
        })?,
        None => Vec::new(),
    };
    elements.iter().map(|element| read(element.table_called(what)?)).collect()
}
