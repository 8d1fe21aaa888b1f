//! `mealybug learn`: learns a device at a serial port, or a model in simulation.

use clap::Args;
use miette::Result;

use super::Exit;
use super::connect::Connect;
use super::options::RunOptions;
use super::run::{folder, run};

/// Learns the state machine of a device, or of a model.
///
/// The results are in a new folder: model.dot, components/, result.postcard and statistics.json.
#[derive(Debug, Args)]
#[command(
    override_usage = "mealybug learn [OPTIONS] [--port <PORT>] <DEVICE.toml>\n       \
                      mealybug learn [OPTIONS] --adapter <COMMAND>\n       \
                      mealybug learn [OPTIONS] --model <MODEL>",
    after_help = "\
Examples:
  mealybug learn --port /dev/ttyUSB0 lock.toml
  mealybug learn --port /dev/ttyUSB0 lock.toml --tests wp:1 --max-time 2h
  mealybug learn --port rfc2217:desk.local:4000 lock.toml
  mealybug learn --adapter 'python3 lock.py'
  mealybug learn --model lock.dot

`mealybug --help` lists the exit statuses. What was learned is written in any case."
)]
pub(crate) struct Learn {
    #[command(flatten)]
    connect: Connect,

    #[command(flatten)]
    options: RunOptions,
}

impl Learn {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        self.options.check(self.connect.is_simulation())?;
        self.connect.open(|subject, end| {
            let folder = folder(subject.name, &self.options)?;
            run(folder, subject, &self.options, end)
        })
    }
}
