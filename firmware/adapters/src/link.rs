//! A serial line with a clock.

use mealybug_core::wire::line::LineSettings;
use mealybug_core::wire::message::DeviceError;

/// What a board provides for each of its serial ports.
///
/// The traits of embedded-io have no time-out, and a learner must notice that a device says
/// nothing.
pub trait Link {
    /// The time in milliseconds since a fixed moment.
    fn now_ms(&self) -> u64;

    /// Sends bytes. Waits only while there is no room to keep them; what is kept is sent while the
    /// program goes on. A line whose other end may take nothing for ever drops bytes after some time.
    fn write(&mut self, bytes: &[u8]);

    /// Waits until the port itself has all bytes that were written, so that at most what it holds
    /// is still to be sent. Nothing to do where `write` waits for that.
    fn flush(&mut self) {}

    /// The next byte; `None` when none came by the deadline. With a deadline in the past, the call
    /// only checks whether a byte is there.
    ///
    /// # Errors
    /// Bytes before this one are lost or damaged. A damaged byte is not returned.
    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault>;

    /// Changes the settings of the line. Bytes that are on their way are lost.
    ///
    /// A line that does not say otherwise is fixed at 115 200 baud, 8N1.
    ///
    /// # Errors
    /// The line cannot have these settings; returns those that it keeps.
    fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        only_default(settings)
    }
}

/// The answer of a line that is fixed at 115 200 baud, 8N1.
pub(crate) fn only_default(settings: LineSettings) -> Result<(), LineSettings> {
    let fixed = LineSettings::DEFAULT;
    if settings == fixed { Ok(()) } else { Err(fixed) }
}

/// Why not all that was sent to a line has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LineFault {
    /// Bytes came faster than they were read, and some are lost.
    Overrun = 1,
    /// A character has no stop bit, because of noise, another baud rate, or a device that has no
    /// power.
    Framing,
    /// The parity bit of a character is wrong.
    Parity,
    /// The line was low for longer than a character.
    Break,
}

impl LineFault {
    /// The fault with this number.
    pub(crate) const fn of(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Overrun),
            2 => Some(Self::Framing),
            3 => Some(Self::Parity),
            4 => Some(Self::Break),
            _ => None,
        }
    }
}

impl From<LineFault> for DeviceError {
    fn from(fault: LineFault) -> Self {
        match fault {
            LineFault::Overrun => Self::Overrun,
            LineFault::Framing => Self::Framing,
            LineFault::Parity => Self::Parity,
            LineFault::Break => Self::Break,
        }
    }
}
