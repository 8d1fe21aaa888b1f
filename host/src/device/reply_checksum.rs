//! The checksum of a reply: bytes at its end, or hex digits in its text.

use std::borrow::Cow;

use regex::bytes::Regex;

use super::checksum::Checksum;
use super::error::FileFault;
use super::fields::{TomlField, Value};
use super::template::Complement;

/// Where the checksum of a reply is.
///
/// ```toml
/// checksum = "crc16-modbus"    # its last bytes
/// # hex digits: of NMEA 0183, of Modbus ASCII
/// checksum = { sum = "xor8", match = '\$(?<data>[^*]*)\*(?<digits>[0-9A-F]{2})' }
/// checksum = { sum = "-sum8", match = ':(?<data>[0-9A-F]*)(?<digits>[0-9A-F]{2})\r\n', of = "hex" }
/// ```
///
/// A pattern may match several times, and each sum must be right. A reply that it does not match has no right one.
/// The digits are the number, its high byte first, in capital letters or small ones. With `of = "hex"` the data are
/// hex digits too, and the sum is that of the bytes which they stand for.
#[derive(Clone, Debug)]
pub enum ReplyChecksum {
    /// The last bytes.
    AtEnd(Checksum),
    /// In hex digits.
    Written(WrittenChecksum),
}

/// A checksum that is written in hex digits.
#[derive(Clone, Debug)]
pub struct WrittenChecksum {
    pattern: Regex,
    complement: Complement,
    checksum: Checksum,
    /// Whether its data are written in hex digits, too.
    is_of_hex: bool,
}

impl ReplyChecksum {
    /// The name of the checksum, without a range.
    pub fn name(&self) -> &'static str {
        match self {
            Self::AtEnd(checksum) => checksum.name(),
            Self::Written(written) => written.checksum.name(),
        }
    }

    /// `reply` without its checksum; `None` if the checksum is wrong.
    pub fn verify<'r>(&self, reply: &'r [u8]) -> Option<Cow<'r, [u8]>> {
        match self {
            Self::AtEnd(checksum) => checksum.verify(reply).map(Cow::Borrowed),
            Self::Written(written) => written.verify(reply).map(Cow::Owned),
        }
    }
}

impl WrittenChecksum {
    fn verify(&self, reply: &[u8]) -> Option<Vec<u8>> {
        let mut rest = Vec::new();
        let mut kept = 0;
        for found in self.pattern.captures_iter(reply) {
            let (data, digits) = (found.name("data")?, found.name("digits")?);
            let read;
            let data = if self.is_of_hex {
                read = hex_bytes(data.as_bytes())?;
                &read
            } else {
                data.as_bytes()
            };
            let sum = self.complement.of(self.checksum.of(data)) & self.checksum.mask();
            if hex_number(digits.as_bytes()) != Some(sum) {
                return None;
            }
            rest.extend_from_slice(&reply[kept..digits.start()]);
            kept = digits.end();
        }
        rest.extend_from_slice(&reply[kept..]);
        (kept > 0).then_some(rest)
    }
}

/// The bytes that pairs of hex digits stand for.
fn hex_bytes(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::try_from(hex_number(pair)?).ok();
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

fn hex_number(digits: &[u8]) -> Option<u32> {
    let is_plain = digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_plain)?;
    u32::from_str_radix(text, 16).ok()
}

impl<'t> Value<'t> for ReplyChecksum {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        if field.is_text() {
            return Checksum::read(field).map(Self::AtEnd);
        }
        let Ok(mut fields) = field.table() else {
            return Err(field.expected("the name of a checksum, or a table"));
        };
        let (complement, checksum) = match fields.field("sum") {
            Some(name) => Self::read_sum(&name)?,
            None => fields.require("sum").map(|sum| (Complement::None, sum))?,
        };
        let pattern: Regex = match fields.field("match") {
            Some(pattern) => Self::read_pattern(&pattern)?,
            None => fields.require("match")?,
        };
        let is_of_hex = match fields.field("of") {
            None => false,
            Some(of) => match <&str>::read(&of)? {
                "hex" => true,
                "bytes" => false,
                other => {
                    let message = format!("`{other}` is nothing that a sum can be of");
                    return Err(of.fault(message, "unknown").help("one of `bytes`, `hex`"));
                }
            },
        };
        fields.finish()?;
        Ok(Self::Written(WrittenChecksum { pattern, complement, checksum, is_of_hex }))
    }
}

