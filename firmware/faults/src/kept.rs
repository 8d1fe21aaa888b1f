//! A crash in memory that a reset leaves alone.

use core::sync::atomic::{AtomicU32, Ordering};

use crc::{CRC_32_ISO_HDLC, Crc, NoTable};
use mealybug_adapters::Crashes;
use mealybug_core::wire::crash::{Crash, MAX_CRASH};

// Without a table: the crash is short.
pub(crate) static CRC: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);

/// Says that the memory was written by this code; the lowest byte is the number of bytes.
const MAGIC: u32 = 0x4d65_6c00;

/// A crash in a static that no start of the program clears. After power was off it holds random bits: what is not
/// marked, or has a wrong checksum, is no crash.
#[derive(Debug)]
pub struct Kept {
    /// [`MAGIC`] and the number of bytes.
    mark: AtomicU32,
    crc: AtomicU32,
    /// The bytes of [`Crash::encode`].
    words: [AtomicU32; MAX_CRASH / 4],
}

impl Kept {
    /// Without a crash.
    pub const fn new() -> Self {
        let words = [const { AtomicU32::new(0) }; MAX_CRASH / 4];
        Self { mark: AtomicU32::new(0), crc: AtomicU32::new(0), words }
    }

    /// Keeps why the program ends.
    pub fn keep(&self, crash: &Crash<'_>) {
        let mut room = [0; MAX_CRASH];
        let len = crash.encode(&mut room).len();
        for (word, bytes) in self.words.iter().zip(room.as_chunks().0) {
            word.store(u32::from_le_bytes(*bytes), Ordering::Relaxed);
        }
        let bytes = room.get(..len).unwrap_or_default();
        self.crc.store(CRC.checksum(bytes), Ordering::Relaxed);
        self.mark.store(MAGIC | u32::try_from(len).unwrap_or_default(), Ordering::Release);
    }
}

impl Default for Kept {
    fn default() -> Self {
        Self::new()
    }
}

impl Crashes for &Kept {
    fn last<'b>(&self, room: &'b mut [u8; MAX_CRASH]) -> &'b [u8] {
        let [len, ..] = (self.mark.load(Ordering::Acquire) ^ MAGIC).to_le_bytes();
        let is_marked = self.mark.load(Ordering::Relaxed) & !0xff == MAGIC;
        for (word, bytes) in self.words.iter().zip(room.as_chunks_mut().0) {
            *bytes = word.load(Ordering::Relaxed).to_le_bytes();
        }
        let bytes = room.get(..len.into()).unwrap_or_default();
        let is_whole = is_marked && CRC.checksum(bytes) == self.crc.load(Ordering::Relaxed);
        if is_whole { bytes } else { &[] }
    }

    fn forget(&self) {
        self.mark.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRASH: Crash<'_> = Crash::Panic { file: b"src/main.rs", line: 17 };

    fn read(kept: &Kept) -> std::vec::Vec<u8> {
        kept.last(&mut [0; MAX_CRASH]).to_vec()
    }

    #[test]
    fn what_is_kept_comes_back_until_it_is_forgotten() {
        let kept = Kept::new();
        assert_eq!(read(&kept), b"");
        kept.keep(&CRASH);
        assert_eq!(Crash::decode(&read(&kept)), Some(CRASH));
        let overflow = Crash::StackOverflow { calls: [1, 2, 3, u32::MAX] };
        kept.keep(&overflow);
        assert_eq!(Crash::decode(&read(&kept)), Some(overflow), "the last one counts");
        (&kept).forget();
        assert_eq!(read(&kept), b"");
    }

    #[test]
    fn a_changed_bit_is_no_crash() {
        let kept = Kept::new();
        kept.keep(&CRASH);
        let len = read(&kept).len();
        for bit in 0..32 * (2 + len / 4) {
            let word = match bit / 32 {
                0 => &kept.mark,
                1 => &kept.crc,
                at => &kept.words[at - 2],
            };
            word.store(word.load(Ordering::Relaxed) ^ 1 << (bit % 32), Ordering::Relaxed);
            assert_eq!(read(&kept), b"", "bit {bit}");
            word.store(word.load(Ordering::Relaxed) ^ 1 << (bit % 32), Ordering::Relaxed);
        }
        assert_eq!(Crash::decode(&read(&kept)), Some(CRASH));
    }
}
