//! `rx`, the XMODEM receiver of lrzsz; each reset starts a new process.
//!
//! It runs on a socket pair, not on a terminal: when it exits on a terminal of its own, it discards
//! what it has just written.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mealybug_core::{Input, Sul};
use tempfile::TempDir;

use crate::line::{read_until, read_until_quiet};
use crate::needs::Need;

/// What [`Rx`] needs.
pub const NEEDS: &[Need] = &[Need { what: "rx", package: "lrzsz" }];

/// What `rx` sends when it is ready: NAK, the request for blocks with a checksum.
pub const READY: &str = "\x15";

/// A good block 1: its number, its complement, 128 bytes, their sum.
pub const BLOCK: &[u8] = include_bytes!("../devices/rx/block1.bin");
/// Two in a row stop `rx`.
pub const CAN: &[u8] = b"\x18";
/// The end of the file.
pub const EOT: &[u8] = b"\x04";
/// A byte that begins nothing.
pub const JUNK: &[u8] = b"?";

/// A running `rx`; dropping it kills the process.
#[derive(Debug)]
pub struct Rx {
    child: Child,
    line: UnixStream,
}

impl Rx {
    /// Starts an `rx` that writes the files it receives into `folder`.
    ///
    /// # Errors
    /// The system's errors.
    pub fn start(folder: &Path) -> io::Result<Self> {
        let (line, theirs) = UnixStream::pair()?;
        let theirs = OwnedFd::from(theirs);
        let child = Command::new("rx")
            .arg("received")
            .current_dir(folder)
            .stdin(theirs.try_clone()?)
            .stdout(theirs)
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { child, line })
    }

    /// The line to `rx`. It ends when `rx` exits.
    pub fn line(&self) -> &UnixStream {
        &self.line
    }
}

impl Drop for Rx {
    fn drop(&mut self) {
        // This fails when `rx` has exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `rx` without a serial port, so that several can be asked at once.
#[derive(Debug)]
pub struct RxSul<'a> {
    inputs: &'a [&'a [u8]],
    folder: TempDir,
    rx: Option<Rx>,
    output: String,
}

impl<'a> RxSul<'a> {
    /// `rx` answers junk and EOT after a purge of one second,
    const PURGE: Duration = Duration::from_millis(1600);
    /// and all else at once or not at all.
    const AT_ONCE: Duration = Duration::from_millis(400);
    /// `rx` writes an answer at once, within a millisecond.
    const QUIET: Duration = Duration::from_millis(150);

    /// A device that takes `inputs`, the bytes of each input in the order of their numbers.
    ///
    /// # Errors
    /// The system's errors.
    pub fn new(inputs: &'a [&'a [u8]]) -> io::Result<Self> {
        Ok(Self { inputs, folder: TempDir::new()?, rx: None, output: String::new() })
    }
}

impl Sul for RxSul<'_> {
    type Error = io::Error;

    fn reset(&mut self) -> io::Result<()> {
        self.rx = None;
        let rx = Rx::start(self.folder.path())?;
        read_until(rx.line(), &[READY], Duration::from_secs(10))?;
        self.rx = Some(rx);
        Ok(())
    }

    /// The output is the name of what `rx` wrote; see [`name`].
    fn step(&mut self, input: Input) -> io::Result<&[u8]> {
        let Some(rx) = &self.rx else {
            // `rx` has exited, so nobody answers.
            SILENCE.clone_into(&mut self.output);
            return Ok(self.output.as_bytes());
        };
        let input = self.inputs[input.index() as usize];
        rx.line().write_all(input)?;
        let patience = if [BLOCK, CAN].contains(&input) { Self::AT_ONCE } else { Self::PURGE };
        let (said, open) = read_until_quiet(rx.line(), patience, Self::QUIET)?;
        if !open {
            self.rx = None;
        }
        self.output = name(&said);
        Ok(self.output.as_bytes())
    }
}

/// The output when nothing comes.
pub const SILENCE: &str = "silence";

/// What `rx` writes, several times in a row, to stop the sender: ten CAN, ten backspaces.
const STOP: &str =
    "\x18\x18\x18\x18\x18\x18\x18\x18\x18\x18\x08\x08\x08\x08\x08\x08\x08\x08\x08\x08";

/// The names of the answers of `rx` in its golden models and its device file.
pub fn name(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said).replace(STOP, "S");
    let name = match said.as_str() {
        "" => SILENCE,
        "\x06" => "ACK",
        "\x15" => "NAK",
        "SSS" => "cancelled",
        "SSSS" => "gives up",
        "\x15SSSS" => "NAK, gives up",
        _ => return said.escape_default().to_string(),
    };
    name.to_owned()
}
