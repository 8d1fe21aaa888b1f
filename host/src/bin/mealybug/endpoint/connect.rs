//! What is at the other end: the options that name it, and how it is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use mealybug::adapter::{Adapter, WORKER_VARIABLE};
use mealybug::agent::AgentClient;
use mealybug::device::{DeviceFile, PortSection};
use mealybug::interrupt;
use mealybug::serial::{Interruptible, PortAddress, SerialSul, TimedLink};
use mealybug::simulate::Simulated;
use mealybug::state_names::StateNames;
use mealybug::target::Program;
use miette::{Result, WrapErr};
use serde::{Deserialize, Deserializer, Serialize};

use crate::endpoint::Endpoint;
use crate::endpoint::Subject;
use crate::exit::{CliError, Exit};
use crate::files::device_file::{self, User};
use crate::files::model;
use crate::files::trust::Trust;
use crate::terminal::complain;

/// The environment variable that names the port.
pub(crate) const PORT_VARIABLE: &str = "MEALYBUG_PORT";

/// How runs are called whose device is a program, or built into an agent.
const ADAPTER: &str = "adapter";
const AGENT: &str = "agent";

/// What is at the other end: a device behind a port, a program, or a model.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct Connect {
    /// The device file: how to talk to the device
    #[arg(value_name = "DEVICE.toml", required_unless_present_any = ["adapter", "model", "agent"])]
    pub(crate) device: Option<PathBuf>,

    /// Where the device is: a serial port, tcp:HOST:PORT or rfc2217:HOST:PORT; else MEALYBUG_PORT,
    /// else `path` in [port] of the device file. `learn` takes it several times, for several boards
    #[arg(long, value_name = "PORT")]
    #[serde(deserialize_with = "ports")]
    pub(crate) port: Vec<String>,

    /// A place of a labgrid coordinator: acquire it, use its serial port, release it at the end (docs/boards.md).
    /// Of several ports NAME/PORT is one. `learn` takes it several times
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    #[serde(default)]
    pub(crate) place: Vec<String>,

    /// A program that is the device: it answers lines on its standard streams (docs/connections.md)
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["device", "port", "place", "model"])]
    pub(crate) adapter: Option<String>,

    /// A model in simulation instead of a device: a DOT file, or the result of a run
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["device", "port", "place"])]
    #[serde(skip)]
    pub(crate) model: Option<PathBuf>,

    /// The port leads to an agent: a program on a board that asks the device there many words at a time. An
    /// agent whose device is built into its program needs no device file
    #[arg(long, conflicts_with_all = ["adapter", "model"])]
    pub(crate) agent: bool,

    /// The baud rate of the line to the agent; default 115200. That of the device's line is in the device file
    #[arg(long, value_name = "BAUD", requires = "agent", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) baud: Option<u32>,

    #[command(flatten)]
    #[serde(skip)]
    pub(crate) trust: Trust,

    /// The text of the device file, once `learn` has read it or has taken it from the folder of a run. The user agrees to it.
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) device_text: Option<String>,
}

/// The ports of a run. Those that were begun when there was only one at a time kept it as text or null.
fn ports<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Ports {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Option::deserialize(deserializer)? {
        None => Vec::new(),
        Some(Ports::One(port)) => vec![port],
        Some(Ports::Several(ports)) => ports,
    })
}

/// A device that is there.
pub(crate) struct Opened {
    /// How it is called.
    pub(crate) name: String,
    /// The names of its inputs.
    pub(crate) inputs: Vec<String>,
    /// What its device file calls its states.
    pub(crate) states: StateNames,
    /// The port or the program.
    pub(crate) address: Option<String>,
    pub(crate) end: Endpoint<'static>,
}

impl Connect {
    /// Opens what is at the other end, and hands it over.
    pub(crate) fn open<T>(
        &self,
        then: impl FnOnce(Subject<'_>, Endpoint<'_>) -> Result<T>,
    ) -> Result<T> {
        if let Some(path) = &self.model {
            let model = model::read_complete(path)?;
            let name = &model::name(path);
            let states = &StateNames::default();
            let inputs = model.inputs();
            let subject = Subject { name, inputs, states, address: None, model: Some(&model) };
            return then(subject, Endpoint::Model(Simulated::new(&model)));
        }
        let Opened { name, inputs, states, address, end } = self.open_device(None)?;
        let address = address.as_deref();
        then(Subject { name: &name, inputs: &inputs, states: &states, address, model: None }, end)
    }

