//! The boards of `firmware/` with one serial port, in QEMU. The port is for the host; the device is
//! in the program or on the pins.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::board::{all_built_for, program_for};
use crate::needs::Need;
use crate::pty::open_raw;
use crate::qemu::{ARM, Qemu, RISC_V};

/// A board, as QEMU and cargo name it.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    emulator: Need,
    machine: &'static str,
    target: &'static str,
    /// Where the stack lies, if that is below all else in RAM: its address and its length.
    stack: Option<(u32, usize)>,
}

/// BBC micro:bit, version 1.
pub const MICROBIT: Kind = Kind {
    emulator: ARM,
    machine: "microbit",
    target: "thumbv6m-none-eabi",
    stack: Some((0x2000_0000, 6224)),
};

/// HiFive1 of SiFive.
pub const SIFIVE_E: Kind = Kind {
    emulator: RISC_V,
    machine: "sifive_e",
    target: "riscv32imc-unknown-none-elf",
    stack: None,
};

/// How many bytes of the stack are to be left at least, in a board whose stack is known.
const STACK_LEFT: usize = 256;

/// A learner with its device; dropping it kills QEMU.
#[derive(Debug)]
pub struct Alone {
    /// Held open: QEMU checks only once a second whether somebody has opened a closed port.
    _port: File,
    path: PathBuf,
    qemu: Qemu,
    stack: Option<(u32, usize)>,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.machine)
    }
}

impl Kind {
    /// The path of one of the board's programs.
    pub fn program(&self, name: &str) -> PathBuf {
        program_for(self.target, name)
    }

    /// Whether QEMU and a program exist; if not, prints that `test` is skipped.
    ///
    /// # Panics
    /// Something is missing and the variable `CI` is `true`.
    pub fn is_built(&self, test: &str, name: &str) -> bool {
        all_built_for(test, &[self.program(name)], self.emulator)
    }

    /// Starts a program.
    ///
    /// # Errors
    /// The system's errors, or QEMU ends.
    pub fn start(&self, name: &str) -> io::Result<Alone> {
        self.start_with(name, &[])
    }

    /// The same with more arguments for QEMU.
    ///
    /// # Errors
    /// The system's errors, or QEMU ends.
    pub fn start_with(&self, name: &str, arguments: &[&str]) -> io::Result<Alone> {
        let mut board = self.start_stopped(name, arguments)?;
        board.qemu.go_on()?;
        Ok(board)
    }

    /// The same with more arguments for QEMU, which stops before the first instruction.
    ///
    /// # Errors
    /// The system's errors, or QEMU ends.
    pub fn start_stopped(&self, name: &str, arguments: &[&str]) -> io::Result<Alone> {
        let program = self.program(name);
        let program = program.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
        let machine = ["-machine", self.machine, "-kernel", program, "-serial", "pty"];
        let mut qemu = Qemu::start_emulator(self.emulator, &[&machine, arguments].concat())?;
        let path = qemu.port()?;
        let port = open_raw(&path)?;
        Ok(Alone { _port: port, path, qemu, stack: self.stack })
    }
}

impl Alone {
    /// The path of the board's port.
    pub fn port(&self) -> &Path {
        &self.path
    }

    /// Resets the board; what is in its RAM stays.
    ///
    /// # Errors
    /// QEMU has ended.
    pub fn reset(&mut self) -> io::Result<()> {
        self.qemu.command("system_reset")
    }

    /// Checks and prints how much of the stack a program has never used. QEMU's RAM is zero at first, so what it used was
    /// written.
    ///
    /// # Panics
    /// Too little of it is left, or QEMU has ended.
    pub fn assert_stack_left(&mut self, program: &str) {
        let Some((from, len)) = self.stack else { return };
        let stack = self.memory(from, len).expect("QEMU runs");
        let left = stack.iter().position(|&byte| byte != 0).unwrap_or(len);
        println!("{program}: {left} of {len} bytes of the stack are left");
        assert!(left >= STACK_LEFT, "{program}: {left} bytes of the stack are left");
    }

    /// A part of the board's memory.
    ///
    /// # Errors
    /// QEMU has ended.
    pub fn memory(&mut self, from: u32, len: usize) -> io::Result<Vec<u8>> {
        self.qemu.memory(from, len)
    }
}
