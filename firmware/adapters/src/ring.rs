//! A queue of bytes between an interrupt and the program, without locks.

#[cfg(not(test))]
use core::sync::atomic::{AtomicU16, AtomicUsize};
use core::sync::atomic::{Ordering, compiler_fence};

use crate::LineFault;
// Before each access of the program an interrupt may come.
#[cfg(test)]
use crate::interrupt::{AtomicU16, AtomicUsize};

/// A queue with one writer and one reader: one of them is an interrupt, the other the program, both on
/// the same core, so only the compiler has to keep the order of their accesses. It holds `SIZE - 1` bytes; `SIZE` is a power of two. Faults of the line stand between the bytes,
/// where they happened, and each takes the place of a byte.
///
/// What finds no room is dropped. The last place is kept for an overrun, so the reader learns of
/// that: once, behind the last byte before the gap.
///
/// `heapless::spsc::Queue` must be split in two before use, and a half that an interrupt can reach
/// in a static needs unsafe code or a critical section. Boards share this one as it is.
// PERF: around `heapless::spsc::Queue`, with unsafe code, the learner of lm3s6965evb has 76 bytes more of flash (42 724 and not
// 42 648) and 16 of RAM, and the interrupt of the micro:bit 16 instructions more, six of them barriers.
#[derive(Debug)]
pub struct Ring<const SIZE: usize> {
    /// A byte, or 256 times the number of a fault.
    places: [AtomicU16; SIZE],
    /// How many places were read; only the reader writes it. The numbers wrap.
    read: AtomicUsize,
    /// How many places were written; only the writer writes it.
    written: AtomicUsize,
}

/// An overrun in a place.
const OVERRUN: u16 = (LineFault::Overrun as u16) << 8;

impl<const SIZE: usize> Ring<SIZE> {
    /// An empty queue.
    pub const fn new() -> Self {
        const { assert!(SIZE.is_power_of_two() && SIZE > 1, "the indices wrap at a power of two") };
        Self {
            places: [const { AtomicU16::new(0) }; SIZE],
            read: AtomicUsize::new(0),
            written: AtomicUsize::new(0),
        }
    }

    /// Adds a byte; called by the writer.
    pub fn push(&self, byte: u8) {
        self.put(u16::from(byte));
    }

    /// Notes that a byte was lost or damaged before it reached the queue; called by the writer.
    pub fn fail(&self, fault: LineFault) {
        self.put((fault as u16) << 8);
    }

    // PERF: a call would take a Cortex-M0 20 of the 174 cycles that a byte has at 921 600 baud, see
    // docs/measurements/uart.md.
    #[inline(always)]
    fn put(&self, value: u16) {
        let written = self.written.load(Ordering::Relaxed);
        let room = SIZE.wrapping_sub(written.wrapping_sub(self.read.load(Ordering::Relaxed)));
        compiler_fence(Ordering::Acquire);
        let value = match room {
            0 => return,
            1 if self.place(written.wrapping_sub(1)).load(Ordering::Relaxed) == OVERRUN => return,
            1 => OVERRUN,
            _ => value,
        };
        self.add(written, value);
    }

    /// Adds a byte if there is room for it; called by the writer.
    pub(crate) fn offer(&self, byte: u8) -> bool {
        let has_room = self.has_room();
        if has_room {
            compiler_fence(Ordering::Acquire);
            self.add(self.written.load(Ordering::Relaxed), byte.into());
        }
        has_room
    }

    fn add(&self, written: usize, value: u16) {
        self.place(written).store(value, Ordering::Relaxed);
        compiler_fence(Ordering::Release);
        self.written.store(written.wrapping_add(1), Ordering::Relaxed);
    }

    /// The next byte; called by the reader.
    ///
    /// # Errors
    /// Bytes before the next one were lost or damaged.
    pub fn pop(&self) -> Result<Option<u8>, LineFault> {
        let Some([byte, fault]) = self.take() else { return Ok(None) };
        LineFault::of(fault).map_or(Ok(Some(byte)), Err)
    }

    /// The next byte and the number of a fault, or 0.
    pub(crate) fn take(&self) -> Option<[u8; 2]> {
        let read = self.read.load(Ordering::Relaxed);
        if read == self.written.load(Ordering::Relaxed) {
            return None;
        }
        compiler_fence(Ordering::Acquire);
        let value = self.place(read).load(Ordering::Relaxed);
        compiler_fence(Ordering::Release);
        self.read.store(read.wrapping_add(1), Ordering::Relaxed);
        Some(value.to_le_bytes())
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.read.load(Ordering::Relaxed) == self.written.load(Ordering::Relaxed)
    }

    /// Whether there is room for a byte.
    pub fn has_room(&self) -> bool {
        let written = self.written.load(Ordering::Relaxed);
        written.wrapping_sub(self.read.load(Ordering::Relaxed)) < SIZE - 1
    }

    fn place(&self, number: usize) -> &AtomicU16 {
        &self.places[number % SIZE]
    }
}

impl<const SIZE: usize> Default for Ring<SIZE> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_much_fits_and_what_is_lost_is_told_once_in_its_place() {
        let ring = Ring::<4>::new();
        for round in 0..10 {
            for byte in 0..3 {
                assert!(ring.has_room());
                ring.push(round + byte);
            }
            assert!(!ring.has_room());
            let lost = round % 4;
            for _ in 0..lost {
                ring.push(99);
            }
            assert_eq!(ring.pop(), Ok(Some(round)));
            if lost > 0 {
                // Still no room: the place that is free is the last one.
                ring.push(99);
            }
            for byte in 1..3 {
                assert!(!ring.is_empty());
                assert_eq!(ring.pop(), Ok(Some(round + byte)));
            }
            if lost > 0 {
                assert_eq!(ring.pop(), Err(LineFault::Overrun));
            }
            assert!(ring.is_empty());
            assert_eq!(ring.pop(), Ok(None));
        }
    }

    #[test]
    fn faults_stand_between_the_bytes() {
        let ring = Ring::<4>::new();
        for fault in [LineFault::Overrun, LineFault::Framing, LineFault::Parity, LineFault::Break] {
            ring.push(1);
            ring.fail(fault);
            ring.push(0);
            ring.fail(fault);
            assert_eq!(ring.pop(), Ok(Some(1)));
            assert_eq!(ring.pop(), Err(fault));
            assert_eq!(ring.pop(), Ok(Some(0)));
            // Nothing but an overrun fits into the last place.
            assert_eq!((ring.pop(), ring.pop()), (Err(LineFault::Overrun), Ok(None)));
        }
    }
}
