//! QEMU and its monitor.

use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The emulator with its monitor; dropping it kills the process.
#[derive(Debug)]
pub struct Qemu {
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Qemu {
    /// Starts it with these arguments, stopped before its first instruction.
    ///
    /// # Errors
    /// What the system says.
    pub fn start(arguments: &[&str]) -> io::Result<Self> {
        let mut process = Command::new("qemu-system-arm")
            .args(["-nodefaults", "-display", "none", "-S", "-monitor", "stdio"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let commands = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        Ok(Self { process, commands, answers })
    }

    /// The pseudo-terminal of its serial port, as QEMU announces it.
    ///
    /// # Errors
    /// QEMU ended before that.
    pub fn port(&mut self) -> io::Result<PathBuf> {
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

    /// Lets the guest run. What it says to a port before somebody has opened that is lost.
    ///
    /// # Errors
    /// QEMU has ended.
    pub fn go_on(&mut self) -> io::Result<()> {
        self.command("cont")
    }

    /// Gives the monitor a command. When it is done is not told.
    ///
    /// # Errors
    /// QEMU has ended.
    pub fn command(&mut self, command: &str) -> io::Result<()> {
        self.commands.write_all(format!("{command}\n").as_bytes())
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        // It fails when QEMU has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
