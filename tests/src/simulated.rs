//! A model that `mealybug simulate` plays behind a pseudo-terminal.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::tool;

/// The running command; dropping it ends the command.
#[derive(Debug)]
pub struct SimulateCommand {
    command: Child,
    port: PathBuf,
}

impl SimulateCommand {
    /// Plays a model with these options, and writes its device file, with more patience than it has by
    /// default: a loaded machine may let QEMU wait for seconds.
    ///
    /// # Errors
    /// The system's errors.
    ///
    /// # Panics
    /// The command does not build.
    pub fn start(model: &Path, device_file: &Path, options: &[&str]) -> io::Result<Self> {
        let mut command = tool::mealybug();
        command.arg("simulate").arg(model).arg("--write-device").arg(device_file).args(options);
        let mut command = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut port = String::new();
        BufReader::new(command.stdout.take().expect("it is piped")).read_line(&mut port)?;
        let text = fs::read_to_string(device_file)?;
        fs::write(device_file, text.replace("within_ms = 2000", "within_ms = 10000"))?;
        Ok(Self { command, port: port.trim_end().into() })
    }

    /// The path of the model's port.
    pub fn port(&self) -> &Path {
        &self.port
    }
}

impl Drop for SimulateCommand {
    fn drop(&mut self) {
        // This fails when the command has ended already.
        let _ = self.command.kill();
        let _ = self.command.wait();
    }
}
