//! A queue of bytes from an interrupt to the program, without locks.

use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use crate::LineFault;

/// A queue with one writer, an interrupt, and one reader, the program. It holds `SIZE - 1` bytes.
/// When it is full it drops bytes, and the reader learns of it.
///
/// `heapless::spsc::Queue` must be split in two before use, and a half that an interrupt can reach in a
/// static needs unsafe code or a critical section for each byte. Boards share this one as it is.
#[derive(Debug)]
pub struct Ring<const SIZE: usize> {
    bytes: [AtomicU8; SIZE],
    /// Where the next byte is read; only the reader moves it.
    read: AtomicUsize,
    /// Where the next byte is written; only the writer moves it.
    written: AtomicUsize,
    /// The last fault that the reader has not seen, as a number; 0 if there is none.
    fault: AtomicU8,
}

impl<const SIZE: usize> Ring<SIZE> {
    /// An empty queue.
    pub const fn new() -> Self {
        Self {
            bytes: [const { AtomicU8::new(0) }; SIZE],
            read: AtomicUsize::new(0),
            written: AtomicUsize::new(0),
            fault: AtomicU8::new(0),
        }
    }

    /// Adds a byte; called by the interrupt.
    pub fn push(&self, byte: u8) {
        let at = self.written.load(Ordering::Relaxed);
        let next = (at + 1) % SIZE;
        match self.bytes.get(at) {
            Some(place) if next != self.read.load(Ordering::Acquire) => {
                place.store(byte, Ordering::Relaxed);
                self.written.store(next, Ordering::Release);
            }
            _ => self.fail(LineFault::Overrun),
        }
    }

    /// Notes that a byte was lost or damaged before it reached the queue; called by the interrupt.
    pub fn fail(&self, fault: LineFault) {
        self.fault.store(fault as u8, Ordering::Relaxed);
    }

    /// The next byte; called by the program.
    ///
    /// # Errors
    /// Bytes before this one were lost or damaged.
    pub fn pop(&self) -> Result<Option<u8>, LineFault> {
        // Not `swap`, which the smallest cores lack. Faults that come at nearly the same time may
        // be reported as one.
        let fault = LineFault::of(self.fault.load(Ordering::Relaxed));
        if let Some(fault) = fault {
            self.fault.store(0, Ordering::Relaxed);
            return Err(fault);
        }
        let at = self.read.load(Ordering::Relaxed);
        if at == self.written.load(Ordering::Acquire) {
            return Ok(None);
        }
        let Some(byte) = self.bytes.get(at) else { return Ok(None) };
        let byte = byte.load(Ordering::Relaxed);
        self.read.store((at + 1) % SIZE, Ordering::Release);
        Ok(Some(byte))
    }

    /// As [`Link::read_until`](crate::Link::read_until). Until a byte or the deadline comes, the
    /// program calls `idle`, which may return early.
    ///
    /// # Errors
    /// Bytes before this one were lost or damaged.
    pub fn read_until(
        &self,
        deadline_ms: u64,
        now_ms: impl Fn() -> u64,
        idle: impl Fn(),
    ) -> Result<Option<u8>, LineFault> {
        loop {
            let byte = self.pop()?;
            if byte.is_some() || now_ms() >= deadline_ms {
                return Ok(byte);
            }
            idle();
        }
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.read.load(Ordering::Relaxed) == self.written.load(Ordering::Acquire)
    }
}

impl<const SIZE: usize> Default for Ring<SIZE> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn so_much_fits_and_what_is_lost_is_told_once() {
        let ring = Ring::<4>::new();
        for round in 0..10 {
            for byte in 0..3 {
                ring.push(round + byte);
            }
            if round % 2 == 1 {
                ring.push(99);
                assert_eq!(ring.pop(), Err(LineFault::Overrun));
            }
            for byte in 0..3 {
                assert!(!ring.is_empty());
                assert_eq!(ring.pop(), Ok(Some(round + byte)));
            }
            assert!(ring.is_empty());
            assert_eq!(ring.pop(), Ok(None));
        }
        for fault in [LineFault::Overrun, LineFault::Framing, LineFault::Parity, LineFault::Break] {
            ring.fail(fault);
            assert_eq!((ring.pop(), ring.pop()), (Err(fault), Ok(None)));
        }
    }

    #[test]
    fn a_reader_waits_for_a_byte_until_the_deadline() {
        let ring = Ring::<4>::new();
        let now_ms = Cell::new(0);
        let later = || now_ms.set(now_ms.get() + 1);
        assert_eq!(ring.read_until(5, || now_ms.get(), later), Ok(None));
        assert_eq!(now_ms.get(), 5);
        let in_time = || {
            later();
            ring.push(1);
        };
        assert_eq!(ring.read_until(9, || now_ms.get(), in_time), Ok(Some(1)));
        assert_eq!(ring.read_until(0, || 0, || panic!("it waits")), Ok(None));
    }
}
