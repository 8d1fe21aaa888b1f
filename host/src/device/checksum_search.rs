//! Finds the checksum that frames of a device have.

use std::collections::BTreeSet;

use regex::bytes::Regex;

use super::checksum::Checksum;
use super::reply_checksum::{FoundChecksum, ReplyChecksum, SignedChecksum};
use super::template::Complement;

/// Bytes at the start of a frame that a checksum may leave out: marks and an address.
const LEFT_OUT: usize = 3;
/// The least number of bytes before a checksum: a shorter frame may hold two fields that are equal.
const MIN_DATA: usize = 3;
/// The least number of bytes that a checksum covers: the checksum of nothing is always the same.
const MIN_COVERED: usize = 2;
/// How many bits of checksums must be right, and in how many different frames: there are about a thousand checksums to try.
const MIN_BITS: usize = 32;
const MIN_FRAMES: usize = 2;

/// Checksums in hex digits, as they are found in text: NMEA 0183, and Modbus ASCII, which sums what the digits before it stand for.
const IN_TEXT: [(&str, &str, bool); 2] = [
    ("xor8", r"\$(?<data>[^*]*)\*(?<digits>[0-9A-Fa-f]{2})", false),
    ("-sum8", r":(?<data>[0-9A-Fa-f]*)(?<digits>[0-9A-Fa-f]{2})\r\n", true),
];

/// A checksum that is right in all of several frames.
#[derive(Clone, Debug)]
pub struct CommonChecksum {
    /// The checksum.
    pub checksum: ReplyChecksum,
    /// The value of `checksum` in a device file, as TOML.
    pub toml: String,
    /// The number of different frames.
    pub frames: usize,
}

impl CommonChecksum {
    /// Finds the checksum of these frames, each with its checksum; `None` if none is right in all of them, or chance would make one
    /// right in so few.
    pub fn of<'f>(frames: impl IntoIterator<Item = &'f [u8]>) -> Option<Self> {
        let frames: BTreeSet<_> = frames.into_iter().collect();
        let count = frames.len();
        if count < MIN_FRAMES {
            return None;
        }
        let is_right = |(checksum, start, _): &(ReplyChecksum, usize, String)| {
            let least = MIN_DATA.max(start + MIN_COVERED);
            frames.iter().all(|frame| {
                checksum.verify(frame).is_some_and(|data| {
                    8 * (frame.len() - data.len()) * count >= MIN_BITS && data.len() >= least
                })
            })
        };
        let (checksum, _, toml) = at_end().chain(in_text()).find(is_right)?;
        Some(Self { checksum, toml, frames: count })
    }
}

/// The checksums that may be the last bytes of a frame, each with the number of bytes that it leaves out, and as TOML.
fn at_end() -> impl Iterator<Item = (ReplyChecksum, usize, String)> {
    let names = || Checksum::names().filter_map(|name| Some((name, Checksum::find(name)?)));
    let complements = [(Complement::None, ""), (Complement::Ones, "~"), (Complement::Twos, "-")];
    (0..=LEFT_OUT).flat_map(move |start| {
        complements.into_iter().flat_map(move |(complement, sign)| {
            names().map(move |(name, checksum)| {
                let range = if start == 0 { String::new() } else { format!("@{start}") };
                let sum = SignedChecksum::new(complement, checksum.from(start));
                (ReplyChecksum::AtEnd(sum), start, format!("\"{sign}{name}{range}\""))
            })
        })
    })
}

/// The checksums that text may hold.
fn in_text() -> impl Iterator<Item = (ReplyChecksum, usize, String)> {
    IN_TEXT.into_iter().filter_map(|(name, pattern, is_of_hex)| {
        let (complement, of) = Complement::split(name);
        let sum = SignedChecksum::new(complement, Checksum::find(of)?);
        let found = FoundChecksum::in_digits(Regex::new(pattern).ok()?, sum, is_of_hex);
        let of = if is_of_hex { ", of = \"hex\"" } else { "" };
        let toml = format!("{{ sum = \"{name}\", match = '{pattern}'{of} }}");
        Some((ReplyChecksum::Found(found), 0, toml))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::device::DeviceFile;

    /// The checksum of these frames. It is right where a device file states it.
    fn found(frames: &[&[u8]]) -> Option<String> {
        let CommonChecksum { toml, frames: count, .. } =
            CommonChecksum::of(frames.iter().copied())?;
        assert_eq!(count, frames.len());
        let file = format!(
            "[[reset]]\nsteps = [{{ send = \"r\" }}]\n[reply]\nlength = 9\nchecksum = {toml}\n[inputs]\na = \"a\""
        );
        let device = DeviceFile::parse(Path::new("a.toml"), &file).expect("a device file");
        let checksum = device.inputs[0].reply.checksum.clone().expect("a checksum");
        assert!(frames.iter().all(|frame| checksum.verify(frame).is_some()), "{toml}");
        Some(toml)
    }

    #[test]
    fn the_checksum_of_frames_is_found() {
        let modbus: [&[u8]; 2] =
            [b"\x01\x06\x00\x00\x00\x01\x48\x0a", b"\x01\x03\x02\x00\x05\x78\x47"];
        assert_eq!(found(&modbus).as_deref(), Some("\"crc16-modbus\""));
        // An XBee sums what follows the length, and sends the complement.
        let xbee: [&[u8]; 4] = [
            b"\x7e\x00\x02\x8a\x06\x6f",
            b"\x7e\x00\x02\x8a\x00\x75",
            b"\x7e\x00\x05\x88\x01BD\x00\xf0",
            b"\x7e\x00\x05\x88\x02BD\x01\xee",
        ];
        assert_eq!(found(&xbee).as_deref(), Some("\"~sum8@3\""));
        // Three frames have too few bits of it.
        assert_eq!(found(&xbee[1..]), None);
        let other = [xbee[0], xbee[1], xbee[2], b"\x7e\x00\x02\x8a\x06\x6e"];
        assert_eq!(found(&other), None);
    }

    #[test]
    fn the_checksum_of_text_is_found() {
        let nmea: [&[u8]; 4] = [
            b"$PMTK001,314,3*36\r\n",
            b"$PMTK001,220,3*30\r\n",
            b"$PMTK001,604,3*32\r\n",
            b"$PMTK010,001*2E\r\n",
        ];
        let toml = found(&nmea).expect("a checksum");
        assert!(toml.starts_with("{ sum = \"xor8\""), "{toml}");
        let modbus: [&[u8]; 4] =
            [b":010302000AF0\r\n", b":010302000BEF\r\n", b":0103020000FA\r\n", b":0183027A\r\n"];
        let toml = found(&modbus).expect("a checksum");
        assert!(toml.starts_with("{ sum = \"-sum8\"") && toml.contains("of = \"hex\""), "{toml}");
        assert_eq!(found(&[b"OK\r\n", b"ERROR\r\n", b"ready\r\n", b"busy\r\n"]), None);
    }

    #[test]
    fn short_frames_that_repeat_a_byte_have_no_checksum() {
        let frames: [&[u8]; 4] =
            [b"\x01\x00\x01", b"\x02\x00\x02", b"\x03\x00\x03", b"\x04\x00\x04"];
        assert_eq!(found(&frames), None);
        assert_eq!(found(&[b"\x01\x06\x00\x00\x00\x01\x48\x0a"]), None);
        let ends_with_zero: [&[u8]; 4] = [b"abc\0", b"abd\0", b"acc\0", b"xbc\0"];
        assert_eq!(found(&ends_with_zero), None);
    }
}
