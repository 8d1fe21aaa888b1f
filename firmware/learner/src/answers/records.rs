//! Records, one after the other in a NOR flash, which are erased together.
//!
//! ```text
//! length and flags (2 bytes)  CRC-32 (4 bytes)  payload  0xff up to a whole word of the flash
//! ```
//!
//! A record lies in one page. When the power is lost during a write, the record is damaged, and any of its words may be
//! blank: a reader looks for the next record at each word. The end is where as much is blank as a record can take.

use core::ops::Range;

use crc::{CRC_32_ISO_HDLC, Crc, NoTable};
use embedded_storage::nor_flash::NorFlash;

// Without a table, which would be larger than the rest.
static CRC: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);

/// The most bytes of a record: a multiple of the words that flashes have, of 1 to 32 bytes.
pub(super) const RECORD_BYTES: usize = 288;
const HEAD_BYTES: usize = 6;

/// The most bytes of a payload.
pub(super) const PAYLOAD_BYTES: usize = RECORD_BYTES - HEAD_BYTES;

const LEN: u16 = 0x3fff;
/// The flag of the first record of several that belong together.
pub(super) const FIRST: u16 = 0x4000;
/// The flag of the last one.
pub(super) const LAST: u16 = 0x8000;

/// What erased flash reads as.
const BLANK: u8 = 0xff;

/// The CRC-32 of all bytes that `parts` passes on.
pub(crate) fn digest(parts: impl FnOnce(&mut dyn FnMut(&[u8]))) -> u32 {
    let mut digest = CRC.digest();
    parts(&mut |part| digest.update(part));
    digest.finalize()
}

/// Why a record is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotKept {
    /// The flash is full.
    Full,
    /// The flash failed.
    Failed,
}

/// A record, as it is in the flash.
// Some drivers want the buffer to be aligned.
#[repr(align(4))]
#[derive(Debug)]
pub(super) struct FlashRecord {
    bytes: [u8; RECORD_BYTES],
    /// The length of the payload.
    len: usize,
}

impl FlashRecord {
    /// An empty one.
    pub(super) const fn new() -> Self {
        Self { bytes: [BLANK; RECORD_BYTES], len: 0 }
    }

    /// Empties it.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// The payload.
    pub(super) fn payload(&self) -> &[u8] {
        self.bytes.get(HEAD_BYTES..HEAD_BYTES + self.len).unwrap_or_default()
    }

    /// Appends to the payload; false if there is no room.
    pub(super) fn push(&mut self, bytes: &[u8]) -> bool {
        let start = HEAD_BYTES + self.len;
        let Some(place) = self.bytes.get_mut(start..start + bytes.len()) else { return false };
        place.copy_from_slice(bytes);
        self.len += bytes.len();
        true
    }

    /// Puts other bytes in the place of the record.
    pub(super) fn replace(&mut self, bytes: &[u8]) -> Option<&[u8]> {
        let place = self.bytes.get_mut(..bytes.len())?;
        place.copy_from_slice(bytes);
        Some(place)
    }

    /// Whether it has one of these flags.
    pub(super) fn has(&self, flags: u16) -> bool {
        self.head() & flags != 0
    }

    fn head(&self) -> u16 {
        let [low, high, ..] = self.bytes;
        u16::from_le_bytes([low, high])
    }

    fn crc(&self, seed: u32) -> u32 {
        let mut digest = CRC.digest_with_initial(seed);
        digest.update(&self.head().to_le_bytes());
        digest.update(self.payload());
        digest.finalize()
    }

    /// Writes the head.
    fn finish(&mut self, seed: u32, flags: u16) {
        let head = u16::try_from(self.len).unwrap_or_default() | flags;
        if let Some((place, _)) = self.bytes.split_first_chunk_mut() {
            *place = head.to_le_bytes();
        }
        let crc = self.crc(seed);
        if let Some((_, place)) = self.bytes.split_at_mut_checked(2)
            && let Some((place, _)) = place.split_first_chunk_mut()
        {
            *place = crc.to_le_bytes();
        }
    }

    /// Whether `room` bytes, which were read, begin with an undamaged record of this seed.
    fn begins(&mut self, seed: u32, room: usize) -> bool {
        self.len = (self.head() & LEN).into();
        let [_, _, a, b, c, d, ..] = self.bytes;
        HEAD_BYTES + self.len <= room && self.crc(seed) == u32::from_le_bytes([a, b, c, d])
    }

    fn is_blank(&self, room: usize) -> bool {
        self.bytes.iter().take(room).all(|&byte| byte == BLANK)
    }
}

/// The place of records in a flash.
#[derive(Debug)]
pub(super) struct Records {
    pages: Range<u32>,
    at: u32,
    is_at_end: bool,
}

