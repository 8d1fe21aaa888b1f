//! Checksums of what is sent and of what is received.

use crc::{Algorithm, Crc, NoTable};

use super::error::FileFault;
use super::fields::{TomlField, Value, nearest};

/// A checksum, of at most 32 bits.
///
/// `crcN-NAME` is the CRC with this name in the catalogue at
/// <https://reveng.sourceforge.io/crc-catalogue/>. A CRC that reflects its output, such as that of
/// Modbus, is sent low byte first; all others are sent high byte first. `sum8` and `sum16` are
/// plain sums of the bytes, `xor8` is their exclusive or. `fletcher16` is the sum of the bytes and behind it the sum of these sums,
/// modulo 255; `fletcher16-256`, as UBX has it, modulo 256. `xor8@1` leaves out the first byte of the
/// covered range, `xor8@1..-1` also the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum {
    kind: ChecksumKind,
    /// The number of bytes at the start that are not covered.
    start: usize,
    /// The number of bytes at the end that are not covered.
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChecksumKind {
    Sum8,
    Sum16,
    Xor8,
    /// Two sums of a byte each, modulo this number.
    Fletcher16(u32),
    Crc8(&'static Algorithm<u8>),
    Crc16(&'static Algorithm<u16>),
    Crc24(&'static Algorithm<u32>),
    Crc32(&'static Algorithm<u32>),
}

use ChecksumKind::{Crc8, Crc16, Crc24, Crc32, Fletcher16, Sum8, Sum16, Xor8};

/// All known checksums, those of the catalogue in its order.
const KNOWN: [(&str, ChecksumKind); 76] = [
    ("sum8", Sum8),
    ("sum16", Sum16),
    ("xor8", Xor8),
    ("fletcher16", Fletcher16(255)),
    ("fletcher16-256", Fletcher16(256)),
    ("crc8-autosar", Crc8(&crc::CRC_8_AUTOSAR)),
    ("crc8-bluetooth", Crc8(&crc::CRC_8_BLUETOOTH)),
    ("crc8-cdma2000", Crc8(&crc::CRC_8_CDMA2000)),
    ("crc8-darc", Crc8(&crc::CRC_8_DARC)),
    ("crc8-dvb-s2", Crc8(&crc::CRC_8_DVB_S2)),
    ("crc8-gsm-a", Crc8(&crc::CRC_8_GSM_A)),
    ("crc8-gsm-b", Crc8(&crc::CRC_8_GSM_B)),
    ("crc8-hitag", Crc8(&crc::CRC_8_HITAG)),
    ("crc8-i-432-1", Crc8(&crc::CRC_8_I_432_1)),
    ("crc8-i-code", Crc8(&crc::CRC_8_I_CODE)),
    ("crc8-lte", Crc8(&crc::CRC_8_LTE)),
    ("crc8-maxim-dow", Crc8(&crc::CRC_8_MAXIM_DOW)),
    ("crc8-mifare-mad", Crc8(&crc::CRC_8_MIFARE_MAD)),
    ("crc8-nrsc-5", Crc8(&crc::CRC_8_NRSC_5)),
    ("crc8-opensafety", Crc8(&crc::CRC_8_OPENSAFETY)),
    ("crc8-rohc", Crc8(&crc::CRC_8_ROHC)),
    ("crc8-sae-j1850", Crc8(&crc::CRC_8_SAE_J1850)),
    ("crc8-smbus", Crc8(&crc::CRC_8_SMBUS)),
    ("crc8-tech-3250", Crc8(&crc::CRC_8_TECH_3250)),
    ("crc8-wcdma", Crc8(&crc::CRC_8_WCDMA)),
    ("crc16-arc", Crc16(&crc::CRC_16_ARC)),
    ("crc16-cdma2000", Crc16(&crc::CRC_16_CDMA2000)),
    ("crc16-cms", Crc16(&crc::CRC_16_CMS)),
    ("crc16-dds-110", Crc16(&crc::CRC_16_DDS_110)),
    ("crc16-dect-r", Crc16(&crc::CRC_16_DECT_R)),
    ("crc16-dect-x", Crc16(&crc::CRC_16_DECT_X)),
    ("crc16-dnp", Crc16(&crc::CRC_16_DNP)),
    ("crc16-en-13757", Crc16(&crc::CRC_16_EN_13757)),
    ("crc16-genibus", Crc16(&crc::CRC_16_GENIBUS)),
    ("crc16-gsm", Crc16(&crc::CRC_16_GSM)),
    ("crc16-ibm-3740", Crc16(&crc::CRC_16_IBM_3740)),
    ("crc16-ibm-sdlc", Crc16(&crc::CRC_16_IBM_SDLC)),
    ("crc16-iso-iec-14443-3-a", Crc16(&crc::CRC_16_ISO_IEC_14443_3_A)),
    ("crc16-kermit", Crc16(&crc::CRC_16_KERMIT)),
    ("crc16-lj1200", Crc16(&crc::CRC_16_LJ1200)),
    ("crc16-m17", Crc16(&crc::CRC_16_M17)),
    ("crc16-maxim-dow", Crc16(&crc::CRC_16_MAXIM_DOW)),
    ("crc16-mcrf4xx", Crc16(&crc::CRC_16_MCRF4XX)),
    ("crc16-modbus", Crc16(&crc::CRC_16_MODBUS)),
    ("crc16-nrsc-5", Crc16(&crc::CRC_16_NRSC_5)),
    ("crc16-opensafety-a", Crc16(&crc::CRC_16_OPENSAFETY_A)),
    ("crc16-opensafety-b", Crc16(&crc::CRC_16_OPENSAFETY_B)),
    ("crc16-profibus", Crc16(&crc::CRC_16_PROFIBUS)),
    ("crc16-riello", Crc16(&crc::CRC_16_RIELLO)),
    ("crc16-spi-fujitsu", Crc16(&crc::CRC_16_SPI_FUJITSU)),
    ("crc16-t10-dif", Crc16(&crc::CRC_16_T10_DIF)),
    ("crc16-teledisk", Crc16(&crc::CRC_16_TELEDISK)),
    ("crc16-tms37157", Crc16(&crc::CRC_16_TMS37157)),
    ("crc16-umts", Crc16(&crc::CRC_16_UMTS)),
    ("crc16-usb", Crc16(&crc::CRC_16_USB)),
    ("crc16-xmodem", Crc16(&crc::CRC_16_XMODEM)),
    ("crc24-ble", Crc24(&crc::CRC_24_BLE)),
    ("crc24-flexray-a", Crc24(&crc::CRC_24_FLEXRAY_A)),
    ("crc24-flexray-b", Crc24(&crc::CRC_24_FLEXRAY_B)),
    ("crc24-interlaken", Crc24(&crc::CRC_24_INTERLAKEN)),
    ("crc24-lte-a", Crc24(&crc::CRC_24_LTE_A)),
    ("crc24-lte-b", Crc24(&crc::CRC_24_LTE_B)),
    ("crc24-openpgp", Crc24(&crc::CRC_24_OPENPGP)),
    ("crc24-os-9", Crc24(&crc::CRC_24_OS_9)),
    ("crc32-aixm", Crc32(&crc::CRC_32_AIXM)),
    ("crc32-autosar", Crc32(&crc::CRC_32_AUTOSAR)),
    ("crc32-base91-d", Crc32(&crc::CRC_32_BASE91_D)),
    ("crc32-bzip2", Crc32(&crc::CRC_32_BZIP2)),
    ("crc32-cd-rom-edc", Crc32(&crc::CRC_32_CD_ROM_EDC)),
    ("crc32-cksum", Crc32(&crc::CRC_32_CKSUM)),
    ("crc32-iscsi", Crc32(&crc::CRC_32_ISCSI)),
    ("crc32-iso-hdlc", Crc32(&crc::CRC_32_ISO_HDLC)),
    ("crc32-jamcrc", Crc32(&crc::CRC_32_JAMCRC)),
    ("crc32-mef", Crc32(&crc::CRC_32_MEF)),
    ("crc32-mpeg-2", Crc32(&crc::CRC_32_MPEG_2)),
    ("crc32-xfer", Crc32(&crc::CRC_32_XFER)),
];

impl Checksum {
    /// Finds a checksum as a device file writes it, such as `xor8` or `xor8@1..-1`.
    pub fn find(text: &str) -> Option<Self> {
        let (name, range) = text.split_once('@').unwrap_or((text, "0"));
        let (start, end) = range.split_once("..-").unwrap_or((range, "0"));
        let start = if start.is_empty() { 0 } else { start.parse().ok()? };
        let (_, kind) = KNOWN.into_iter().find(|(known, _)| *known == name)?;
        Some(Self { kind, start, end: end.parse().ok()? })
    }

    /// The same without the first `start` bytes.
    pub(super) fn from(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// Finds a checksum that a field names.
    pub(super) fn named(name: &str, field: &TomlField<'_>) -> Result<Self, FileFault> {
        Self::find(name).ok_or_else(|| {
            let label = match nearest(Self::names(), name) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "unknown checksum".to_owned(),
            };
            field.fault(format!("`{name}` is not a checksum that is known here"), label).help(HELP)
        })
    }

    /// The names of all, without ranges.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        KNOWN.into_iter().map(|(known, _)| known)
    }

    /// The name, without a range.
    pub fn name(self) -> &'static str {
        let known = KNOWN.into_iter().find(|(_, kind)| *kind == self.kind);
        known.map_or("", |(name, _)| name)
    }

    /// The number of bytes.
    pub fn size(self) -> usize {
        match self.kind {
            Sum8 | Xor8 | Crc8(_) => 1,
            Sum16 | Fletcher16(_) | Crc16(_) => 2,
            Crc24(_) => 3,
            Crc32(_) => 4,
        }
    }

    /// Whether the low byte is sent first.
    pub fn is_low_first(self) -> bool {
        match self.kind {
            Sum8 | Sum16 | Xor8 | Crc8(_) => false,
            Fletcher16(_) => true,
            Crc16(algorithm) => algorithm.refout,
            Crc24(algorithm) | Crc32(algorithm) => algorithm.refout,
        }
    }

    /// The bits of the number.
    pub(super) fn mask(self) -> u32 {
        u32::MAX >> (32 - 8 * self.size())
    }

    /// Computes the checksum of `bytes`.
    pub fn of(self, bytes: &[u8]) -> u32 {
        let end = bytes.len().saturating_sub(self.end);
        let bytes = bytes.get(self.start..end).unwrap_or_default();
        match self.kind {
            Sum8 => u32::from(bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte))),
            Sum16 => {
                let add = |sum: u16, byte: &u8| sum.wrapping_add(u16::from(*byte));
                u32::from(bytes.iter().fold(0, add))
            }
            Xor8 => u32::from(bytes.iter().fold(0, |sum, byte| sum ^ byte)),
            Fletcher16(modulus) => {
                let add = |(sum, of_sums): (u32, u32), byte: &u8| {
                    let sum = (sum + u32::from(*byte)) % modulus;
                    (sum, (of_sums + sum) % modulus)
                };
                let (sum, of_sums) = bytes.iter().fold((0, 0), add);
                of_sums << 8 | sum
            }
            // Making a table takes longer than a frame without one.
            Crc8(algorithm) => u32::from(Crc::<u8, NoTable>::new(algorithm).checksum(bytes)),
            Crc16(algorithm) => u32::from(Crc::<u16, NoTable>::new(algorithm).checksum(bytes)),
            Crc24(algorithm) | Crc32(algorithm) => {
                Crc::<u32, NoTable>::new(algorithm).checksum(bytes)
            }
        }
    }

    /// Whether bytes end with the checksum of what stands before it.
    pub fn ends(self, bytes: &[u8]) -> bool {
        let at = bytes.len().saturating_sub(self.size());
        let (before, end) = bytes.split_at(at);
        !before.is_empty() && self.on_the_wire(self.of(before)) == end
    }

    /// The bytes of a sum as they are sent.
    pub(super) fn on_the_wire(self, sum: u32) -> Vec<u8> {
        number_bytes(sum, self.size(), self.is_low_first())
    }
}

