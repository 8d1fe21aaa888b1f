//! RAM that stands for a NOR flash.
//!
//! The chip's own flash cannot be written in QEMU. No start of the program clears this RAM, so it keeps what is written
//! over a reset, but not without power.

use core::sync::atomic::{AtomicU32, Ordering};

use mealybug_learner::embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};

const BYTES: usize = 24 * 1024;
const PAGE_BYTES: usize = 1024;
const WORD_BYTES: usize = 4;
const BLANK: u32 = u32::MAX;

#[unsafe(link_section = ".uninit.kept_ram")]
static WORDS: [AtomicU32; BYTES / WORD_BYTES] =
    [const { AtomicU32::new(BLANK) }; BYTES / WORD_BYTES];

/// The only NOR flash of the board. It has 24 pages of 1 KiB, and words of 4 bytes.
#[derive(Debug)]
pub struct KeptRam;

/// The words from an offset on.
fn words(offset: u32) -> impl Iterator<Item = &'static AtomicU32> {
    WORDS.iter().skip(offset as usize / WORD_BYTES)
}

impl ErrorType for KeptRam {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for KeptRam {
    const READ_SIZE: usize = WORD_BYTES;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        check_read(self, offset, bytes.len())?;
        for (word, bytes) in words(offset).zip(bytes.as_chunks_mut().0) {
            *bytes = word.load(Ordering::Relaxed).to_le_bytes();
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        BYTES
    }
}

impl NorFlash for KeptRam {
    const WRITE_SIZE: usize = WORD_BYTES;
    const ERASE_SIZE: usize = PAGE_BYTES;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        check_erase(self, from, to)?;
        for word in words(from).take(to.saturating_sub(from) as usize / WORD_BYTES) {
            word.store(BLANK, Ordering::Relaxed);
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        check_write(self, offset, bytes.len())?;
        for (word, bytes) in words(offset).zip(bytes.as_chunks().0) {
            // As in a flash, bits are cleared only.
            let bits = word.load(Ordering::Relaxed) & u32::from_le_bytes(*bytes);
            word.store(bits, Ordering::Relaxed);
        }
        Ok(())
    }
}
