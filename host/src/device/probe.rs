//! `[probe]`: a device on pins and buses of a board, instead of a serial line.

use std::collections::BTreeSet;
use std::time::Duration;

use mealybug_core::wire::probe::{MAX_BUS_BYTES, MAX_SENSED};

use super::bytes;
use super::error::FileFault;
use super::fields::{Fields, TomlField, Value, at_least_one, check_name, list, named_from};

/// How the pins of a probed device are read after each input.
///
/// ```toml
/// [probe]                        # all optional
/// sense = ["motor", "heater"]    # an output ends with their levels: 0b10, motor is on
/// settle_us = 100                # how long after the last step of an input they are read
/// debounce_us = 2000             # no level may change for so long then; 0 for one reading
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeSection {
    /// The pins; the program of the board names them.
    pub sense: Vec<String>,
    /// How long they take to settle; default 100 µs.
    pub settle: Duration,
    /// How long they must then keep their levels.
    pub debounce: Duration,
}

/// A step that only a board can do. The program of the board names pins, buses, analog inputs and counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardStep {
    /// `{ set = { door = true } }`: the pins and whether they get their active level. They keep it until the next
    /// reset.
    Set(Vec<(String, bool)>),
    /// `{ i2c = "sensors", address = 0x48, write = "00", read = 2 }`: the output is what was read.
    I2c {
        /// The bus.
        bus: String,
        /// The seven-bit address of the device.
        address: u8,
        /// The bytes that are written first.
        write: Vec<u8>,
        /// The number of bytes that are then read.
        read: usize,
    },
    /// `{ spi = "flash", write = "9f", read = 3 }`: the output is what was read. With `transfer = "9f 00"` it is
    /// all that came back.
    Spi {
        /// The device on its bus.
        device: String,
        /// The bytes that are sent; zeros where something is only read.
        send: Vec<u8>,
        /// The number of bytes that come back and are not looked at.
        skip: usize,
    },
    /// `{ adc = "battery", levels_mv = { low = 0, high = 1100 } }`: the output is the name of the voltage.
    Voltage {
        /// The analog input.
        input: String,
        /// The names, each with the least number of millivolts.
        levels: Vec<(u32, String)>,
    },
    /// `{ edges = "tacho", ms = 100, counts = { stopped = 0, slow = 5 } }`: the output is the number of edges
    /// since the input began, or its name.
    Edges {
        /// The counter.
        counter: String,
        /// How long the step waits before it reads the counter.
        within: Duration,
        /// The names, each with the least number.
        counts: Vec<(u32, String)>,
    },
}

/// The keys that make a step that is a probe, and those of other steps that a probed device can have.
const KINDS: [&str; 7] = ["pin", "set", "i2c", "spi", "adc", "edges", "wait_ms"];

/// The default for `settle_us`.
const SETTLE: Duration = Duration::from_micros(100);

impl ProbeSection {
    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, FileFault> {
        let sense = match fields.field("sense") {
            Some(field) => read_sense(&field)?,
            None => Vec::new(),
        };
        let us = |us| Duration::from_micros(u32::into(us));
        let settle = fields.take("settle_us")?.map_or(SETTLE, us);
        let debounce = fields.take("debounce_us")?.map_or(Duration::ZERO, us);
        fields.finish()?;
        Ok(Self { sense, settle, debounce })
    }
}

impl BoardStep {
    /// Takes the probes that `fields` describe: one, or nothing.
    pub(super) fn take_all(fields: &mut Fields<'_>) -> Result<Vec<Self>, FileFault> {
        let mut steps = Vec::new();
        if let Some(field) = fields.field("set") {
            steps.push(Self::Set(read_set(&field)?));
        }
        if let Some(field) = fields.field("i2c") {
            let (write, read) = (take_hex(fields, "write")?, take_read(fields)?);
            if write.is_empty() && read == 0 {
                return Err(no_bytes(&field, "`write` or `read`"));
            }
            let address = take_address(fields, &field)?;
            steps.push(Self::I2c { bus: read_name(&field)?, address, write, read });
        }
        if let Some(field) = fields.field("spi") {
            steps.push(read_spi(fields, &field)?);
        }
        if let Some(field) = fields.field("adc") {
            let input = read_name(&field)?;
            let levels = fields.field("levels_mv").ok_or_else(|| {
                field.fault("`adc` needs `levels_mv`, the names of voltages", "without names").help(
                    "no voltage comes twice; say how far they count as the same, such as\n\
                           levels_mv = { low = 0, high = 1100 }",
                )
            })?;
            steps.push(Self::Voltage { input, levels: read_levels(&levels)? });
        }
        if let Some(field) = fields.field("edges") {
            let counter = read_name(&field)?;
            let within = fields.require("ms")?;
            let counts = fields.field("counts").as_ref().map(read_levels).transpose()?;
            steps.push(Self::Edges { counter, within, counts: counts.unwrap_or_default() });
        }
        Ok(steps)
    }

    /// The error for a probe in the file of a device on a serial line.
    pub(super) fn refuse(fields: &Fields<'_>) -> Result<(), FileFault> {
        match ["set", "i2c", "spi", "adc", "edges"].into_iter().find_map(|key| fields.peek(key)) {
            None => Ok(()),
            Some(field) => Err(FileFault::new(
                field.key_place.clone(),
                format!("`{}` is for devices that a board probes", field.key),
                "this file has no table [probe]",
            )
            .help("a device without a serial line has a table [probe], which may be empty")),
        }
    }

