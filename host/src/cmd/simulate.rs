//! `mealybug simulate`: a model behind a pseudo-terminal.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use mealybug::simulate::{Simulator, device_file};
use miette::{IntoDiagnostic, Result, WrapErr};

use super::new_file::write_new;
use super::{Exit, interrupt, model, say};

/// How long Ctrl-C may take.
const PATIENCE: Duration = Duration::from_millis(50);

/// Plays a model behind a pseudo-terminal, as a device at a serial port, until Ctrl-C.
///
/// The path of the port is printed, for --port of `mealybug learn`. One line in, the name of an input, is one line out, the name of
/// the output; `reset` is answered by `ready`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example, in two terminals:
  mealybug simulate lock.dot --write-device lock.toml
  mealybug learn --port /dev/pts/3 lock.toml")]
pub(crate) struct Simulate {
    /// The model: a DOT file, or the result of a run
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Write the device file with which `mealybug learn` talks to it; the file must be new
    #[arg(long, value_name = "FILE")]
    write_device: Option<PathBuf>,
}

impl Simulate {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        let model = model::read(&self.model)?;
        if let Some(path) = &self.write_device {
            write_new(path, &device_file(&model))?;
        }
        let interrupted = interrupt::flag()?;
        let simulator = Simulator::start(model)
            .into_diagnostic()
            .wrap_err("the system gives no pseudo-terminal")?;
        say(&format!("{}\n", simulator.path().display()));
        wait(&interrupted);
        simulator.stop().into_diagnostic().wrap_err("the pseudo-terminal failed")?;
        Ok(Exit::Done)
    }
}

fn wait(interrupted: &AtomicBool) {
    while !interrupted.load(Ordering::Relaxed) {
        std::thread::sleep(PATIENCE);
    }
}
