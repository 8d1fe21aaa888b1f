//! A line with bytes both ways, and the time.

/// What a board provides for each of its serial ports.
///
/// A trait of our own, since those of embedded-io know no time-out, and to learn a device is to
/// know when it says nothing.
pub trait Link {
    /// Milliseconds since some time on.
    fn now_ms(&self) -> u64;

    /// Sends bytes; waits as long as the line cannot take them.
    fn write(&mut self, bytes: &[u8]);

    /// The next byte; `None` when none came until then. A deadline that has passed asks only
    /// whether there is one.
    ///
    /// # Errors
    /// Bytes were lost before it.
    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, Overrun>;
}

/// Bytes came faster than they were read, and some are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun;
