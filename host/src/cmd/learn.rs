//! `mealybug learn`: learns a device at a serial port, or a model in simulation.

use std::path::{Path, PathBuf};

use clap::Args;
use mealybug::device::Device;
use mealybug::serial::{SerialLink, SerialSul};
use mealybug::simulate::Simulated;
use miette::Result;

use super::options::RunOptions;
use super::run::{Subject, run};
use super::{Exit, Trouble, model};

/// The environment variable that names the port.
const PORT_VARIABLE: &str = "MEALYBUG_PORT";

/// Learns the state machine of a device, or of a model.
///
/// The results are in a new folder: model.dot, components/, result.postcard and statistics.json.
#[derive(Debug, Args)]
#[command(
    override_usage = "mealybug learn [OPTIONS] [--port <PORT>] <DEVICE.toml>\n       \
                      mealybug learn [OPTIONS] --model <MODEL>",
    after_help = "\
Examples:
  mealybug learn --port /dev/ttyUSB0 lock.toml
  mealybug learn --port /dev/ttyUSB0 lock.toml --tests wp:1 --max-time 2h
  mealybug learn --model lock.dot

`mealybug --help` lists the exit statuses. What was learned is written in any case."
)]
pub(crate) struct Learn {
    /// The device file: how to talk to the device
    #[arg(value_name = "DEVICE.toml", required_unless_present = "model", conflicts_with = "model")]
    device: Option<PathBuf>,

    /// The serial port of the device; else MEALYBUG_PORT, else `path` in [port] of the device file
    #[arg(long, value_name = "PORT", conflicts_with = "model")]
    port: Option<String>,

    /// Learn a model in simulation instead of a device: a DOT file, or the result of a run
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,

    #[command(flatten)]
    options: RunOptions,
}

impl Learn {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        self.options.check(self.model.is_some())?;
        match (&self.model, &self.device) {
            (Some(path), _) => self.learn_model(path),
            (None, Some(path)) => self.learn_device(path),
            (None, None) => unreachable!("clap wants one of them"),
        }
    }

    fn learn_model(&self, path: &Path) -> Result<Exit> {
        let model = model::read(path)?;
        let name = &model::name(path);
        let subject = Subject { name, inputs: model.inputs(), model: Some(&model) };
        run(subject, &self.options, Simulated::new(&model))
    }

    fn learn_device(&self, path: &Path) -> Result<Exit> {
        let device = Device::load(path)?;
        let port = self.port(&device)?;
        let inputs: Vec<_> = device.inputs.iter().map(|input| input.name.clone()).collect();
        let link = SerialLink::open(&port, &device.port)?;
        let sul = SerialSul::new(link, device)?;
        let subject = Subject { name: &model::name(path), inputs: &inputs, model: None };
        run(subject, &self.options, sul)
    }

    /// The port: from the command line, else the environment, else the device file.
    fn port(&self, device: &Device) -> Result<String> {
        let variable = || std::env::var(PORT_VARIABLE).ok().filter(|port| !port.is_empty());
        let port = self.port.clone().or_else(variable).or_else(|| device.port.path.clone());
        port.ok_or_else(|| {
            Trouble::report(
                Exit::Usage,
                "nothing says at which serial port the device is",
                format!(
                    "give --port, set {PORT_VARIABLE}, or say `path` in [port] of the device \
                        file; `ls /dev/serial/by-id /dev/ttyUSB* /dev/ttyACM*` shows the ports"
                ),
            )
        })
    }
}
