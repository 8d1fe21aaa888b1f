//! A serial line that feeds a watchdog.

use mealybug_adapters::{LineFault, Link};
use mealybug_core::wire::line::LineSettings;

/// How long the line may wait for a byte before it feeds the watchdog again.
const SLICE_MS: u64 = 100;

/// A line whose every use feeds the board's watchdog, also while it waits for bytes.
///
/// Wrap the line to the host, which a learner uses between any two symbols, and the line to the device, for which it may
/// wait long. So the watchdog sees a program that hangs, and a line that never takes a byte; it does not see a device that
/// is silent for long.
///
/// Give the watchdog more time than the learner ever computes between two symbols. That is longest when its memory is
/// nearly full: 2.2 billion instructions with 48 KiB, three minutes at 12.5 MHz. Inputs of pins or of a bus that wait do
/// not feed it either.
#[derive(Debug)]
pub struct Watched<L, F> {
    line: L,
    feed: F,
}

impl<L: Link, F: FnMut()> Watched<L, F> {
    /// A line, and how to feed the watchdog.
    pub const fn new(line: L, feed: F) -> Self {
        Self { line, feed }
    }

    /// The line alone.
    pub fn into_line(self) -> L {
        self.line
    }
}

impl<L: Link, F: FnMut()> Link for Watched<L, F> {
    fn now_ms(&self) -> u64 {
        self.line.now_ms()
    }

    fn write(&mut self, bytes: &[u8]) {
        (self.feed)();
        self.line.write(bytes);
    }

    fn flush(&mut self) {
        self.line.flush();
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        loop {
            (self.feed)();
            let slice_ms = self.line.now_ms().saturating_add(SLICE_MS);
            let byte = self.line.read_until(deadline_ms.min(slice_ms))?;
            if byte.is_some() || deadline_ms <= slice_ms {
                return Ok(byte);
            }
        }
    }

    fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        self.line.set_line(settings)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A line on which a byte comes at this time. Its time passes only while somebody waits.
    struct TimedLine<'t> {
        now_ms: &'t Cell<u64>,
        byte_ms: u64,
    }

    impl Link for TimedLine<'_> {
        fn now_ms(&self) -> u64 {
            self.now_ms.get()
        }

        fn write(&mut self, _: &[u8]) {}

        fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
            let is_there = self.byte_ms <= deadline_ms;
            self.now_ms.set(self.now_ms.get().max(deadline_ms.min(self.byte_ms)));
            Ok(is_there.then_some(7))
        }
    }

    #[test]
    fn a_line_that_waits_feeds_at_least_every_slice() {
        let (now_ms, fed_ms, hungry_ms) = (Cell::new(50), Cell::new(50), Cell::new(0));
        let feed = || {
            hungry_ms.set(hungry_ms.get().max(now_ms.get() - fed_ms.get()));
            fed_ms.set(now_ms.get());
        };
        let mut line = Watched::new(TimedLine { now_ms: &now_ms, byte_ms: 10_020 }, feed);
        assert_eq!(line.read_until(0), Ok(None), "it only looks");
        assert_eq!(now_ms.get(), 50);
        assert_eq!((line.read_until(5000), now_ms.get()), (Ok(None), 5000));
        assert_eq!((line.read_until(u64::MAX), now_ms.get()), (Ok(Some(7)), 10_020));
        line.write(b"x");
        assert_eq!(hungry_ms.get(), SLICE_MS);
        assert_eq!(fed_ms.get(), 10_020);
    }
}
