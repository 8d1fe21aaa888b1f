//! Checksums that are appended to what is sent.

use crc::{Algorithm, Crc};

use super::error::Fault;
use super::fields::{Field, Value, list};

/// A checksum that is appended to what is sent.
///
/// The algorithms are those of the catalogue at <https://reveng.sourceforge.io/crc-catalogue/>,
/// under its names. Those that reflect their output, as Modbus does, send their low byte first;
/// the others their high byte.
#[derive(Clone, Copy)]
pub(super) enum Checksum {
    Crc8(&'static Algorithm<u8>),
    Crc16(&'static Algorithm<u16>),
    Crc32(&'static Algorithm<u32>),
}

use Checksum::{Crc8, Crc16, Crc32};

const KNOWN: [(&str, Checksum); 10] = [
    ("crc8-smbus", Crc8(&crc::CRC_8_SMBUS)),
    ("crc8-maxim-dow", Crc8(&crc::CRC_8_MAXIM_DOW)),
    ("crc16-modbus", Crc16(&crc::CRC_16_MODBUS)),
    ("crc16-xmodem", Crc16(&crc::CRC_16_XMODEM)),
    ("crc16-kermit", Crc16(&crc::CRC_16_KERMIT)),
    ("crc16-ibm-3740", Crc16(&crc::CRC_16_IBM_3740)),
    ("crc16-ibm-sdlc", Crc16(&crc::CRC_16_IBM_SDLC)),
    ("crc32-iso-hdlc", Crc32(&crc::CRC_32_ISO_HDLC)),
    ("crc32-mpeg-2", Crc32(&crc::CRC_32_MPEG_2)),
    ("crc32-iscsi", Crc32(&crc::CRC_32_ISCSI)),
];

impl Checksum {
    /// Appends the checksum of `bytes` to them.
    pub(super) fn append(self, bytes: &mut Vec<u8>) {
        match self {
            Crc8(algorithm) => bytes.push(Crc::<u8>::new(algorithm).checksum(bytes)),
            Crc16(algorithm) => {
                let sum = Crc::<u16>::new(algorithm).checksum(bytes);
                let low_first = algorithm.refout;
                bytes.extend(if low_first { sum.to_le_bytes() } else { sum.to_be_bytes() });
            }
            Crc32(algorithm) => {
                let sum = Crc::<u32>::new(algorithm).checksum(bytes);
                let low_first = algorithm.refout;
                bytes.extend(if low_first { sum.to_le_bytes() } else { sum.to_be_bytes() });
            }
        }
    }
}

impl<'t> Value<'t> for Checksum {
    fn read(field: &Field<'t>) -> Result<Self, Fault> {
        let name = <&str>::read(field)?;
        let known = KNOWN.iter().find(|(known, _)| *known == name);
        known.map(|(_, checksum)| *checksum).ok_or_else(|| {
            let names = KNOWN.map(|(known, _)| known);
            field
                .fault(format!("`{name}` is not a checksum that is known here"), "unknown")
                .help(format!("one of {}", list(&names)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that `name` appends to these.
    fn appended(name: &str, bytes: &[u8]) -> Vec<u8> {
        let (_, checksum) = KNOWN.iter().find(|(known, _)| *known == name).expect("it is known");
        let mut all = bytes.to_vec();
        checksum.append(&mut all);
        all.split_off(bytes.len())
    }

    #[test]
    fn frames_from_the_standards_come_out() {
        // Modbus: read one holding register of slave 1.
        assert_eq!(appended("crc16-modbus", &[1, 3, 0, 0, 0, 1]), [0x84, 0x0a]);
        // The check values of the catalogue, in the order of the wire.
        let check = b"123456789";
        assert_eq!(appended("crc16-xmodem", check), [0x31, 0xc3]);
        assert_eq!(appended("crc16-ibm-3740", check), [0x29, 0xb1]);
        assert_eq!(appended("crc16-kermit", check), [0x89, 0x21]);
        assert_eq!(appended("crc16-ibm-sdlc", check), [0x6e, 0x90]);
        assert_eq!(appended("crc8-smbus", check), [0xf4]);
        assert_eq!(appended("crc8-maxim-dow", check), [0xa1]);
        assert_eq!(appended("crc32-iso-hdlc", check), [0x26, 0x39, 0xf4, 0xcb]);
        assert_eq!(appended("crc32-mpeg-2", check), [0x03, 0x76, 0xe6, 0xe7]);
        assert_eq!(appended("crc32-iscsi", check), [0x83, 0x92, 0x06, 0xe3]);
    }
}