    /// What a step of a probed device can be.
    pub(super) fn kinds() -> String {
        list(&KINDS)
    }
}

/// Fails if the file of a probed device has a table for those on a serial line.
pub(super) fn refuse_line(file: &Fields<'_>) -> Result<(), FileFault> {
    for key in ["port", "frame", "captures", "reply", "replace", "word"] {
        if let Some(field) = file.peek(key) {
            return Err(of_line(field, &format!("`{key}`")));
        }
    }
    Ok(())
}

/// The error for something that only devices on a serial line have.
pub(super) fn of_line(field: &TomlField<'_>, what: &str) -> FileFault {
    let message = format!("{what} is for devices on a serial line");
    FileFault::new(field.key_place.clone(), message, "this file has a table [probe]")
        .help("a device has a serial line, or a board probes it: remove one of the two")
}

fn read_name(field: &TomlField<'_>) -> Result<String, FileFault> {
    let name = <&str>::read(field)?;
    if name.is_empty() {
        return Err(field.fault(format!("`{}` needs a name", field.key), "empty"));
    }
    Ok(name.to_owned())
}

fn read_sense(field: &TomlField<'_>) -> Result<Vec<String>, FileFault> {
    let mut pins: Vec<String> = Vec::new();
    for element in field.elements()? {
        let pin = read_name(&element)?;
        if pins.contains(&pin) {
            return Err(element.fault(format!("the pin `{pin}` is sensed twice"), "again here"));
        }
        pins.push(pin);
    }
    if pins.len() > MAX_SENSED {
        let message = format!("{} pins, and a board can sense {MAX_SENSED}", pins.len());
        return Err(field.fault(message, "too many"));
    }
    Ok(pins)
}

fn read_set(field: &TomlField<'_>) -> Result<Vec<(String, bool)>, FileFault> {
    let mut pins = Vec::new();
    for pin in field.table()?.rest() {
        pins.push((pin.key.to_owned(), bool::read(&pin)?));
    }
    if pins.is_empty() || pins.iter().any(|(name, _)| name.is_empty()) {
        return Err(field
            .fault("`set` needs the names of pins", "without a name")
            .help("write it like { set = { door = true } }; true is the active level"));
    }
    Ok(pins)
}

fn read_spi(fields: &mut Fields<'_>, spi: &TomlField<'_>) -> Result<BoardStep, FileFault> {
    let device = read_name(spi)?;
    let transfer = fields.field("transfer");
    let (write, read) = (take_hex(fields, "write")?, take_read(fields)?);
    let (send, skip) = match transfer {
        Some(field) if !write.is_empty() || read > 0 => {
            return Err(field.fault("`transfer` writes and reads", "beside `write` or `read`"));
        }
        Some(field) => (bytes::hex(&field, <&str>::read(&field)?)?, 0),
        None => {
            let skip = write.len();
            ([write, vec![0; read]].concat(), skip)
        }
    };
    if send.is_empty() {
        return Err(no_bytes(spi, "`write`, `read` or `transfer`"));
    }
    if send.len() > MAX_BUS_BYTES {
        let message = format!("a transfer of {} bytes", send.len());
        return Err(spi.fault(message, format!("a board can transfer {MAX_BUS_BYTES}")));
    }
    Ok(BoardStep::Spi { device, send, skip })
}

fn take_hex(fields: &mut Fields<'_>, key: &'static str) -> Result<Vec<u8>, FileFault> {
    let bytes = fields.field(key).map(|field| bytes::hex(&field, <&str>::read(&field)?));
    Ok(bytes.transpose()?.unwrap_or_default())
}

fn take_read(fields: &mut Fields<'_>) -> Result<usize, FileFault> {
    let Some(field) = fields.field("read") else { return Ok(0) };
    let count = at_least_one(&field)?;
    if count > MAX_BUS_BYTES {
        let message = format!("a board can read {MAX_BUS_BYTES} bytes at once");
        return Err(field.fault(message, "too many"));
    }
    Ok(count)
}

fn take_address(fields: &mut Fields<'_>, i2c: &TomlField<'_>) -> Result<u8, FileFault> {
    let Some(field) = fields.field("address") else {
        return Err(i2c.fault("`i2c` needs the `address` of the device", "without an address"));
    };
    let address = u32::read(&field)?;
    u8::try_from(address).ok().filter(|address| *address < 0x80).ok_or_else(|| {
        field
            .fault("an I2C address has seven bits", format!("{address:#04x} is above 0x7f"))
            .help("some datasheets write it with the bit for reading and writing: then halve it")
    })
}

fn no_bytes(field: &TomlField<'_>, what: &str) -> FileFault {
    field.fault(format!("`{}` needs {what}", field.key), "without any bytes")
}

fn read_levels(field: &TomlField<'_>) -> Result<Vec<(u32, String)>, FileFault> {
    let help = "write it like { low = 0, high = 1100 }: high is from 1100 on";
    let levels: Vec<(u32, String)> =
        named_from(field, "the smallest numbers", "nothing begins at 0", help)?;
    for level in field.table()?.rest() {
        check_name(&level, "a level")?;
    }
    let numbers: BTreeSet<_> = levels.iter().map(|(from, _)| from).collect();
    if numbers.len() < levels.len() {
        let message = format!("two names of `{}` begin at the same number", field.key);
        return Err(field.fault(message, "one of them never comes"));
    }
    Ok(levels)
}
