//! Small devices of common kinds, written like their firmware: a parser, a few variables, timers.
//!
//! Each is a [`StandIn`] and has a folder in `tests/devices/` with its device file and its golden
//! model, which was written by hand from the code here. [`Served`] puts a device behind a
//! pseudo-terminal.

pub mod at_modem;
pub mod boot_console;
pub mod grbl;
pub mod login;
pub mod modbus;
pub mod modelled;
pub mod noisy_line;
pub mod scpi;
pub mod stk500;
pub mod xmodem;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, mkfifoat};
use tempfile::TempDir;

use crate::line::wait;
use crate::pty::Pty;

/// The variable through which the reset command of a device file finds [`Served::folder`].
pub const FOLDER_VARIABLE: &str = "STAND_IN";

/// A device on a serial line.
pub trait StandIn: Send + 'static {
    /// Switches the device on, or off and on again.
    fn power_on(&mut self, line: &mut Line);

    /// Takes a byte.
    fn receive(&mut self, byte: u8, line: &mut Line);

    /// Called at the time that [`Line::alarm_in`] set.
    fn alarm(&mut self, line: &mut Line) {
        let _ = line;
    }
}

/// The device's end of the line, with a timer.
#[derive(Debug)]
pub struct Line {
    now: Instant,
    /// The pending bytes, and when to send them.
    said: Vec<(Instant, Vec<u8>)>,
    alarm: Option<Instant>,
}

impl Line {
    fn new() -> Self {
        Self { now: Instant::now(), said: Vec::new(), alarm: None }
    }

    /// Sends bytes now.
    pub fn say(&mut self, bytes: impl AsRef<[u8]>) {
        self.say_in(Duration::ZERO, bytes);
    }

    /// Sends bytes after a while; the device takes bytes meanwhile.
    pub fn say_in(&mut self, time: Duration, bytes: impl AsRef<[u8]>) {
        self.said.push((self.now + time, bytes.as_ref().to_vec()));
    }

    /// Sets the only timer; it goes off once.
    pub fn alarm_in(&mut self, time: Duration) {
        self.alarm = Some(self.now + time);
    }

    /// The current time.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// When something is due next.
    fn next(&self) -> Option<Instant> {
        self.said.iter().map(|(at, _)| *at).chain(self.alarm).min()
    }

    /// Takes the bytes that are due, in order.
    fn due(&mut self) -> Vec<u8> {
        let (due, later) = self.said.drain(..).partition(|(at, _)| *at <= self.now);
        self.said = later;
        let due: Vec<(Instant, Vec<u8>)> = due;
        due.into_iter().flat_map(|(_, bytes)| bytes).collect()
    }
}

/// A device behind a pseudo-terminal, until it is dropped.
#[derive(Debug)]
pub struct Served {
    folder: TempDir,
    port: PathBuf,
    /// Closing it stops the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Served {
    /// Switches the device on.
    ///
    /// # Errors
    /// The system's errors.
    pub fn start(device: impl StandIn) -> io::Result<Self> {
        let pty = Pty::open()?;
        let port = pty.path().to_owned();
        let folder = TempDir::new()?;
        let (stop, stopped) = UnixStream::pair()?;
        let [resets, started] = [fifo(&folder, "reset")?, fifo(&folder, "started")?];
        let thread = std::thread::spawn(move || serve(device, &pty, &stopped, resets, started));
        Ok(Self { folder, port, stop: Some(stop), thread: Some(thread) })
    }

    /// The path of the port.
    pub fn port(&self) -> &Path {
        &self.port
    }

    /// The folder with two FIFOs. A line into `reset` switches the device off and on again; then a
    /// line comes from `started`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(Ok(Err(error))) = self.thread.take().map(JoinHandle::join) {
            eprintln!("the device had ended: {error}");
        }
    }
}

/// A FIFO with both ends open, so that opening does not block and reading does not end.
fn fifo(folder: &TempDir, name: &str) -> io::Result<File> {
    let path = folder.path().join(name);
    mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR)?;
    OpenOptions::new().read(true).write(true).open(path)
}

fn serve(
    mut device: impl StandIn,
    pty: &Pty,
    stopped: &UnixStream,
    mut resets: File,
    mut started: File,
) -> io::Result<()> {
    let mut line = Line::new();
    device.power_on(&mut line);
    let mut bytes = [0; 1024];
    loop {
        let said = line.due();
        if !said.is_empty() {
            pty.device().write_all(&said)?;
        }
        let [stop, reset, sent] = wait([stopped, &resets, pty.device()], line.next())?;
        line.now = Instant::now();
        if stop {
            return Ok(());
        }
        if line.alarm.is_some_and(|alarm| alarm <= line.now) {
            line.alarm = None;
            device.alarm(&mut line);
        }
        if reset {
            resets.read_exact(&mut bytes[..1])?;
            pty.flush()?;
            line = Line::new();
            device.power_on(&mut line);
            started.write_all(b"\n")?;
        } else if sent {
            let count = pty.device().read(&mut bytes)?;
            for byte in &bytes[..count] {
                device.receive(*byte, &mut line);
            }
        }
    }
}
