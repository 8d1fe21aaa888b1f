//! What the host needs from a line to a device.

use std::fmt;
use std::io;
use std::time::Duration;

use super::error::OpenError;
use crate::device::ControlLine;

/// A line to a device, with the clock that measures replies.
///
/// An error of kind [`BrokenPipe`](io::ErrorKind::BrokenPipe) means that the device is gone. An
/// error of kind [`Unsupported`](io::ErrorKind::Unsupported) means that the line has no such
/// feature.
pub trait TimedLink {
    /// The current time, counted from some moment in the past.
    fn now(&self) -> Duration;

    /// Waits for bytes until the clock says `until`, and reads those that there are; 0 if none
    /// came.
    ///
    /// If `until` has passed, it reads what has already arrived.
    ///
    /// # Errors
    /// The line failed.
    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize>;

    /// Sends all of `bytes`, and waits until they are on their way.
    ///
    /// # Errors
    /// The line failed, or did not accept the bytes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Sets a control line to a level.
    ///
    /// # Errors
    /// The line failed, or there is no such control line
    /// ([`Unsupported`](io::ErrorKind::Unsupported)).
    fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()>;

    /// Discards bytes that have arrived but were not read, and bytes that were not sent yet.
    ///
    /// # Errors
    /// The line failed.
    fn clear(&mut self) -> io::Result<()>;

    /// Discards bytes that have arrived but were not read.
    ///
    /// # Errors
    /// The line failed.
    fn clear_received(&mut self) -> io::Result<()>;

    /// Opens the line again after the device was gone. The clock goes on.
    ///
    /// # Errors
    /// The device is not back.
    fn reopen(&mut self) -> Result<(), OpenError>;

    /// Whether the line has a baud rate and a format, which can be wrong.
    fn has_baud(&self) -> bool {
        true
    }

    /// The place of a labgrid coordinator that it leads to.
    fn place(&self) -> Option<&str> {
        None
    }

    /// Notes that a reply goes on with these bytes, which were read before; for a [trace](super::Traced).
    fn note_resumed(&mut self, _bytes: &[u8]) {}

    /// Appends to `bytes` everything that comes until the clock says `until`.
    ///
    /// # Errors
    /// The line failed.
    fn collect(&mut self, until: Duration, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut buffer = [0; 512];
        loop {
            match self.read(&mut buffer, until)? {
                0 => return Ok(()),
                count => bytes.extend_from_slice(&buffer[..count]),
            }
            // Without this check, a device that never stops sending would keep us here.
            if self.now() > until {
                return Ok(());
            }
        }
    }
}

impl fmt::Debug for dyn TimedLink + Send {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Link")
    }
}

/// For a line that is chosen at run time.
impl TimedLink for Box<dyn TimedLink + Send> {
    fn now(&self) -> Duration {
        (**self).now()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        (**self).read(buffer, until)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        (**self).write(bytes)
    }

    fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()> {
        (**self).set(line, level)
    }

    fn clear(&mut self) -> io::Result<()> {
        (**self).clear()
    }

    fn clear_received(&mut self) -> io::Result<()> {
        (**self).clear_received()
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        (**self).reopen()
    }

    fn has_baud(&self) -> bool {
        (**self).has_baud()
    }

    fn place(&self) -> Option<&str> {
        (**self).place()
    }

    fn note_resumed(&mut self, bytes: &[u8]) {
        (**self).note_resumed(bytes);
    }
}
