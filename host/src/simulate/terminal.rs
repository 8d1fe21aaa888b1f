//! A model behind a real pseudo-terminal, at whose other end it is a serial port like any other.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, ioctl_tiocnxcl, tcgetattr, tcsetattr};

use super::Protocol;
use crate::machine::Machine;

/// A machine that is served behind a pseudo-terminal by a thread of its own, until it is dropped.
#[derive(Debug)]
pub struct Simulator {
    path: PathBuf,
    /// Closing it ends the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Simulator {
    /// Opens a pseudo-terminal and serves `machine` behind it.
    ///
    /// # Errors
    /// The system has no pseudo-terminal to give.
    pub fn start(machine: Machine) -> io::Result<Self> {
        let terminal = Terminal::open()?;
        let path = terminal.path().to_owned();
        let (stop, stopped) = UnixStream::pair()?;
        let serve = move || terminal.serve(&machine, &stopped);
        let thread = std::thread::Builder::new().name("simulator".to_owned()).spawn(serve)?;
        Ok(Self { path, stop: Some(stop), thread: Some(thread) })
    }

    /// The serial port that the machine is behind.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Ends it; says whether it was well until then.
    ///
    /// # Errors
    /// The pseudo-terminal failed at some time.
    pub fn stop(mut self) -> io::Result<()> {
        self.end()
    }

    fn end(&mut self) -> io::Result<()> {
        drop(self.stop.take());
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        thread.join().map_err(|_| io::Error::other("the simulator panicked"))?
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.end();
    }
}

/// A pseudo-terminal whose other end others open as a serial port, again and again.
#[derive(Debug)]
pub struct Terminal {
    master: OwnedFd,
    /// The other end, kept open so that the terminal outlives each of those who open it.
    slave: OwnedFd,
    path: PathBuf,
}

/// What is kept of a line; no input has a name as long as that.
const MAX_LINE_BYTES: usize = 1 << 16;

