//! Where the time goes: each input's and each reset's is measured.

use std::time::Duration;

/// Time spent on one kind of thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// How often it was done, successfully or not.
    pub count: u64,
    /// How often it did not work.
    pub failed: u64,
    /// How long it took altogether.
    pub total: Duration,
    /// How long it took at most.
    pub longest: Duration,
}

/// What a device cost so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortStatistics {
    /// Each reset method, in its order.
    pub resets: Vec<Spent>,
    /// Each input, by its number.
    pub inputs: Vec<Spent>,
    /// Bytes that came after the end of a reply, before another input or a reset.
    pub late_bytes: u64,
    /// Words that were asked again since bytes came after their last reply.
    pub suspect_words: u64,
}

impl Spent {
    /// Counts one more.
    pub(super) fn add(&mut self, time: Duration, worked: bool) {
        self.count += 1;
        self.failed += u64::from(!worked);
        self.total += time;
        self.longest = self.longest.max(time);
    }
}
