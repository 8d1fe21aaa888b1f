//! A serial line with a clock.

/// What a board provides for each of its serial ports.
///
/// The traits of embedded-io have no time-out, and a learner must notice that a device says
/// nothing.
pub trait Link {
    /// The time in milliseconds since a fixed moment.
    fn now_ms(&self) -> u64;

    /// Sends bytes; waits while the line cannot take them.
    fn write(&mut self, bytes: &[u8]);

    /// The next byte; `None` when none came by the deadline. With a deadline in the past, the call
    /// only checks whether a byte is there.
    ///
    /// # Errors
    /// Bytes before this one were lost.
    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, Overrun>;
}

/// Bytes came faster than they were read, and some are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun;