    /// Opens a board at each port, or starts `workers` programs. Opens none where there would be only one.
    pub(crate) fn open_boards(&self, workers: u32) -> Result<Vec<(String, Opened)>> {
        if self.given_ports().len() > 1 {
            let at = |port| Self { port: vec![port], place: Vec::new(), ..self.clone() };
            let ports = self.given_ports().into_iter();
            let named = |port: &str| port.replacen("place:", "place ", 1);
            return ports.map(|port| Ok((named(&port), at(port).open_device(None)?))).collect();
        }
        if workers > 1 { self.open_workers(workers) } else { Ok(Vec::new()) }
    }

    /// Starts this many programs, and leaves out those that fail.
    fn open_workers(&self, workers: u32) -> Result<Vec<(String, Opened)>> {
        let mut opened = Vec::new();
        let mut left = workers;
        for number in 1..=workers {
            let name = format!("worker {number}");
            let error = match self.open_device(Some(number)) {
                Ok(worker) => {
                    opened.push((name, worker));
                    continue;
                }
                Err(error) => error,
            };
            if Exit::of(&error) != Exit::Device {
                return Err(error);
            }
            left -= 1;
            complain(&format!(
                "{name} is left out: {error}; {left} of {workers} boards; to try it by hand, set {WORKER_VARIABLE}={number}"
            ));
            if left == 0 {
                return Err(error.wrap_err("no worker is left: each failed at its start"));
            }
        }
        Ok(opened)
    }

    /// Opens one device; `number` is that of a program beside others.
    fn open_device(&self, number: Option<u32>) -> Result<Opened> {
        if let Some(command) = &self.adapter {
            let interrupted = interrupt::flag()?;
            let adapter = match number {
                Some(number) => Adapter::start_worker(command, number, interrupted)?,
                None => Adapter::start(command, interrupted)?,
            };
            let inputs = adapter.inputs().to_vec();
            return Ok(Opened {
                name: ADAPTER.to_owned(),
                inputs,
                states: StateNames::default(),
                address: program_address(command),
                end: Endpoint::Adapter(adapter),
            });
        }
        if self.agent {
            return self.open_agent();
        }
        let (path, device) = self.device_file()?;
        let inputs: Vec<_> = device.inputs.iter().map(|input| input.name.clone()).collect();
        let states = device.state_names(path);
        let address = self.address(&device);
        let link = Interruptible::new(self.link(&device)?, interrupt::flag()?);
        let link: Box<dyn TimedLink + Send> = Box::new(link);
        let end = Endpoint::Port(Box::new(SerialSul::new(link, device)?));
        Ok(Opened { name: model::name(path), inputs, states, address, end })
    }

    fn open_agent(&self) -> Result<Opened> {
        let file =
            self.device.as_ref().map(|path| self.read_device_file(Some(path))).transpose()?;
        let name = file.as_ref().map_or(AGENT.to_owned(), |(path, _)| model::name(path));
        let states = file.as_ref().map(|(path, device)| device.state_names(path));
        let device = file.map(|(_, device)| device);
        if let Some(device) = &device {
            // Before anything is opened: it is the file that must change.
            Program::for_agent(device)?;
        }
        // [port] of the device file is the line between the board and the device.
        let link = self.port(None)?.open(&host_line(self.baud))?;
        let interrupted = interrupt::flag()?;
        let link: Box<dyn TimedLink + Send> =
            Box::new(Interruptible::new(link, Arc::clone(&interrupted)));
        let agent = AgentClient::connect(link, device).map_err(|error| {
            if interrupted.load(Ordering::Relaxed) {
                let help =
                    "is this the port of the board's host side, and does the agent run on it?";
                return CliError::report(
                    Exit::Interrupted,
                    "stopped before the agent answered",
                    help,
                );
            }
            error.into()
        })?;
        let inputs = agent.inputs().to_vec();
        let states = states.unwrap_or_default();
        let address = self.given_ports().pop();
        Ok(Opened { name, inputs, states, address, end: Endpoint::Agent(Box::new(agent)) })
    }

    /// Whether a model is at the other end.
    pub(crate) fn is_simulation(&self) -> bool {
        self.model.is_some()
    }

    /// The device file and where it is, for commands that want a device behind a port.
    pub(crate) fn device_file(&self) -> Result<(&Path, DeviceFile)> {
        if self.agent {
            return Err(CliError::report(
                Exit::Usage,
                "this command looks at the bytes of a device, which an agent keeps to itself",
                "connect the device itself, and leave --agent out",
            ));
        }
        self.read_device_file(self.device.as_ref())
    }

