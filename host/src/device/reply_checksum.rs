//! The checksum of a reply: bytes at its end, or bytes or hex digits that a pattern finds.

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
/// checksum = "~sum8@2"         # complement and range as in what is sent
/// # hex digits: of NMEA 0183, of Modbus ASCII
/// checksum = { sum = "xor8", match = '\$(?<data>[^*]*)\*(?<digits>[0-9A-F]{2})' }
/// checksum = { sum = "-sum8", match = ':(?<data>[0-9A-F]*)(?<digits>[0-9A-F]{2})\r\n', of = "hex" }
/// # bytes before the end of a frame
/// checksum = { sum = "-sum16", match = '(?s)^\x7e(?<data>.*)(?<bytes>..)\xef$' }
/// ```
///
/// The pattern may match several times: each checksum must be right. A reply that the pattern does not match has a wrong
/// checksum. The digits may be capital letters or small ones; the high byte comes first. With `of = "hex"` the data are
/// hex digits, too, and the checksum is computed from the bytes that they stand for.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyChecksum {
    /// The last bytes.
    AtEnd(SignedChecksum),
    /// Where a pattern finds it.
    Found(FoundChecksum),
}

/// A checksum, or its complement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedChecksum {
    complement: Complement,
    checksum: Checksum,
}

/// A checksum that a pattern finds.
#[derive(Clone, Debug)]
pub struct FoundChecksum {
    pattern: Regex,
    /// Whether it is written in hex digits.
    is_in_hex: bool,
    sum: SignedChecksum,
    /// Whether its data are written in hex digits.
    is_of_hex: bool,
}

impl PartialEq for FoundChecksum {
    fn eq(&self, other: &Self) -> bool {
        // The pattern has the group that says where it is in hex.
        let Self { pattern, sum, is_of_hex, .. } = self;
        pattern.as_str() == other.pattern.as_str()
            && *sum == other.sum
            && *is_of_hex == other.is_of_hex
    }
}

impl ReplyChecksum {
    /// The name of the checksum, without a range.
    pub fn name(&self) -> &'static str {
        match self {
            Self::AtEnd(sum) | Self::Found(FoundChecksum { sum, .. }) => sum.checksum.name(),
        }
    }

    /// `reply` without its checksum; `None` if the checksum is wrong.
    pub fn verify<'r>(&self, reply: &'r [u8]) -> Option<Cow<'r, [u8]>> {
        match self {
            Self::AtEnd(sum) => sum.verify(reply).map(Cow::Borrowed),
            Self::Found(found) => found.verify(reply).map(Cow::Owned),
        }
    }
}

impl SignedChecksum {
    pub(super) fn new(complement: Complement, checksum: Checksum) -> Self {
        Self { complement, checksum }
    }

    fn of(self, bytes: &[u8]) -> u32 {
        self.complement.of(self.checksum.of(bytes)) & self.checksum.mask()
    }

    /// Whether these bytes are the checksum of `data`, as they are on the wire.
    fn is_met(self, data: &[u8], bytes: &[u8]) -> bool {
        bytes == self.checksum.on_the_wire(self.of(data))
    }

    /// `frame` without its checksum; `None` if the checksum is wrong.
    fn verify(self, frame: &[u8]) -> Option<&[u8]> {
        let (body, end) = frame.split_at_checked(frame.len().checked_sub(self.checksum.size())?)?;
        self.is_met(body, end).then_some(body)
    }
}

impl FoundChecksum {
    /// The checksum that the group `digits` of a pattern holds.
    pub(super) fn in_digits(pattern: Regex, sum: SignedChecksum, is_of_hex: bool) -> Self {
        Self { pattern, is_in_hex: true, sum, is_of_hex }
    }

