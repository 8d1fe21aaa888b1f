//! A flash in memory whose power can be lost.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::vec::Vec;

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};

/// Why a program has ended.
pub(super) struct PowerLost;

/// What is in a flash.
pub(super) struct FlashChip {
    bytes: Vec<u8>,
    /// Which words were written since they were erased.
    is_written: Vec<bool>,
    random: u64,
    /// How many words are written, and pages erased, until the power is lost.
    pub(super) power_left: usize,
    /// How many times bytes were written whole.
    pub(super) whole_writes: usize,
    pub(super) is_broken: bool,
}

impl FlashChip {
    /// Blank, with this number of bytes. A seed that is 0 leaves in a word what it was when the power is lost.
    pub(super) fn new(size: usize, seed: u64) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self {
            bytes: std::vec![0xff; size],
            is_written: std::vec![false; size],
            random: seed,
            power_left: usize::MAX,
            whole_writes: 0,
            is_broken: false,
        }))
    }

    /// A random number (xorshift); 0 after the seed 0.
    pub(super) fn random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Takes the power for a step; if there is none, `bytes` are what they will be.
    fn has_power(&mut self, from: usize, to: usize) -> bool {
        if let Some(left) = self.power_left.checked_sub(1) {
            self.power_left = left;
            return true;
        }
        if self.random != 0 {
            for at in from..to {
                self.bytes[at] = self.random().to_le_bytes()[3];
            }
        }
        // What reads as blank cannot be told from what is.
        for at in from..to {
            self.is_written[at] |= self.bytes[at] != 0xff;
        }
        false
    }
}

/// A flash with words and pages of these sizes.
#[derive(Clone)]
pub(super) struct Flash<const WORD: usize, const PAGE: usize>(pub(super) Rc<RefCell<FlashChip>>);

impl<const WORD: usize, const PAGE: usize> ErrorType for Flash<WORD, PAGE> {
    type Error = NorFlashErrorKind;
}

impl<const WORD: usize, const PAGE: usize> ReadNorFlash for Flash<WORD, PAGE> {
    const READ_SIZE: usize = WORD;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        check_read(self, offset, bytes.len())?;
        let offset = offset as usize;
        bytes.copy_from_slice(&self.0.borrow().bytes[offset..offset + bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.0.borrow().bytes.len()
    }
}

impl<const WORD: usize, const PAGE: usize> NorFlash for Flash<WORD, PAGE> {
    const WRITE_SIZE: usize = WORD;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        check_erase(self, from, to)?;
        for page in (from as usize..to as usize).step_by(PAGE) {
            let mut chip = self.0.borrow_mut();
            if !chip.has_power(page, page + PAGE) {
                drop(chip);
                resume_unwind(std::boxed::Box::new(PowerLost));
            }
            chip.bytes[page..page + PAGE].fill(0xff);
            chip.is_written[page..page + PAGE].fill(false);
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        check_write(self, offset, bytes.len())?;
        if self.0.borrow().is_broken {
            return Err(NorFlashErrorKind::Other);
        }
        for (word, from) in bytes.chunks(WORD).zip((offset as usize..).step_by(WORD)) {
            let mut chip = self.0.borrow_mut();
            let to = from + WORD;
            let is_blank = chip.is_written[from..to].iter().all(|is_written| !is_written);
            assert!(is_blank, "the word at {from} is written twice");
            if !chip.has_power(from, to) {
                drop(chip);
                resume_unwind(std::boxed::Box::new(PowerLost));
            }
            chip.bytes[from..to].copy_from_slice(word);
            chip.is_written[from..to].fill(true);
        }
        self.0.borrow_mut().whole_writes += 1;
        Ok(())
    }
}
