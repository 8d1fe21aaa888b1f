//! The boards of `firmware/` in QEMU, with the programs that `tests/run firmware` built.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cable::connect;
use crate::line::read_until;
use crate::needs::{Need, all_there};
use crate::pty::open_raw;
use crate::qemu::{ARM, Qemu};

/// A device as firmware, after its banner, with its serial port on a pseudo-terminal; dropping it
/// kills QEMU.
#[derive(Debug)]
pub struct EmulatedBoard {
    /// Held open: QEMU checks only once a second whether somebody has opened a closed port.
    _console: File,
    port: PathBuf,
    _qemu: Qemu,
}

/// The learner built with the feature `defmt`, so that it logs; it has its own target folder.
pub const LOGGING_LEARNER: &str = "../../defmt/thumbv7m-none-eabi/release/learner";

/// The path of a program for the board lm3s6965evb.
pub fn program(name: &str) -> PathBuf {
    program_for("thumbv7m-none-eabi", name)
}

/// The path of a program for a target.
pub fn program_for(target: &str, name: &str) -> PathBuf {
    let firmware = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("firmware");
    firmware.join("target").join(target).join("release").join(name)
}

/// Whether QEMU and these programs for lm3s6965evb exist; if not, prints that `test` is skipped.
///
/// # Panics
/// Something is missing and the variable `CI` is `true`.
pub fn all_built(test: &str, programs: &[&str]) -> bool {
    let programs: Vec<_> = programs.iter().map(|name| program(name)).collect();
    all_built_for(test, &programs, ARM)
}

/// The same for programs of any board and the QEMU that runs them.
///
/// # Panics
/// Something is missing and the variable `CI` is `true`.
pub fn all_built_for(test: &str, programs: &[PathBuf], emulator: Need) -> bool {
    let missing = programs.iter().find(|program| !program.is_file());
    if let Some(program) = missing {
        let program = program.display();
        let message =
            format!("{test} skipped: there is no {program} (tests/run firmware builds it)");
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{message}");
        // Not `eprintln`: cargo hides its output when a test passes.
        writeln!(io::stderr(), "{message}").expect("standard error is open");
    }
    missing.is_none() && all_there(test, &[emulator])
}

impl EmulatedBoard {
    /// Starts the device of this name and waits for its prompt.
    ///
    /// # Errors
    /// The system's errors, QEMU ends, or the prompt does not come.
    pub fn start(name: &str) -> io::Result<Self> {
        let program = program(name);
        let program = program.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
        let mut qemu =
            Qemu::start(&["-machine", "lm3s6965evb", "-kernel", program, "-serial", "pty"])?;
        let port = qemu.port()?;
        let console = open_raw(&port)?;
        qemu.go_on()?;
        read_until(&console, &["> "], Duration::from_secs(60))?;
        Ok(Self { _console: console, port, _qemu: qemu })
    }

    /// The path of the device's port.
    pub fn port(&self) -> &Path {
        &self.port
    }
}

/// The learner on a board of its own, with both its serial ports on pseudo-terminals; dropping it
/// kills QEMU.
#[derive(Debug)]
pub struct LearnerBoard {
    /// Held open, like the port of a [`EmulatedBoard`].
    _ports: [File; 2],
    host_port: PathBuf,
    device_port: PathBuf,
    qemu: Qemu,
}

impl LearnerBoard {
    /// Starts a program that talks to a host: a learner or the agent.
    ///
    /// # Errors
    /// The system's errors, or QEMU ends.
    pub fn start(name: &str) -> io::Result<Self> {
        Self::start_with(name, &[])
    }

    /// The same with more arguments for QEMU.
    fn start_with(name: &str, more: &[&str]) -> io::Result<Self> {
        let program = program(name);
        let program = program.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
        let ports = ["-serial", "pty", "-serial", "pty"];
        let machine = ["-machine", "lm3s6965evb", "-kernel", program];
        let mut qemu = Qemu::start(&[&machine[..], &ports, more].concat())?;
        let (host_port, device_port) = (qemu.port()?, qemu.port()?);
        let ports = [open_raw(&host_port)?, open_raw(&device_port)?];
        qemu.go_on()?;
        Ok(Self { _ports: ports, host_port, device_port, qemu })
    }

    /// The same, connected to the device at this port.
    ///
    /// # Errors
    /// The system's errors, or QEMU ends.
    pub fn start_at(device: &Path, name: &str) -> io::Result<Self> {
        let learner = Self::start(name)?;
        connect(learner.device_port(), device)?;
        Ok(learner)
    }

    /// As [`Self::start`], at about the speed of the real chip: each instruction takes 64 ns of the board's time, however slow
    /// QEMU is.
    ///
    /// # Errors
    /// The system's errors, or QEMU ends.
    pub fn start_slow(name: &str) -> io::Result<Self> {
        Self::start_with(name, &["-icount", "shift=6"])
    }

    /// The path of the port for the host.
    pub fn host_port(&self) -> &Path {
        &self.host_port
    }

    /// The path of the port for the device.
    pub fn device_port(&self) -> &Path {
        &self.device_port
    }

    /// Resets the board. What its memory holds stays there.
    ///
    /// # Errors
    /// QEMU has ended.
    pub fn reset(&mut self) -> io::Result<()> {
        self.qemu.command("system_reset")
    }

    /// A part of the board's memory.
    ///
    /// # Errors
    /// QEMU has ended.
    pub fn memory(&mut self, from: u32, len: usize) -> io::Result<Vec<u8>> {
        self.qemu.memory(from, len)
    }
}