impl Terminal {
    /// Opens a pseudo-terminal, eight-bit clean and without echo.
    ///
    /// # Errors
    /// The system has none to give.
    pub fn open() -> io::Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(&name, flags, Mode::empty())?;
        let mut settings = tcgetattr(&slave)?;
        settings.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &settings)?;
        // Who does not read the answers must not keep the simulator from ending.
        fcntl_setfl(&master, fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
        let path = OsStr::from_bytes(name.as_bytes()).into();
        Ok(Self { master, slave, path })
    }

    /// The path of its other end.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Serves `machine` by the lines of [`Protocol`] until `stop` is readable or closed. A line may
    /// end in a line feed, a carriage return or both; answers end in a line feed.
    ///
    /// # Errors
    /// The pseudo-terminal failed.
    pub fn serve(&self, machine: &Machine, stop: impl AsFd) -> io::Result<()> {
        let mut device = Protocol::new(machine);
        let mut received = [0; 4096];
        let mut line = Vec::new();
        let mut answers = Vec::new();
        while self.wait(PollFlags::IN, &stop)? {
            // Who opened the port may have locked it, and a lock outlives him while we keep the
            // port open ourselves. It is undone as soon as he speaks: his file lock still holds.
            ioctl_tiocnxcl(&self.slave)?;
            let len = match rustix::io::read(&self.master, &mut received) {
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => continue,
                len => len?,
            };
            for &byte in &received[..len] {
                if !matches!(byte, b'\n' | b'\r') {
                    line.truncate(MAX_LINE_BYTES);
                    line.push(byte);
                    continue;
                }
                if let Some(answer) = device.answer(&String::from_utf8_lossy(&line)) {
                    answers.extend_from_slice(answer.as_bytes());
                    answers.push(b'\n');
                }
                line.clear();
            }
            let mut rest = answers.as_slice();
            while !rest.is_empty() {
                if !self.wait(PollFlags::OUT, &stop)? {
                    return Ok(());
                }
                match rustix::io::write(&self.master, rest) {
                    Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => (),
                    len => rest = &rest[len?..],
                }
            }
            answers.clear();
        }
        Ok(())
    }

    /// Waits until the terminal is ready; false if it is to stop instead.
    fn wait(&self, ready: PollFlags, stop: &impl AsFd) -> io::Result<bool> {
        let mut both = [PollFd::new(&self.master, ready), PollFd::new(stop, PollFlags::IN)];
        loop {
            match poll(&mut both, None) {
                Err(rustix::io::Errno::INTR) => (),
                ready => {
                    ready?;
                    return Ok(both[1].revents().is_empty());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, OpenOptions};
    use std::io::{BufRead, BufReader, Read, Write};
    use std::time::Duration;

    use super::*;
    use crate::machine::testing::lamp;

    fn open(simulator: &Simulator) -> File {
        OpenOptions::new().read(true).write(true).open(simulator.path()).expect("the port opens")
    }

    /// What comes as the answer to `lines`, as long as it must be.
    fn ask(port: &mut File, lines: &str, expected: &str) {
        port.write_all(lines.as_bytes()).expect("written");
        let mut answer = vec![0; expected.len()];
        port.read_exact(&mut answer).expect("read");
        assert_eq!(String::from_utf8_lossy(&answer), expected);
    }

    #[test]
    fn it_outlives_those_who_open_it() {
        let simulator = Simulator::start(lamp()).expect("a pseudo-terminal");
        for _ in 0..3 {
            let mut port = open(&simulator);
            ask(&mut port, "\nreset\n", "ready\n");
            ask(&mut port, "hold\rpress\r\nhold\n", "off\non\non\n");
        }
        ask(&mut open(&simulator), "ho", "");
        let mut port = open(&simulator);
        ask(&mut port, "\nreset\n", "error: no such input: ho\nready\n");
        ask(&mut port, "press\n", "on\n");
        ask(&mut port, "jump\nhold\n", "error: no such input: jump\non\n");
        drop(port);
        simulator.stop().expect("it was well");
    }

    #[test]
    fn it_is_a_serial_port() {
        let simulator = Simulator::start(lamp()).expect("a pseudo-terminal");
        for _ in 0..2 {
            let path = simulator.path().to_str().expect("an ASCII path");
            let port = serialport::new(path, 115_200).timeout(Duration::from_secs(5));
            let mut port = BufReader::new(port.open().expect("the port opens"));
            for (line, expected) in [("reset\n", "ready\n"), ("press\n", "on\n")] {
                port.get_mut().write_all(line.as_bytes()).expect("written");
                let mut answer = String::new();
                port.read_line(&mut answer).expect("read");
                assert_eq!(answer, expected);
            }
        }
    }

    #[test]
    fn it_stops_even_when_nobody_reads() {
        let simulator = Simulator::start(lamp()).expect("a pseudo-terminal");
        let port = open(&simulator);
        fcntl_setfl(&port, OFlags::RDWR | OFlags::NONBLOCK).expect("a flag");
        let long = "no such input\n".repeat(10_000);
        let mut written = 0;
        // As much as goes in while nothing is taken out.
        for _ in 0..50 {
            written += (&port).write(&long.as_bytes()[written % 14..]).unwrap_or(0);
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(written > 1000, "{written}");
        simulator.stop().expect("it was well");
    }

    #[test]
    fn too_long_lines_are_errors_and_take_no_memory() {
        let simulator = Simulator::start(lamp()).expect("a pseudo-terminal");
        let mut port = open(&simulator);
        let line = "x".repeat(MAX_LINE_BYTES * 3);
        port.write_all(line.as_bytes()).expect("written");
        port.write_all(b"\n").expect("written");
        let mut answers = BufReader::new(port.try_clone().expect("another handle"));
        let mut answer = String::new();
        answers.read_line(&mut answer).expect("read");
        assert!(answer.starts_with("error: no such input: xxx"), "{}", answer.len());
        port.write_all(b"hold\n").expect("written");
        answer.clear();
        answers.read_line(&mut answer).expect("read");
        assert_eq!(answer, "off\n");
    }
}