impl ReplyChecksum {
    fn read_sum(field: &TomlField<'_>) -> Result<(Complement, Checksum), FileFault> {
        let (complement, name) = Complement::split(<&str>::read(field)?);
        let checksum = Checksum::named(name, field)?;
        Ok((complement, checksum))
    }

    fn read_pattern(field: &TomlField<'_>) -> Result<Regex, FileFault> {
        let pattern = Regex::read(field)?;
        for group in ["data", "digits"] {
            if !pattern.capture_names().flatten().any(|name| name == group) {
                let message = format!("`match` must say where the {group} are");
                return Err(field
                    .fault(message, format!("there is no group `(?<{group}>…)`"))
                    .help("write it like match = '\\$(?<data>[^*]*)\\*(?<digits>[0-9A-F]{2})'"));
            }
        }
        Ok(pattern)
    }
}

#[cfg(test)]
mod tests {
    use crate::device::DeviceFile;

    /// What is left of a reply.
    fn rest(checksum: &str, reply: &str) -> Option<String> {
        let file = format!(
            "[[reset]]\nsteps = [{{ send = \"x\" }}]\n[reply]\nchecksum = {checksum}\n[inputs]\na = \"a\""
        );
        let device = DeviceFile::parse("lock.toml".as_ref(), &file).expect("a device file");
        let checksum = device.inputs[0].reply.checksum.clone().expect("it has one");
        checksum.verify(reply.as_bytes()).map(|rest| String::from_utf8_lossy(&rest).into_owned())
    }

    #[test]
    fn each_sentence_of_a_receiver_is_checked() {
        let nmea = r"{ sum = 'xor8', match = '\$(?<data>[^*]*)\*(?<digits>[0-9A-Fa-f]{2})' }";
        let sentence = "$PMTK001,604,3*32\r\n";
        assert_eq!(rest(nmea, sentence).as_deref(), Some("$PMTK001,604,3*\r\n"));
        let both = format!("{sentence}$PMTK001,0,3*30\r\n");
        assert_eq!(rest(nmea, &both).as_deref(), Some("$PMTK001,604,3*\r\n$PMTK001,0,3*\r\n"));
        assert_eq!(rest(nmea, &format!("{sentence}$PMTK001,1,3*30\r\n")), None);
        assert_eq!(rest(nmea, "$PMTK001,604,3*3\r\n"), None, "a digit was lost");
        assert_eq!(rest(nmea, ""), None);
        let any = nmea.replace("[0-9A-Fa-f]{2}", "..");
        assert_eq!(rest(&any, "$0*+0"), None, "not a digit");
    }

    #[test]
    fn a_sum_of_bytes_that_are_written_in_digits_is_checked() {
        // Modbus ASCII: read one holding register of slave 1. Its LRC is the negative sum.
        let lrc = r"{ sum = '-sum8', match = ':(?<data>.*)(?<digits>..)\r\n', of = 'hex' }";
        assert_eq!(rest(lrc, ":010300000001FB\r\n").as_deref(), Some(":010300000001\r\n"));
        assert_eq!(rest(lrc, ":010300000001FA\r\n"), None);
        assert_eq!(rest(lrc, ":01030000000FB\r\n"), None, "half a byte");
        // GDB's packets have small letters.
        let packet = r"{ sum = 'sum8', match = '\$(?<data>[^#]*)#(?<digits>..)' }";
        assert_eq!(rest(packet, "+$PacketSize=f#96").as_deref(), Some("+$PacketSize=f#"));
    }
}
