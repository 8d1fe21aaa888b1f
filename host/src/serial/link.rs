//! What is needed of a line to a device.

use std::fmt;
use std::io;
use std::time::Duration;

use super::error::OpenError;
use crate::device::Line;

/// A line to a device, with the clock that replies on it are timed by.
///
/// Errors of kind [`BrokenPipe`](io::ErrorKind::BrokenPipe) mean that the device is gone, errors of
/// kind [`Unsupported`](io::ErrorKind::Unsupported) that the line cannot do this at all.
pub trait Link {
    /// The time now, from some moment in the past.
    fn now(&self) -> Duration;

    /// Reads what there is, waiting for it until the clock says `until`; 0 when nothing came.
    ///
    /// A time that has passed still reads what came meanwhile.
    ///
    /// # Errors
    /// The line failed.
    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize>;

    /// Sends all of `bytes`, and waits until they are on their way.
    ///
    /// # Errors
    /// The line failed, or did not take them.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Gives a line a level.
    ///
    /// # Errors
    /// The line failed, or there is none ([`Unsupported`](io::ErrorKind::Unsupported)).
    fn set(&mut self, line: Line, level: bool) -> io::Result<()>;

    /// Throws away what has come but was not read, and what was not sent yet.
    ///
    /// # Errors
    /// The line failed.
    fn clear(&mut self) -> io::Result<()>;

    /// Opens the line again, after the device was gone. The clock goes on.
    ///
    /// # Errors
    /// The device is not back.
    fn reopen(&mut self) -> Result<(), OpenError>;

    /// Appends to `bytes` all that comes until the clock says `until`.
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
            // A device that never stops must not hold us here.
            if self.now() > until {
                return Ok(());
            }
        }
    }
}

impl fmt::Debug for dyn Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Link")
    }
}

/// A line that is chosen at run time.
impl Link for Box<dyn Link> {
    fn now(&self) -> Duration {
        (**self).now()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        (**self).read(buffer, until)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        (**self).write(bytes)
    }

    fn set(&mut self, line: Line, level: bool) -> io::Result<()> {
        (**self).set(line, level)
    }

    fn clear(&mut self) -> io::Result<()> {
        (**self).clear()
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        (**self).reopen()
    }
}
