//! `mealybug learn`: learns a device at a serial port, or a model in simulation.

use std::path::PathBuf;

use clap::Args;
use mealybug::run_folder::RunFolder;
use miette::Result;

use crate::endpoint::connect::Connect;
use crate::exit::Exit;
use crate::run::begun::Begun;
use crate::run::options::RunOptions;
use crate::run::{folder, keep_older, run};

/// Learns the state machine of a device, or of a model.
///
/// The results are in a new folder: model.dot, components/, result.postcard and statistics.json.
#[derive(Debug, Args)]
#[command(
    mut_arg("device", |device| device.required_unless_present("resume")),
    override_usage = "mealybug learn [OPTIONS] [--port <PORT>] <DEVICE.toml>\n       \
                      mealybug learn [OPTIONS] --agent [--port <PORT>] [DEVICE.toml]\n       \
                      mealybug learn [OPTIONS] --adapter <COMMAND>\n       \
                      mealybug learn [OPTIONS] --model <MODEL>\n       \
                      mealybug learn [OPTIONS] --resume <DIR>",
    after_help = "\
Examples:
  mealybug learn --port /dev/ttyUSB0 lock.toml
  mealybug learn --port /dev/ttyUSB0 lock.toml --tests wp:1 --max-time 2h
  mealybug learn --port rfc2217:desk.local:4000 lock.toml
  mealybug learn --port /dev/ttyACM0 --agent lock.toml
  mealybug learn --adapter 'python3 lock.py'
  mealybug learn --port /dev/ttyUSB0 lock.toml --like mealybug-runs/lock-1
  mealybug learn --model lock.dot
  mealybug learn --resume mealybug-runs/lock-1 --max-time 8h

`mealybug --help` lists the exit statuses. What was learned is written in any case."
)]
pub(crate) struct Learn {
    #[command(flatten)]
    pub(crate) connect: Connect,

    /// Go on with a run that has ended in any way, in its folder, with its options and device file
    ///
    /// What it knows is not asked again. Other options may be given in addition and count from now on,
    /// such as a larger --memory or --max-time. Files and programs that the run was told of are looked
    /// for from the folder in which it was begun.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["device", "adapter", "model", "agent", "out"])]
    resume: Option<PathBuf>,

    #[command(flatten)]
    options: RunOptions,
}

impl Learn {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        if let Some(path) = &self.resume {
            let older = self.options.older()?;
            let (folder, learn) = Begun::resume(path, self.options.words.as_deref())?;
            keep_older(&folder, &older)?;
            return learn.run_in(|_| Ok(folder));
        }
        let older = self.options.older()?;
        self.run_in(|name| {
            let folder = folder(name, &self.options)?;
            keep_older(&folder, &older)?;
            Begun::keep(&folder, &self.connect, self.options.algorithm())?;
            Ok(folder)
        })
    }

    fn run_in(&self, folder: impl FnOnce(&str) -> Result<RunFolder>) -> Result<Exit> {
        self.options.check(self.connect.is_simulation())?;
        self.connect.open(|subject, end| run(folder(subject.name)?, subject, &self.options, end))
    }
}
