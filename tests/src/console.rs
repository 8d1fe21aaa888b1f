//! The U-Boot console as a device, without the serial port stack and the device file of the
//! `mealybug` command. A test of the golden model uses this one; tests of the command use the
//! stack.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use mealybug_core::{Input, Sul};

use crate::line::read_until;
use crate::pty::open_raw;

/// The address that the memory command reads: the free memory into which U-Boot would load files.
const ADDRESS: &str = "40200000";

/// The console behind a port.
#[derive(Debug)]
pub struct ConsoleSul {
    port: File,
    inputs: Vec<String>,
    output: String,
}

impl ConsoleSul {
    /// More than U-Boot needs for any command here, even on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(10);
    /// Every answer ends with one of these.
    const PROMPTS: [&str; 2] = ["=> ", " ? "];

    /// Opens `port`, for the inputs with these names.
    ///
    /// # Errors
    /// The system's errors.
    pub fn open(port: &Path, names: &[String]) -> io::Result<Self> {
        let inputs = names.iter().map(|name| keys(name)).collect();
        Ok(Self { port: open_raw(port)?, inputs, output: String::new() })
    }

    /// Restarts U-Boot, as the device file does when the reset without a restart fails.
    ///
    /// # Errors
    /// The system's errors, or no prompt comes.
    pub fn restart(&mut self) -> io::Result<()> {
        self.port.write_all(b"\x03reset\r\x03")?;
        // The end of a countdown that stops at once, or after a while.
        read_until(&self.port, &[" 0\r\n=> ", " 0 \r\n=> "], Self::PATIENCE)?;
        Ok(())
    }
}

impl Sul for ConsoleSul {
    type Error = io::Error;

    fn reset(&mut self) -> io::Result<()> {
        self.port.write_all(b"\x03setenv a\r\x03")?;
        read_until(&self.port, &["setenv a\r\n=> <INTERRUPT>\r\n=> "], Self::PATIENCE)?;
        Ok(())
    }

    fn step(&mut self, input: Input) -> io::Result<&[u8]> {
        let keys = &self.inputs[input.index() as usize];
        self.port.write_all(keys.as_bytes())?;
        let said = read_until(&self.port, &Self::PROMPTS, Self::PATIENCE)?;
        let said = String::from_utf8_lossy(&said);
        let echo = keys.trim_end_matches('\r');
        self.output = name(said.strip_prefix(echo).unwrap_or(&said));
        Ok(self.output.as_bytes())
    }
}

/// The keys to type for the input with this name.
fn keys(name: &str) -> String {
    match name {
        "ENTER" => "\r".to_owned(),
        "Ctrl-C" => "\x03".to_owned(),
        "nm" => format!("nm.b {ADDRESS}\r"),
        command => format!("{command}\r"),
    }
}

/// The name, in the golden model and the device file, of an answer without its echo.
fn name(said: &str) -> String {
    let name = match said.trim_start_matches("\r\n") {
        "=> " => "prompt",
        "<INTERRUPT>\r\n=> " => "interrupt",
        "a=1\r\n=> " => "a=1",
        "## Error: \"a\" not defined\r\n=> " => "not defined",
        "40200000: 00 ? " => "00 ?",
        usage if usage.contains("\r\nUsage:\r\n") && usage.ends_with("\r\n=> ") => "usage",
        other => return other.escape_default().to_string(),
    };
    name.to_owned()
}
