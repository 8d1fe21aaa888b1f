//! A serial line with a clock.

use mealybug_core::wire::line::LineSettings;

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

    /// Changes the settings of the line. Bytes that are on their way are lost.
    ///
    /// A line that does not say otherwise is fixed at 115 200 baud, 8N1.
    ///
    /// # Errors
    /// The line cannot have these settings; returns those that it keeps.
    fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        let fixed = LineSettings::DEFAULT;
        if settings == fixed { Ok(()) } else { Err(fixed) }
    }
}

/// Bytes came faster than they were read, and some are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun;
