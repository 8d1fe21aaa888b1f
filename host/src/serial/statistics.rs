//! Where the time goes: the durations of every input and every reset.

use std::time::Duration;

/// The time spent on one input or one reset method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeSpent {
    /// How often it was done, successfully or not.
    pub count: u64,
    /// How often it failed.
    pub failed: u64,
    /// The total time.
    pub total: Duration,
    /// The longest time.
    pub longest: Duration,
}

/// What the device has cost so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortStatistics {
    /// Each reset method, in the order of the file.
    pub resets: Vec<TimeSpent>,
    /// Each input, by number.
    pub inputs: Vec<TimeSpent>,
    /// Bytes that came after the end of a reply, before another input or a reset.
    pub late_bytes: u64,
    /// Words that were asked again because bytes came after their last reply.
    pub suspect_words: u64,
}

impl TimeSpent {
    /// Counts one more.
    pub(super) fn add(&mut self, time: Duration, worked: bool) {
        self.count += 1;
        self.failed += u64::from(!worked);
        self.total += time;
        self.longest = self.longest.max(time);
    }
}
