//! The U-Boot console in QEMU, its serial port on a pseudo-terminal.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::line::read_until;
use crate::needs::Need;
use crate::pty::open_raw;
use crate::qemu::Qemu;

const IMAGE: &str = "/usr/lib/u-boot/qemu_arm/u-boot.bin";

/// What [`UBoot`] needs.
pub const NEEDS: &[Need] = &[
    Need { what: "qemu-system-arm", package: "qemu-system-arm" },
    Need { what: IMAGE, package: "u-boot-qemu" },
];

/// U-Boot at its prompt; dropping it kills QEMU.
#[derive(Debug)]
pub struct UBoot {
    /// Held open: QEMU checks only once a second whether somebody has opened a closed port.
    _console: File,
    port: PathBuf,
    _qemu: Qemu,
}

impl UBoot {
    /// Starts QEMU and waits for the prompt.
    ///
    /// # Errors
    /// The system's errors, QEMU ends, or the prompt does not come.
    pub fn start() -> io::Result<Self> {
        let mut qemu = Qemu::start(&["-machine", "virt", "-bios", IMAGE, "-serial", "pty"])?;
        let port = qemu.port()?;
        // Bytes sent before somebody has opened the port are lost.
        let mut console = open_raw(&port)?;
        qemu.go_on()?;
        // This byte waits in the line until it stops the countdown.
        console.write_all(b"\x03")?;
        read_until(&console, &["=> "], Duration::from_secs(60))?;
        Ok(Self { _console: console, port, _qemu: qemu })
    }

    /// The path of the port.
    pub fn port(&self) -> &Path {
        &self.port
    }
}