    fn read_device_file<'a>(&self, path: Option<&'a PathBuf>) -> Result<(&'a Path, DeviceFile)> {
        let Some(path) = path else {
            return Err(CliError::report(
                Exit::Usage,
                "this command is for a device behind a port",
                "give the device file, and with --port or --place where the device is",
            ));
        };
        let device = match &self.device_text {
            Some(text) => DeviceFile::parse(path, text)?,
            None => self.load_device_file(path)?.0,
        };
        Ok((path, device))
    }

    /// The text of the device file at `path`, if it is one that can be used here and the user agrees to it.
    pub(crate) fn read_device_text(&self, path: &Path) -> Result<String> {
        Ok(self.load_device_file(path)?.1)
    }

    fn load_device_file(&self, path: &Path) -> Result<(DeviceFile, String)> {
        if model::is_model(path) {
            return Err(CliError::report(
                Exit::Usage,
                format!("{} is a model, and no device file", path.display()),
                format!("give it as --model {}", path.display()),
            ));
        }
        device_file::read(path, self.user(), self.trust)
    }

    /// Where the device behind a port is.
    pub(crate) fn address(&self, device: &DeviceFile) -> Option<String> {
        self.given_ports().pop().or_else(|| device.port.path.clone())
    }

    /// Opens the port of a device.
    pub(crate) fn link(&self, device: &DeviceFile) -> Result<Box<dyn TimedLink + Send>> {
        self.port(device.port.path.as_ref())?.open(&device.port)
    }

    /// The ports and places from the command line, else the port from the environment, for a device that has one.
    pub(crate) fn given_ports(&self) -> Vec<String> {
        let named = self.named_ports();
        if !named.is_empty() {
            return named;
        }
        let has_port = self.device.is_some() || self.agent;
        port_of_environment().filter(|_| has_port).into_iter().collect()
    }

    /// The ports and places that the options name.
    pub(crate) fn named_ports(&self) -> Vec<String> {
        let places = self.place.iter().map(|place| format!("place:{place}"));
        self.port.iter().cloned().chain(places).collect()
    }

    /// Who uses the device file.
    pub(crate) fn user(&self) -> User {
        match (self.agent, self.given_ports().is_empty()) {
            (true, _) => User::Target,
            (false, true) => User::Host,
            (false, false) => User::HostAt,
        }
    }

    /// The port: from the command line, else the environment, else the device file.
    fn port(&self, of_device_file: Option<&String>) -> Result<NamedPort> {
        let mut given = self.given_ports();
        if given.len() > 1 {
            return Err(CliError::report(
                Exit::Usage,
                "this command is for one board",
                "give --port or --place once; only `mealybug learn` takes several boards",
            ));
        }
        let source = match &given[..] {
            [] => "`path` of the device file",
            // A run keeps the port of the variable as if an option had named it.
            [port] if port_of_environment().as_ref() == Some(port) => PORT_VARIABLE,
            [place] if place.starts_with("place:") => "the command line",
            _ => "--port",
        };
        let port = given.pop().or_else(|| of_device_file.cloned());
        port.map(|port| NamedPort { port, source }).ok_or_else(|| {
            let (what, or) = if self.agent {
                ("agent", format!("or set {PORT_VARIABLE}"))
            } else {
                (
                    "device",
                    format!("set {PORT_VARIABLE}, or say `path` in [port] of the device file"),
                )
            };
            CliError::report(
                Exit::Usage,
                format!("nothing says at which serial port the {what} is"),
                format!("give --port or --place, {or}; `mealybug ports` lists the ports"),
            )
        })
    }
}

/// A program where it is started: elsewhere, the same command may start another one.
pub(crate) fn program_address(command: &str) -> Option<String> {
    let folder = std::env::current_dir().ok()?;
    Some(format!("{command} in {}", folder.display()))
}

/// A port, and what names it.
struct NamedPort {
    port: String,
    source: &'static str,
}

impl NamedPort {
    fn open(&self, settings: &PortSection) -> Result<Box<dyn TimedLink + Send>> {
        let Self { port, source } = self;
        let opened = PortAddress::parse(port).and_then(|address| address.open(settings));
        // The user may have forgotten that the variable is set.
        opened.wrap_err_with(|| format!("cannot open {port}, which {source} names"))
    }
}

/// The port from the environment.
pub(crate) fn port_of_environment() -> Option<String> {
    std::env::var(PORT_VARIABLE).ok().filter(|port| !port.is_empty())
}

/// The line between the host and a board, at 115 200 baud if nobody says otherwise.
pub(crate) fn host_line(baud: Option<u32>) -> PortSection {
    let default = PortSection::default();
    PortSection { baud: baud.unwrap_or(default.baud), ..default }
}
