//! How many symbols to send ahead.

use std::collections::VecDeque;
use std::time::Duration;

/// As many symbols may be on their way as outputs came back in this time. It is longer than the
/// round trip of a frame on any line, and short enough that the device soon stops working on words
/// that are no longer wanted.
const AHEAD: Duration = Duration::from_millis(200);

/// Counts the outputs that arrived recently.
#[derive(Debug, Default)]
pub(super) struct OutputRate {
    lately: VecDeque<(Duration, usize)>,
    sum: usize,
}

impl OutputRate {
    /// Counts outputs that arrived.
    pub(super) fn came(&mut self, now: Duration, outputs: usize) {
        self.lately.push_back((now, outputs));
        self.sum += outputs;
    }

    /// How many symbols may be on their way.
    pub(super) fn symbols(&mut self, now: Duration) -> usize {
        while let Some(&(at, outputs)) = self.lately.front()
            && at + AHEAD < now
        {
            self.sum -= outputs;
            self.lately.pop_front();
        }
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_long_ago_does_not_count() {
        let ms = Duration::from_millis;
        let mut rate = OutputRate::default();
        assert_eq!(rate.symbols(ms(0)), 0);
        rate.came(ms(1), 10);
        rate.came(ms(100), 20);
        assert_eq!(rate.symbols(ms(100)), 30);
        assert_eq!(rate.symbols(ms(202)), 20);
        assert_eq!(rate.symbols(ms(301)), 0);
    }
}
