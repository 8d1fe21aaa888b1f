//! The time, counted by a timer's interrupt.

use core::sync::atomic::{AtomicU32, Ordering};

/// Milliseconds since the start, for timers without a 64-bit counter. The interrupt must never be
/// delayed by two milliseconds or more.
///
/// The count has two halves, because the smallest cores have no 64-bit atomics. They have no
/// read-modify-write either; only the interrupt writes.
#[derive(Debug)]
pub struct Ticks {
    low: AtomicU32,
    high: AtomicU32,
}

impl Ticks {
    /// A count of 0.
    pub const fn new() -> Self {
        Self::starting_at(0)
    }

    const fn starting_at(low: u32) -> Self {
        Self { low: AtomicU32::new(low), high: AtomicU32::new(0) }
    }

    /// Counts a millisecond; called by the interrupt.
    pub fn tick(&self) {
        let low = self.low.load(Ordering::Relaxed).wrapping_add(1);
        if low == 0 {
            self.high.store(self.high.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
        }
        self.low.store(low, Ordering::Release);
    }

    /// How many milliseconds have passed.
    pub fn now_ms(&self) -> u64 {
        loop {
            let high = self.high.load(Ordering::Acquire);
            let low = self.low.load(Ordering::Acquire);
            // If the high half differs, an interrupt came in between: read again.
            if self.high.load(Ordering::Acquire) == high {
                return u64::from(high) << 32 | u64::from(low);
            }
        }
    }
}

impl Default for Ticks {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_beyond_32_bits() {
        let ticks = Ticks::starting_at(u32::MAX - 1);
        for expected in u64::from(u32::MAX) - 1..u64::from(u32::MAX) + 3 {
            assert_eq!(ticks.now_ms(), expected);
            ticks.tick();
        }
    }
}
