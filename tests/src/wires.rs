//! The pins of the micro:bit in QEMU, driven by a test.
//!
//! QEMU stops at every instruction that may change an output, and continues when the inputs have
//! the resulting levels. The board's time stands still meanwhile, so the result does not depend on
//! who is faster.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The registers that set and clear outputs, next to each other, and the register that holds them.
const OUT_SET_AND_CLEAR: u32 = 0x5000_0508;
const OUT: u32 = 0x5000_0504;

/// The sockets on which QEMU listens, in a folder of the test.
#[derive(Clone, Debug)]
pub struct Sockets {
    debugger: PathBuf,
    wires: PathBuf,
}

impl Sockets {
    /// Sockets in this folder.
    pub fn new(folder: &Path) -> Self {
        Self { debugger: folder.join("debugger"), wires: folder.join("wires") }
    }

    /// The arguments for QEMU.
    pub fn arguments(&self) -> [String; 8] {
        let listen = |socket: &Path| format!("unix:{},server=on,wait=off", socket.display());
        let (debugger, wires) = (listen(&self.debugger), listen(&self.wires));
        ["-gdb", &debugger, "-qtest", &wires, "-qtest-log", "/dev/null", "-accel", "tcg"]
            .map(str::to_owned)
    }

    /// Connects to a QEMU that has started and is stopped before the first instruction.
    ///
    /// # Errors
    /// QEMU does not listen.
    pub fn connect(&self) -> io::Result<Wires> {
        let (debugger, wires) = (connect(&self.debugger)?, connect(&self.wires)?);
        Ok(Wires { debugger, wires: BufReader::new(wires) })
    }
}

/// The pins of a board that is stopped.
#[derive(Debug)]
pub struct Wires {
    /// Speaks gdb's remote protocol.
    debugger: UnixStream,
    /// Speaks the protocol of QEMU's own tests.
    wires: BufReader<UnixStream>,
}

impl Wires {
    /// Lets the board run until QEMU ends. After each write to the outputs `device` gets their
    /// levels, one bit each, and returns pins and their new levels.
    ///
    /// # Errors
    /// QEMU ended, or does not understand.
    pub fn run<const N: usize>(
        mut self,
        mut device: impl FnMut(u32) -> [(u32, bool); N],
    ) -> io::Result<()> {
        let watch = format!("2,{OUT_SET_AND_CLEAR:x},8");
        loop {
            // QEMU stops before the instruction that writes; step over it without the watchpoint.
            self.debug(&format!("Z{watch}"))?;
            self.debug("c")?;
            self.debug(&format!("z{watch}"))?;
            self.debug("s")?;
            let levels = self.ask(&format!("readl {OUT:#x}"))?;
            let levels = levels.strip_prefix("0x").map(|hex| u32::from_str_radix(hex, 16));
            let Some(Ok(levels)) = levels else { return Err(io::ErrorKind::InvalidData.into()) };
            for (pin, level) in device(levels) {
                let level = u32::from(level);
                self.ask(&format!("set_irq_in /machine/nrf51 unnamed-gpio-in {pin} {level}"))?;
            }
        }
    }

    /// Sends a request to gdb's stub. The answer to "go on" comes when the board has stopped.
    fn debug(&mut self, request: &str) -> io::Result<()> {
        let sum = request.bytes().fold(0, u8::wrapping_add);
        write!(self.debugger, "${request}#{sum:02x}")?;
        // `$ANSWER#SUM`, perhaps after a `+`.
        let mut answer = Vec::new();
        let mut byte = [0];
        while !answer.ends_with(b"#") {
            self.debugger.read_exact(&mut byte)?;
            answer.push(byte[0]);
        }
        self.debugger.read_exact(&mut [0; 2])?;
        self.debugger.write_all(b"+")
    }

    /// Sends a request about the board's hardware.
    fn ask(&mut self, request: &str) -> io::Result<String> {
        writeln!(self.wires.get_mut(), "{request}")?;
        let mut answer = String::new();
        self.wires.read_line(&mut answer)?;
        let answer = answer.trim_end().strip_prefix("OK").map(|rest| rest.trim_start().to_owned());
        answer.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// Connects to a socket that will exist soon.
fn connect(socket: &Path) -> io::Result<UnixStream> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        match UnixStream::connect(socket) {
            Err(_) if Instant::now() < until => thread::sleep(Duration::from_millis(10)),
            other => return other,
        }
    }
}