    fn verify(&self, reply: &[u8]) -> Option<Vec<u8>> {
        let mut rest = Vec::new();
        let mut kept = 0;
        for found in self.pattern.captures_iter(reply) {
            let group = if self.is_in_hex { DIGITS } else { BYTES };
            let (data, checksum) = (found.name(DATA)?, found.name(group)?);
            let read;
            let data = if self.is_of_hex {
                read = hex_bytes(data.as_bytes())?;
                &read
            } else {
                data.as_bytes()
            };
            let is_met = match self.is_in_hex {
                true => hex_number(checksum.as_bytes()) == Some(self.sum.of(data)),
                false => self.sum.is_met(data, checksum.as_bytes()),
            };
            if !is_met {
                return None;
            }
            rest.extend_from_slice(&reply[kept..checksum.start()]);
            kept = checksum.end();
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

/// The groups of a pattern: what the checksum is computed from, and the checksum in hex digits or as bytes.
const DATA: &str = "data";
const DIGITS: &str = "digits";
const BYTES: &str = "bytes";

/// A pattern with the groups [`DATA`], and [`DIGITS`] or [`BYTES`].
struct ChecksumPattern {
    pattern: Regex,
    is_in_hex: bool,
}

/// What the sum is of.
#[derive(PartialEq, Eq)]
enum SummedData {
    /// The data as they are.
    Bytes,
    /// What their hex digits stand for.
    Hex,
}

impl<'t> Value<'t> for ReplyChecksum {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        if field.is_text() {
            return SignedChecksum::read(field).map(Self::AtEnd);
        }
        let Ok(mut fields) = field.table() else {
            return Err(field.expected("the name of a checksum, or a table"));
        };
        let sum = fields.require("sum")?;
        let ChecksumPattern { pattern, is_in_hex } = fields.require("match")?;
        let is_of_hex = fields.take("of")? == Some(SummedData::Hex);
        fields.finish()?;
        Ok(Self::Found(FoundChecksum { pattern, is_in_hex, sum, is_of_hex }))
    }
}

impl<'t> Value<'t> for SignedChecksum {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        let (complement, name) = Complement::split(<&str>::read(field)?);
        Ok(Self { complement, checksum: Checksum::named(name, field)? })
    }
}

impl<'t> Value<'t> for ChecksumPattern {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        let pattern = Regex::read(field)?;
        let is_there = |group: &str| pattern.capture_names().flatten().any(|name| name == group);
        let (is_in_hex, is_in_bytes) = (is_there(DIGITS), is_there(BYTES));
        let (message, label) = match (is_there(DATA), is_in_hex != is_in_bytes) {
            (true, true) => return Ok(Self { pattern, is_in_hex }),
            (false, _) => {
                ("`match` must say where the data are", format!("there is no group `(?<{DATA}>…)`"))
            }
            (true, false) => (
                "`match` must say where the checksum is",
                format!("it needs either a group `(?<{DIGITS}>…)` or a group `(?<{BYTES}>…)`"),
            ),
        };
        Err(field.fault(message, label).help(
            "hex digits are written like match = '\\$(?<data>[^*]*)\\*(?<digits>[0-9A-F]{2})', bytes like \
             match = '(?s)^\\x7e(?<data>.*)(?<bytes>..)\\xef$'",
        ))
    }
}

impl<'t> Value<'t> for SummedData {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        match <&str>::read(field)? {
            "bytes" => Ok(Self::Bytes),
            "hex" => Ok(Self::Hex),
            other => Err(field
                .fault(format!("a checksum is not of `{other}`"), "unknown")
                .help("one of `bytes`, `hex`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cow;
    use crate::device::DeviceFile;

    /// What is left of a reply.
    fn rest(checksum: &str, reply: &str) -> Option<String> {
        let rest = rest_of(checksum, reply.as_bytes());
        rest.map(|rest| String::from_utf8(rest).expect("text"))
    }

    fn rest_of(checksum: &str, reply: &[u8]) -> Option<Vec<u8>> {
        let file = format!(
            "[[reset]]\nsteps = [{{ send = \"x\" }}]\n[reply]\nchecksum = {checksum}\n[inputs]\na = \"a\""
        );
        let device = DeviceFile::parse("lock.toml".as_ref(), &file).expect("a device file");
        let checksum = device.inputs[0].reply.checksum.clone().expect("it has one");
        checksum.verify(reply).map(Cow::into_owned)
    }

    #[test]
    fn the_last_bytes_of_a_frame_are_checked() {
        let frame = [1, 3, 0, 0, 0, 1];
        let rest = |end: &[u8]| rest_of("'crc16-modbus'", &[&frame, end].concat());
        assert_eq!(rest(&[0x84, 0x0a]).as_deref(), Some(&frame[..]));
        assert_eq!(rest(&[0x84, 0x0b]), None);
        for too_short in [&[][..], &[1]] {
            assert_eq!(rest_of("'crc16-modbus'", too_short), None);
        }
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
    fn bytes_that_others_follow_are_checked() {
        // A frame of an MP3 player: the sum of six bytes, its complement of two, and an end.
        let sum = r"{ sum = '-sum16', match = '(?s)^\x7e(?<data>.*)(?<bytes>..)\xef$' }";
        let frame = |sum: [u8; 2]| [&[0x7e, 0xff, 6, 0x41, 0, 0, 10][..], &sum, &[0xef]].concat();
        let rest = [0x7e, 0xff, 6, 0x41, 0, 0, 10, 0xef];
        assert_eq!(rest_of(sum, &frame([0xfe, 0xb0])).as_deref(), Some(&rest[..]));
        assert_eq!(rest_of(sum, &frame([0xfe, 0xb1])), None);
        assert_eq!(rest_of(sum, &frame([0xfe, 0xb0])[..9]), None, "the end was lost");
        // The byte order is that of the wire.
        let crc = r"{ sum = 'crc16-modbus', match = '(?s)^(?<data>.*)(?<bytes>..)\n$' }";
        assert!(rest_of(crc, &[1, 3, 0, 0, 0, 1, 0x84, 0x0a, b'\n']).is_some());
        assert_eq!(rest_of(crc, &[1, 3, 0, 0, 0, 1, 0x0a, 0x84, b'\n']), None);
    }

    #[test]
    fn the_complement_of_a_sum_of_a_part_is_checked() {
        // As of Dynamixel 1.0: two bytes of a header, and the complement of the sum of the others.
        assert_eq!(rest("'~sum8@2'", "~~ABC9").as_deref(), Some("~~ABC"));
        assert_eq!(rest("'sum8@2'", "~~ABC9"), None);
        assert_eq!(rest("'~sum8'", "~~ABC9"), None);
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
