//! `[port]`: how the port is opened.

use std::num::NonZeroU32;
use std::time::Duration;

pub use mealybug_core::wire::line::Parity;

use mealybug_core::wire::line::LineSettings;

use super::error::FileFault;
use super::fields::{Fields, TomlField, Value};

/// How the serial port is opened.
///
/// ```toml
/// [port]                     # all optional
/// path = "/dev/ttyUSB0"      # the command line and MEALYBUG_PORT come first
/// baud = 115200
/// format = "8N1"             # data bits, parity (N, E, O), stop bits
/// flow = "none"              # none, software, hardware
/// dtr = true                 # levels after opening
/// rts = true
/// char_delay_ms = 0          # after each byte sent, for devices without a FIFO
/// line_delay_ms = 0          # and between the lines of a message
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSection {
    /// The address of the port, unless the command line or the environment gives one.
    pub path: Option<String>,
    /// Bits per second.
    pub baud: u32,
    /// The format of a character on the line.
    pub format: CharacterFormat,
    /// Flow control: how each side tells the other to wait.
    pub flow: FlowControl,
    /// The level of DTR after opening; `None` leaves it as the system has it.
    pub dtr: Option<bool>,
    /// The level of RTS after opening; `None` leaves it as the system has it.
    pub rts: Option<bool>,
    /// How long to pause after each byte.
    pub char_delay: Duration,
    /// How long to pause between the lines of a message.
    pub line_delay: Duration,
}

/// Data bits, parity, stop bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharacterFormat {
    /// 5 to 8.
    pub data_bits: u8,
    /// The parity bit.
    pub parity: Parity,
    /// 1 or 2.
    pub stop_bits: u8,
}

/// Flow control: how each side tells the other to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowControl {
    /// No flow control.
    None,
    /// XON and XOFF. These two bytes cannot be data.
    Software,
    /// RTS and CTS.
    Hardware,
}

impl Default for PortSection {
    fn default() -> Self {
        Self {
            path: None,
            baud: 115_200,
            format: CharacterFormat { data_bits: 8, parity: Parity::None, stop_bits: 1 },
            flow: FlowControl::None,
            dtr: None,
            rts: None,
            char_delay: Duration::ZERO,
            line_delay: Duration::ZERO,
        }
    }
}

impl PortSection {
    /// Baud rate and format.
    pub const fn line(&self) -> LineSettings {
        let CharacterFormat { data_bits, parity, stop_bits } = self.format;
        LineSettings { baud: self.baud, data_bits, parity, stop_bits }
    }
}

pub(super) fn read(mut fields: Fields<'_>) -> Result<PortSection, FileFault> {
    let default = PortSection::default();
    let port = PortSection {
        path: fields.take::<&str>("path")?.map(str::to_owned),
        baud: fields.take("baud")?.map_or(default.baud, NonZeroU32::get),
        format: fields.take("format")?.unwrap_or(default.format),
        flow: fields.take("flow")?.unwrap_or(default.flow),
        dtr: fields.take("dtr")?,
        rts: fields.take("rts")?,
        char_delay: fields.take("char_delay_ms")?.unwrap_or(default.char_delay),
        line_delay: fields.take("line_delay_ms")?.unwrap_or(default.line_delay),
    };
    fields.finish()?;
    Ok(port)
}

impl<'t> Value<'t> for CharacterFormat {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        let text = <&str>::read(field)?;
        let read = || {
            let [data_bits @ b'5'..=b'8', parity, stop_bits @ b'1'..=b'2'] = *text.as_bytes()
            else {
                return None;
            };
            let parity = match parity {
                b'N' => Parity::None,
                b'E' => Parity::Even,
                b'O' => Parity::Odd,
                _ => return None,
            };
            Some(Self { data_bits: data_bits - b'0', parity, stop_bits: stop_bits - b'0' })
        };
        read().ok_or_else(|| {
            field
                .fault(format!("`{text}` is not a format"), "unknown format")
                .help("data bits 5 to 8, parity N, E or O, stop bits 1 or 2: \"8N1\", \"7E2\"")
        })
    }
}

impl<'t> Value<'t> for FlowControl {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        match <&str>::read(field)? {
            "none" => Ok(Self::None),
            "software" => Ok(Self::Software),
            "hardware" => Ok(Self::Hardware),
            other => Err(field
                .fault(format!("`{other}` is not a kind of flow control"), "unknown kind")
                .help("one of `none`, `software`, `hardware`")),
        }
    }
}
