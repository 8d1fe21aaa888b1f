//! QEMU and its monitor.

use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use tempfile::TempDir;

use crate::needs::Need;

/// The emulator for ARM.
pub const ARM: Need = Need { what: "qemu-system-arm", package: "qemu-system-arm" };

/// The emulator for RISC-V.
pub const RISC_V: Need = Need { what: "qemu-system-riscv32", package: "qemu-system-misc" };

/// The emulator with its monitor; dropping it kills the process.
#[derive(Debug)]
pub struct Qemu {
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Qemu {
    /// Starts the ARM emulator with these arguments, stopped before its first instruction.
    ///
    /// # Errors
    /// The system's errors.
    pub fn start(arguments: &[&str]) -> io::Result<Self> {
        Self::start_emulator(ARM, arguments)
    }

    /// The same with another emulator.
    ///
    /// # Errors
    /// The system's errors.
    pub fn start_emulator(emulator: Need, arguments: &[&str]) -> io::Result<Self> {
        let mut process = Command::new(emulator.what)
            .args(["-nodefaults", "-display", "none", "-S", "-monitor", "stdio"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        keep_on_one_core(&process)?;
        let commands = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        Ok(Self { process, commands, answers })
    }

    /// The pseudo-terminal of the serial port, as QEMU announces it.
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
        Err(io::Error::other("QEMU ended before it named its serial port"))
    }

    /// Lets the guest run. Bytes that it sends to a port before somebody has opened the port are
    /// lost.
    ///
    /// # Errors
    /// QEMU has ended.
    pub fn go_on(&mut self) -> io::Result<()> {
        self.command("cont")
    }

    /// Sends a command to the monitor. QEMU does not report when it is done.
    ///
    /// # Errors
    /// QEMU has ended.
    pub fn command(&mut self, command: &str) -> io::Result<()> {
        self.commands.write_all(format!("{command}\n").as_bytes())
    }

    /// A part of the memory, as the processor sees it.
    ///
    /// # Errors
    /// The system's errors, QEMU ends, or it takes longer than 20 s.
    pub fn memory(&mut self, from: u32, len: usize) -> io::Result<Vec<u8>> {
        let folder = TempDir::new()?;
        let file = folder.path().join("memory");
        self.command(&format!("memsave {from} {len} \"{}\"", file.display()))?;
        // QEMU does not report when it is done.
        let until = Instant::now() + Duration::from_secs(20);
        while Instant::now() < until {
            let bytes = fs::read(&file).unwrap_or_default();
            if bytes.len() == len {
                return Ok(bytes);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(io::ErrorKind::TimedOut.into())
    }
}

/// The threads of an emulator wait for each other at every byte: on one core that takes a seventh less of the processors.
/// Emulators take turns with the cores.
fn keep_on_one_core(process: &Child) -> io::Result<()> {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let ours = sched_getaffinity(None)?;
    let cores = (0..CpuSet::MAX_CPU).filter(|&core| ours.is_set(core));
    let turn = TURN.fetch_add(1, Ordering::Relaxed) % ours.count() as usize;
    let mut one = CpuSet::new();
    cores.skip(turn).take(1).for_each(|core| one.set(core));
    Ok(sched_setaffinity(Some(Pid::from_child(process)), &one)?)
}

impl Drop for Qemu {
    fn drop(&mut self) {
        // This fails when QEMU has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
