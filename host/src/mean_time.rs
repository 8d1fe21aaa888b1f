//! The mean of times that were measured.

use std::time::Duration;

/// How long something takes, as the mean of its times so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeanTime {
    total: Duration,
    count: u32,
}

impl MeanTime {
    /// It took this long once more.
    pub(crate) fn add(&mut self, time: Duration) {
        self.add_all(&Self { total: time, count: 1 });
    }

    /// It took all of these times, too.
    pub(crate) fn add_all(&mut self, times: &Self) {
        self.total = self.total.saturating_add(times.total);
        self.count = self.count.saturating_add(times.count);
    }

    /// `None` if it was never measured.
    pub(crate) fn value(&self) -> Option<Duration> {
        self.total.checked_div(self.count)
    }
}
