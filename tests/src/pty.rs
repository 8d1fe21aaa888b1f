//! A pseudo-terminal: a serial port without hardware.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use mealybug::simulate::Terminal;
use rustix::fs::OFlags;
use rustix::termios::{OptionalActions, QueueSelector, tcflush, tcgetattr, tcsetattr};

/// A raw pseudo-terminal, seen from the device's end.
///
/// It holds the port end open too. So the device's end stays usable, and the settings stay, while
/// nobody else has the port open.
#[derive(Debug)]
pub struct Pty {
    device: File,
    port: File,
    path: PathBuf,
}

impl Pty {
    /// Opens a new pseudo-terminal.
    ///
    /// # Errors
    /// The system's errors.
    pub fn open() -> io::Result<Self> {
        let terminal = Terminal::open()?;
        let path = terminal.path().to_owned();
        let (device, port) = terminal.into_ends();
        Ok(Self { device: device.into(), port: port.into(), path })
    }

    /// The path of the port.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The device's end. Reading returns what is sent to the port; writing sends to the reader of
    /// the port.
    pub fn device(&self) -> &File {
        &self.device
    }

    /// Drops the bytes on their way in both directions.
    ///
    /// # Errors
    /// The system's errors.
    pub fn flush(&self) -> io::Result<()> {
        tcflush(&self.device, QueueSelector::IOFlush)?;
        tcflush(&self.port, QueueSelector::IOFlush)?;
        Ok(())
    }
}

/// Opens the port end of a pseudo-terminal and makes it raw, so that bytes pass unchanged.
///
/// # Errors
/// The system's errors.
pub fn open_raw(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOCTTY.bits().cast_signed();
    let port = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
    let mut settings = tcgetattr(&port)?;
    settings.make_raw();
    tcsetattr(&port, OptionalActions::Now, &settings)?;
    Ok(port)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::line::wait;

    #[test]
    fn flush_forgets_both_directions() {
        let pty = Pty::open().unwrap();
        let mut port = open_raw(pty.path()).unwrap();
        pty.device().write_all(b"stale").unwrap();
        port.write_all(b"stale").unwrap();
        pty.flush().unwrap();
        let soon = Some(Instant::now() + Duration::from_millis(20));
        assert_eq!(wait([&port, pty.device()], soon).unwrap(), [false, false]);

        pty.device().write_all(b"\r\x04fresh").unwrap();
        let mut bytes = [0; 7];
        port.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"\r\x04fresh");
    }
}