/// The last `size` bytes of a number; `size` is at most 4.
pub(super) fn number_bytes(number: u32, size: usize, low_first: bool) -> Vec<u8> {
    let mut bytes = number.to_le_bytes()[..size.min(4)].to_vec();
    if !low_first {
        bytes.reverse();
    }
    bytes
}

impl<'t> Value<'t> for Checksum {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        Self::named(<&str>::read(field)?, field)
    }
}

/// The help text: which checksums exist.
const HELP: &str = "there are sum8, sum16, xor8, fletcher16, fletcher16-256, and those of 8, 16, 24 and 32 bits in the catalogue at \
     https://reveng.sourceforge.io/crc-catalogue/, such as crc16-modbus and crc32-iso-hdlc";

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that the checksum `name` appends to `bytes`.
    fn appended(name: &str, bytes: &[u8]) -> Vec<u8> {
        let checksum = Checksum::find(name).expect("it is known");
        checksum.on_the_wire(checksum.of(bytes))
    }

    #[test]
    fn frames_from_the_standards_come_out() {
        // Modbus: read one holding register of slave 1.
        assert_eq!(appended("crc16-modbus", &[1, 3, 0, 0, 0, 1]), [0x84, 0x0a]);
        // The check values of the catalogue, in the byte order of the wire.
        let check = b"123456789";
        assert_eq!(appended("crc16-xmodem", check), [0x31, 0xc3]);
        assert_eq!(appended("crc16-ibm-3740", check), [0x29, 0xb1]);
        assert_eq!(appended("crc16-kermit", check), [0x89, 0x21]);
        assert_eq!(appended("crc16-ibm-sdlc", check), [0x6e, 0x90]);
        assert_eq!(appended("crc8-smbus", check), [0xf4]);
        assert_eq!(appended("crc8-maxim-dow", check), [0xa1]);
        assert_eq!(appended("crc24-openpgp", check), [0x21, 0xcf, 0x02]);
        assert_eq!(appended("crc32-iso-hdlc", check), [0x26, 0x39, 0xf4, 0xcb]);
        assert_eq!(appended("crc32-mpeg-2", check), [0x03, 0x76, 0xe6, 0xe7]);
        assert_eq!(appended("crc32-iscsi", check), [0x83, 0x92, 0x06, 0xe3]);
        assert_eq!(appended("sum8", check), [0xdd]);
        assert_eq!(appended("sum16", check), [0x01, 0xdd]);
        assert_eq!(appended("xor8", check), [0x31]);
        assert_eq!(appended("fletcher16", b"abcde"), [0xf0, 0xc8]);
        assert_eq!(appended("fletcher16", b"abcdefgh"), [0x27, 0x06]);
        // UBX: poll of MON-VER, without the two bytes with which each frame begins.
        assert_eq!(appended("fletcher16-256", &[0x0a, 0x04, 0, 0]), [0x0e, 0x34]);
        assert_eq!(appended("xor8@1", check), [0x00]);
        assert_eq!(appended("xor8@1..-1", b"123"), [0x32]);
        assert_eq!(appended("xor8@..-1", b"123"), [0x03]);
        assert_eq!(appended("xor8@99", check), [0x00]);
        assert_eq!(appended("xor8@1..-9", check), [0x00]);
    }

    #[test]
    fn bytes_that_end_with_their_checksum_are_known() {
        let ends = |name, bytes: &[u8]| Checksum::find(name).expect("it is known").ends(bytes);
        assert!(ends("crc16-modbus", &[1, 3, 0, 0, 0, 1, 0x84, 0x0a]));
        assert!(!ends("crc16-modbus", &[1, 3, 0, 0, 0, 1, 0x0a, 0x84]));
        assert!(ends("sum8", &[1, 2, 3]) && !ends("sum8", &[1, 2, 4]));
        assert!(!ends("sum8", &[0]) && !ends("sum16", &[0, 0]) && !ends("sum16", &[]));
    }

    #[test]
    fn the_catalogue_is_listed_right() {
        for (name, _) in KNOWN {
            assert_eq!(KNOWN.iter().filter(|(known, _)| *known == name).count(), 1, "{name}");
        }
        // Each name must give the value that the catalogue lists for these bytes.
        let check = b"123456789";
        for (name, kind) in KNOWN {
            let known = match kind {
                Crc8(algorithm) => u32::from(algorithm.check),
                Crc16(algorithm) => u32::from(algorithm.check),
                Crc24(algorithm) | Crc32(algorithm) => algorithm.check,
                Sum8 | Sum16 | Xor8 | Fletcher16(_) => continue,
            };
            assert_eq!(Checksum { kind, start: 0, end: 0 }.of(check), known, "{name}");
        }
    }
}
