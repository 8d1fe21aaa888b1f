//! The U-Boot console in QEMU, its serial port on a pseudo-terminal.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::line::read_until;
use crate::needs::Need;
use crate::pty::open_raw;

const IMAGE: &str = "/usr/lib/u-boot/qemu_arm/u-boot.bin";

/// What [`UBoot`] needs.
pub const NEEDS: &[Need] = &[
    Need { what: "qemu-system-arm", package: "qemu-system-arm" },
    Need { what: IMAGE, package: "u-boot-qemu" },
];

/// U-Boot at its prompt; dropping it kills QEMU.
#[derive(Debug)]
pub struct UBoot {
    /// Held open, as QEMU looks only once a second whether somebody has opened a closed port.
    _console: File,
    port: PathBuf,
    _qemu: Qemu,
}

impl UBoot {
    /// Starts QEMU and waits for the prompt.
    ///
    /// # Errors
    /// What the system says, or QEMU ends, or the prompt does not come.
    pub fn start() -> io::Result<Self> {
        let mut qemu = Qemu::start()?;
        let port = qemu.port()?;
        // What is said before somebody has opened the port is lost.
        let mut console = open_raw(&port)?;
        qemu.go_on()?;
        // It waits in the line until it stops the countdown.
        console.write_all(b"\x03")?;
        read_until(&console, &["=> "], Duration::from_secs(60))?;
        Ok(Self { _console: console, port, _qemu: qemu })
    }

    /// The path of the port.
    pub fn port(&self) -> &Path {
        &self.port
    }
}

/// The emulator with its monitor; dropping it kills the process.
#[derive(Debug)]
struct Qemu {
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Qemu {
    /// Starts it, stopped before its first instruction.
    fn start() -> io::Result<Self> {
        let mut process = Command::new("qemu-system-arm")
            .args(["-machine", "virt", "-nodefaults", "-display", "none", "-bios", IMAGE])
            .args(["-serial", "pty", "-S", "-monitor", "stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let commands = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        Ok(Self { process, commands, answers })
    }

    /// The pseudo-terminal of its serial port, as QEMU announces it.
    fn port(&mut self) -> io::Result<PathBuf> {
        let mut line = String::new();
        while self.answers.read_line(&mut line)? > 0 {
            if let Some((_, rest)) = line.split_once("char device redirected to ")
                && let Some((port, _)) = rest.split_once(" (label")
            {
                return Ok(port.into());
            }
            line.clear();
        }
        Err(io::Error::other("qemu-system-arm ended before it named its serial port"))
    }

    fn go_on(&mut self) -> io::Result<()> {
        self.commands.write_all(b"cont\n")
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        // It fails when QEMU has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
