//! Makes a UF2 file for the RP2040 of an ELF file: `uf2 IN.elf OUT.uf2`. `dist/firmware` compiles this with rustc alone.
//!
//! UF2 is <https://github.com/microsoft/uf2>: blocks of 512 bytes, each with the address of its 256 bytes of flash.

use std::collections::BTreeMap;
use std::process::ExitCode;

/// The bytes of flash in a block: a page, which the boot loader programs as a whole.
const PAGE: usize = 256;
const PAGE_BYTES: u32 = 256;

/// Where the RP2040 has its flash.
const FLASH: std::ops::Range<u32> = 0x1000_0000..0x1100_0000;

/// The family of the RP2040, in the list of UF2's authors.
const FAMILY: u32 = 0xe48b_ff56;

/// The block names a family.
const HAS_FAMILY: u32 = 0x2000;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [from, to] = &arguments[..] else {
        eprintln!("usage: uf2 IN.elf OUT.uf2");
        return ExitCode::from(2);
    };
    let made = std::fs::read(from).map_err(|error| error.to_string()).and_then(|elf| convert(&elf));
    let written = made.and_then(|uf2| std::fs::write(to, uf2).map_err(|error| error.to_string()));
    if let Err(error) = written {
        eprintln!("{}: {error}", from.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The UF2 file of an ELF file.
///
/// # Errors
/// The file is not ELF for a 32-bit little-endian processor, is cut off, or has no part in flash.
pub(crate) fn convert(elf: &[u8]) -> Result<Vec<u8>, String> {
    let pages = pages(elf)?;
    let count = u32::try_from(pages.len()).map_err(|error| error.to_string())?;
    let mut uf2 = Vec::with_capacity(pages.len() * 512);
    for (number, (address, page)) in (0_u32..).zip(pages) {
        let header =
            [0x0a32_4655, 0x9e5d_5157, HAS_FAMILY, address, PAGE_BYTES, number, count, FAMILY];
        header.iter().for_each(|word| uf2.extend(word.to_le_bytes()));
        uf2.extend(page);
        uf2.extend([0; 476 - PAGE]);
        uf2.extend(0x0ab1_6f30_u32.to_le_bytes());
    }
    Ok(uf2)
}

/// The pages of flash that the segments of an ELF file fill, and zeros between them.
fn pages(elf: &[u8]) -> Result<BTreeMap<u32, [u8; PAGE]>, String> {
    if !elf.starts_with(b"\x7fELF\x01\x01") {
        return Err("this is no ELF file of a 32-bit little-endian processor".to_owned());
    }
    let headers = word(elf, 28)? as usize;
    let (size, count) = (half(elf, 42)?, half(elf, 44)?);
    let mut pages = BTreeMap::new();
    for number in 0..count {
        let header = headers + number * size;
        let [kind, offset, _, address, len] =
            [0, 4, 8, 12, 16].map(|at| word(elf, header.saturating_add(at)));
        let (kind, offset, address, len) = (kind?, offset? as usize, address?, len? as usize);
        // What is loaded and lies in the file.
        if kind != 1 || len == 0 || !FLASH.contains(&address) {
            continue;
        }
        let bytes = elf.get(offset..offset.saturating_add(len)).ok_or(CUT)?;
        for (at, &byte) in (address..).zip(bytes) {
            let in_page = at % PAGE_BYTES;
            pages.entry(at - in_page).or_insert([0; PAGE])[in_page as usize] = byte;
        }
    }
    if pages.is_empty() {
        Err("nothing of it lies in the flash of an RP2040".to_owned())
    } else {
        Ok(pages)
    }
}

const CUT: &str = "the file is cut off";

fn word(elf: &[u8], at: usize) -> Result<u32, String> {
    let bytes = elf.get(at..).and_then(|rest| rest.first_chunk());
    bytes.copied().map(u32::from_le_bytes).ok_or_else(|| CUT.to_owned())
}

fn half(elf: &[u8], at: usize) -> Result<usize, String> {
    let bytes = elf.get(at..).and_then(|rest| rest.first_chunk());
    bytes.copied().map(|bytes| u16::from_le_bytes(bytes).into()).ok_or_else(|| CUT.to_owned())
}
