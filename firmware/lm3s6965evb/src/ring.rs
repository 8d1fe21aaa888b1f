//! Bytes on their way from an interrupt to the program, without locks.

use core::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

/// How many bytes wait at most, less one.
const SIZE: usize = 512;

/// A queue with one writer and one reader. When it is full, bytes are lost and that is known.
#[derive(Debug)]
pub(crate) struct Ring {
    bytes: [AtomicU8; SIZE],
    /// Where the next byte is read; only the reader moves it.
    read: AtomicUsize,
    /// Where the next byte is written; only the writer moves it.
    written: AtomicUsize,
    lost: AtomicBool,
}

impl Ring {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [const { AtomicU8::new(0) }; SIZE],
            read: AtomicUsize::new(0),
            written: AtomicUsize::new(0),
            lost: AtomicBool::new(false),
        }
    }

    pub(crate) fn push(&self, byte: u8) {
        let at = self.written.load(Ordering::Relaxed);
        let next = (at + 1) % SIZE;
        match self.bytes.get(at) {
            Some(place) if next != self.read.load(Ordering::Acquire) => {
                place.store(byte, Ordering::Relaxed);
                self.written.store(next, Ordering::Release);
            }
            _ => self.lose(),
        }
    }

    pub(crate) fn pop(&self) -> Option<u8> {
        let at = self.read.load(Ordering::Relaxed);
        if at == self.written.load(Ordering::Acquire) {
            return None;
        }
        let byte = self.bytes.get(at)?.load(Ordering::Relaxed);
        self.read.store((at + 1) % SIZE, Ordering::Release);
        Some(byte)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.read.load(Ordering::Relaxed) == self.written.load(Ordering::Acquire)
    }

    /// A byte was lost.
    pub(crate) fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// Whether a byte was lost since the last call.
    pub(crate) fn has_lost(&self) -> bool {
        // Not `swap`, which the smallest cores lack; a loss in between is told the next time.
        let lost = self.lost.load(Ordering::Relaxed);
        if lost {
            self.lost.store(false, Ordering::Relaxed);
        }
        lost
    }
}