impl Records {
    /// Records in these pages: a range of bytes.
    pub(super) const fn new(pages: Range<u32>) -> Self {
        Self { at: pages.start, pages, is_at_end: false }
    }

    /// Reads the next record of this seed, if there is one; then it is the next until it is passed. Skips damaged ones.
    pub(super) fn find<F: NorFlash>(
        &mut self,
        flash: &mut F,
        seed: u32,
        record: &mut FlashRecord,
    ) -> Result<bool, NotKept> {
        while !self.is_at_end {
            let room = self.read(flash, self.at, record)?;
            if record.begins(seed, room) {
                return Ok(true);
            }
            let next = if record.is_blank(room) {
                // The next record had no room in this page, or there is none.
                let next = self.page_end::<F>();
                let room = self.read(flash, next, record)?;
                if record.is_blank(room) {
                    self.is_at_end = true;
                    break;
                }
                next
            } else {
                self.at + bytes(F::WRITE_SIZE)
            };
            self.at = next;
        }
        Ok(false)
    }

    /// Passes the record that was found.
    pub(super) fn pass<F: NorFlash>(&mut self, record: &FlashRecord) {
        self.at += place::<F>(record);
    }

    /// Where the next record is.
    pub(super) fn at(&self) -> u32 {
        self.at
    }

    /// Goes back to the first record.
    pub(super) fn rewind(&mut self) {
        self.at = self.pages.start;
        self.is_at_end = false;
    }

    /// Goes back to a record.
    pub(super) fn go_to(&mut self, at: u32) {
        self.at = at;
    }

    /// Writes a record behind all others, which have been passed.
    pub(super) fn add<F: NorFlash>(
        &mut self,
        flash: &mut F,
        seed: u32,
        record: &mut FlashRecord,
        flags: u16,
    ) -> Result<(), NotKept> {
        record.finish(seed, flags);
        let place = place::<F>(record);
        let has_room = self.page_end::<F>() - self.at >= place;
        let at = if has_room { self.at } else { self.page_end::<F>() };
        if at >= self.pages.end {
            return Err(NotKept::Full);
        }
        let used = HEAD_BYTES + record.len;
        let padded = record.bytes.get_mut(..place as usize).unwrap_or_default();
        padded.iter_mut().skip(used).for_each(|byte| *byte = BLANK);
        flash.write(at, padded).map_err(|_| NotKept::Failed)?;
        self.at = at + place;
        Ok(())
    }

    /// Erases all pages that are not blank. The first one goes first: if the power is lost after that, there is no run.
    pub(super) fn erase<F: NorFlash>(
        &mut self,
        flash: &mut F,
        record: &mut FlashRecord,
    ) -> Result<(), NotKept> {
        let mut page = self.pages.start;
        while page < self.pages.end {
            let (mut at, end) = (page, page + bytes(F::ERASE_SIZE));
            while at < end {
                let room = self.read(flash, at, record)?;
                if !record.is_blank(room) {
                    flash.erase(page, end).map_err(|_| NotKept::Failed)?;
                    break;
                }
                at += bytes(room);
            }
            page = end;
        }
        self.at = self.pages.start;
        self.is_at_end = true;
        Ok(())
    }

    /// Erases the first page.
    pub(super) fn erase_first<F: NorFlash>(&mut self, flash: &mut F) -> Result<(), NotKept> {
        let first = self.pages.start;
        flash.erase(first, first + bytes(F::ERASE_SIZE)).map_err(|_| NotKept::Failed)
    }

    /// Reads as much as a record may take in its page; returns how much that is, 0 behind the last page.
    fn read<F: NorFlash>(
        &self,
        flash: &mut F,
        at: u32,
        record: &mut FlashRecord,
    ) -> Result<usize, NotKept> {
        let left = bytes(F::ERASE_SIZE) - at % bytes(F::ERASE_SIZE);
        let left = if at < self.pages.end { left } else { 0 };
        let room = RECORD_BYTES.min(left as usize);
        let place = record.bytes.get_mut(..room).unwrap_or_default();
        flash.read(at, place).map_err(|_| NotKept::Failed)?;
        Ok(room)
    }

    /// The end of the page in which the next record is, or else would be.
    fn page_end<F: NorFlash>(&self) -> u32 {
        let page = bytes(F::ERASE_SIZE);
        if self.at < self.pages.end { self.at - self.at % page + page } else { self.at }
    }
}

/// How much of a flash a record takes.
fn place<F: NorFlash>(record: &FlashRecord) -> u32 {
    bytes((HEAD_BYTES + record.len).next_multiple_of(F::WRITE_SIZE))
}

/// Sizes in a flash have 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "a flash has addresses of 32 bits")]
const fn bytes(size: usize) -> u32 {
    size as u32
}
