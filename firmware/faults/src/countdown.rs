//! A watchdog that is counted in software.

use core::sync::atomic::{AtomicU32, Ordering};

/// Counts the time since the program last fed its watchdog, for boards whose own watchdog waits for seconds, where a learner
/// may compute for minutes.
///
/// A periodic interrupt calls [`Self::tick`], and feeds the board's watchdog as long as the program is in time. After that it
/// pends an interrupt that the board has no use for, whose handler `handle_watchdog!` defines. So the program's place is known
/// when it hangs, and a program that holds interrupts back is reset by the board's watchdog.
#[derive(Debug)]
pub struct Countdown {
    /// 0 before it starts.
    time_ms: AtomicU32,
    left_ms: AtomicU32,
}

impl Countdown {
    /// It has not started.
    pub const fn new() -> Self {
        Self { time_ms: AtomicU32::new(0), left_ms: AtomicU32::new(0) }
    }

    /// From now on the program feeds it at least once in this time.
    pub fn start(&self, time_ms: u32) {
        self.left_ms.store(time_ms, Ordering::Relaxed);
        self.time_ms.store(time_ms, Ordering::Relaxed);
    }

    /// Begins the time anew.
    pub fn feed(&self) {
        self.left_ms.store(self.time_ms.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// A millisecond has passed. Returns whether the program is in time.
    pub fn tick(&self) -> bool {
        // The program cannot interrupt this.
        let left_ms = self.left_ms.load(Ordering::Relaxed).saturating_sub(1);
        self.left_ms.store(left_ms, Ordering::Relaxed);
        left_ms > 0 || self.time_ms.load(Ordering::Relaxed) == 0
    }
}

impl Default for Countdown {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_feeds_is_in_time() {
        let countdown = Countdown::new();
        assert!((0..9).all(|_| countdown.tick()), "it has not started");
        countdown.start(3);
        for _ in 0..9 {
            assert!(countdown.tick() && countdown.tick());
            countdown.feed();
        }
        assert_eq!([(); 5].map(|()| countdown.tick()), [true, true, false, false, false]);
    }
}
