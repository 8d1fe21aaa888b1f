//! A boot loader: erase, write pages, verify, jump.
//!
//! Each page comes with a checksum and can be written once after an erase. The image ends with its
//! CRC-32, which `verify` checks; only a verified image starts. Once started, the application does
//! not know the boot loader's commands.

use crate::{BuiltInInput, ConsoleDevice};

/// The number of pages in the flash.
const PAGES: usize = 2;

/// The number of bytes in a page.
const PAGE: usize = 8;

/// The value of erased flash.
const ERASED: u8 = 0xff;

/// The boot loader and the flash.
#[derive(Debug)]
pub struct BootLoader {
    flash: [u8; PAGES * PAGE],
    /// Whether the flash was erased since the reset; at first it holds an old image.
    is_erased: bool,
    is_verified: bool,
    is_running: bool,
}

impl Default for BootLoader {
    fn default() -> Self {
        Self { flash: [0; PAGES * PAGE], is_erased: false, is_verified: false, is_running: false }
    }
}

impl ConsoleDevice for BootLoader {
    const BANNER: &'static str = "boot loader";
    const INPUTS: &'static [(&'static str, BuiltInInput)] = &[
        ("erase", BuiltInInput::Say("erase")),
        ("page 0", BuiltInInput::Say("write 00 6d65616c79627567 56")),
        ("page 1", BuiltInInput::Say("write 01 20312e301f57754c e7")),
        ("damaged", BuiltInInput::Say("write 00 6d65616c79627567 57")),
        ("verify", BuiltInInput::Say("verify")),
        ("jump", BuiltInInput::Say("jump")),
    ];

    /// `erase`, `write PAGE DATA SUM` (hexadecimal), `verify`, `jump`.
    fn command(&mut self, line: &[u8], _now_ms: u64) -> &'static str {
        if self.is_running {
            return "application";
        }
        let mut words = line.split(|&byte| byte == b' ');
        match words.next() {
            Some(b"erase") => self.erase(),
            Some(b"write") => self.write(words),
            Some(b"verify") => self.verify(),
            Some(b"jump") => self.jump(),
            _ => "unknown command",
        }
    }
}

impl BootLoader {
    fn erase(&mut self) -> &'static str {
        self.flash = [ERASED; PAGES * PAGE];
        self.is_erased = true;
        self.is_verified = false;
        "erased"
    }

    fn write<'l>(&mut self, mut words: impl Iterator<Item = &'l [u8]>) -> &'static str {
        let (mut page, mut data, mut sum) = ([0], [0; PAGE], [0]);
        let page_is_hex = words.next().is_some_and(|word| hex(word, &mut page));
        let data_is_hex = words.next().is_some_and(|word| hex(word, &mut data));
        let sum_is_hex = words.next().is_some_and(|word| hex(word, &mut sum));
        if !page_is_hex || !data_is_hex || !sum_is_hex || words.next().is_some() {
            return "bad record";
        }
        if page[0].wrapping_add(data.iter().fold(0, |a: u8, b| a.wrapping_add(*b))) != sum[0] {
            return "bad checksum";
        }
        let start = usize::from(page[0]) * PAGE;
        let Some(place) = self.flash.get_mut(start..start + PAGE) else { return "no such page" };
        if !self.is_erased || place.iter().any(|&byte| byte != ERASED) {
            return "not erased";
        }
        place.copy_from_slice(&data);
        self.is_verified = false;
        "written"
    }

    fn verify(&mut self) -> &'static str {
        let Some((image, crc)) = self.flash.split_last_chunk::<4>() else { return "no image" };
        self.is_verified = crc32(image) == u32::from_be_bytes(*crc);
        if self.is_verified { "verified" } else { "bad image" }
    }

    fn jump(&mut self) -> &'static str {
        if !self.is_verified {
            return "not verified";
        }
        self.is_running = true;
        "starting"
    }
}

/// Reads exactly `bytes.len()` bytes; returns false for a text of another length.
fn hex(text: &[u8], bytes: &mut [u8]) -> bool {
    let digit = |byte: u8| (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_chunks::<2>();
    if !rest.is_empty() || pairs.len() != bytes.len() {
        return false;
    }
    pairs.iter().zip(bytes).all(|([high, low], byte)| match (digit(*high), digit(*low)) {
        (Some(high), Some(low)) => {
            *byte = high << 4 | low;
            true
        }
        _ => false,
    })
}

/// CRC-32/ISO-HDLC, bit by bit as in a small boot loader.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::*;
    use crate::tests::talk_now;

    const PAGE_0: &str = "write 00 6d65616c79627567 56";
    const PAGE_1: &str = "write 01 20312e301f57754c e7";

    #[test]
    fn the_crc_is_the_one_of_the_catalogue() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn only_a_verified_image_is_started() {
        let lines = format!(
            "jump, verify, erase, verify, {PAGE_0}, jump, verify, {PAGE_1}, jump, verify, jump, erase"
        );
        assert_eq!(
            talk_now::<BootLoader>(&lines),
            [
                "not verified",
                "bad image",
                "erased",
                "bad image",
                "written",
                "not verified",
                "bad image",
                "written",
                "not verified",
                "verified",
                "starting",
                "application"
            ]
        );
        let lines = format!("erase, {PAGE_1}, {PAGE_0}, verify, erase, jump");
        assert_eq!(talk_now::<BootLoader>(&lines)[3..], ["verified", "erased", "not verified"]);
    }

    #[test]
    fn pages_are_written_once_and_undamaged() {
        let lines = format!(
            "{PAGE_0}, erase, write 00 6d65616c79627567 57, {PAGE_0}, {PAGE_0}, {PAGE_1}, \
             write 02 0000000000000000 02, write 00 00, write, write 0g 0000000000000000 02"
        );
        assert_eq!(
            talk_now::<BootLoader>(&lines),
            [
                "not erased",
                "erased",
                "bad checksum",
                "written",
                "not erased",
                "written",
                "no such page",
                "bad record",
                "bad record",
                "bad record"
            ]
        );
    }
}
