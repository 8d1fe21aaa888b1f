//! The XMODEM receiver behind a serial port: bytes pass between a pseudo-terminal and an [`Rx`],
//! and each reset starts a new one.
//!
//! A reset does not use the line. It is a shell command, as for a device whose power a program
//! switches: the command writes a line into the FIFO `reset` in the folder [`RxBridge::folder`],
//! then reads a line from the FIFO `started`. In between the bridge kills the old `rx`, drops the
//! rest of its output, and starts a new one. The new one sends [`READY`](crate::rx::READY), as `rx`
//! always does. When `rx` exits by itself, the port stays and is silent.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use rustix::fs::{CWD, Mode, mkfifoat};
use tempfile::TempDir;

use crate::line::wait;
use crate::pty::Pty;
use crate::rx::Rx;

/// The variable through which the device file's reset command finds [`RxBridge::folder`].
pub const FOLDER_VARIABLE: &str = "RX_BRIDGE";

/// A running bridge; dropping it closes the port and ends the `rx` behind it.
#[derive(Debug)]
pub struct RxBridge {
    folder: TempDir,
    port: PathBuf,
    /// Closing it stops the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl RxBridge {
    /// Opens the port. No `rx` runs before the first reset.
    ///
    /// # Errors
    /// The system's errors.
    pub fn open() -> io::Result<Self> {
        let folder = TempDir::new()?;
        let pty = Pty::open()?;
        let port = pty.path().to_owned();
        let (stop, stopped) = UnixStream::pair()?;
        let bridge = Bridge {
            received: TempDir::new()?,
            resets: fifo(&folder.path().join("reset"))?,
            started: fifo(&folder.path().join("started"))?,
            pty,
            stopped,
        };
        let thread = std::thread::spawn(move || bridge.serve());
        Ok(Self { folder, port, stop: Some(stop), thread: Some(thread) })
    }

    /// The path of the port.
    pub fn port(&self) -> &Path {
        &self.port
    }

    /// The folder with the FIFOs; pass it on in [`FOLDER_VARIABLE`].
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for RxBridge {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(Ok(Err(error))) = self.thread.take().map(JoinHandle::join) {
            eprintln!("the bridge to rx had ended: {error}");
        }
    }
}

/// A FIFO with both ends open, so that opening does not block and reading does not end.
fn fifo(path: &Path) -> io::Result<File> {
    mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR)?;
    OpenOptions::new().read(true).write(true).open(path)
}

/// The state of the thread.
struct Bridge {
    /// The folder into which `rx` writes its files.
    received: TempDir,
    resets: File,
    started: File,
    pty: Pty,
    stopped: UnixStream,
}

impl Bridge {
    fn serve(mut self) -> io::Result<()> {
        let mut rx: Option<Rx> = None;
        let mut bytes = [0; 1024];
        loop {
            // Without an `rx` there is no line to wait for, so another one stands in.
            let line = rx.as_ref().map_or(&self.stopped, Rx::line);
            let [stopped, reset, sent, said] =
                wait([&self.stopped, &self.resets, self.pty.device(), line], None)?;
            if stopped {
                return Ok(());
            }
            if reset {
                self.resets.read_exact(&mut bytes[..1])?;
                drop(rx.take());
                self.pty.flush()?;
                rx = Some(Rx::start(self.received.path())?);
                self.started.write_all(b"\n")?;
                // Everything that was ready before has been dropped.
                continue;
            }
            if said && let Some(running) = &rx {
                match running.line().read(&mut bytes) {
                    Ok(count @ 1..) => self.pty.device().write_all(&bytes[..count])?,
                    _ => rx = None,
                }
            }
            if sent {
                let count = self.pty.device().read(&mut bytes)?;
                if let Some(rx) = &rx {
                    // This fails when `rx` exits just now: then nobody takes the bytes.
                    let _ = rx.line().write_all(&bytes[..count]);
                }
            }
        }
    }
}
