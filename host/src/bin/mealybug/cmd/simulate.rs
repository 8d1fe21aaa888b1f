//! `mealybug simulate`: a model that plays the device.

use std::fs::{File, OpenOptions};
use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use mealybug::duration_text;
use mealybug::interrupt;
use mealybug::simulate::{Faults, PortPlace, Simulator, device_file};
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::exit::Exit;
use crate::files::model;
use crate::files::new_file::{must_be_new, write_new};
use crate::files::out_file::not_written;
use crate::terminal::{complain, say};

/// How long Ctrl-C may take.
const PATIENCE: Duration = Duration::from_millis(50);

/// Simulate a device: play a model behind a pseudo-terminal, until Ctrl-C.
///
/// The command prints the port, for --port of the other commands. The device takes lines: the name of an
/// input gets the name of its output, `reset` gets `ready`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug simulate lock.dot --write-device lock.toml     # then, in another terminal,
  mealybug learn --port /dev/pts/3 lock.toml

  mealybug simulate lock.dot --listen 4000 --fault drop:0.001 --delay 1ms..5ms
  mealybug learn --port tcp:localhost:4000 lock.toml

  mealybug learn --adapter 'ssh lab mealybug simulate lock.dot --adapter'")]
pub(crate) struct SimulateArgs {
    /// The model: a DOT file, or the result of a run
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Write the device file with which `mealybug learn` talks to it; the file must be new
    #[arg(long, value_name = "FILE", conflicts_with = "adapter")]
    write_device: Option<PathBuf>,

    /// Listen at a TCP port instead of a pseudo-terminal: PORT of this host, or HOST:PORT
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    listen: Option<SocketAddr>,

    /// Use the standard streams, as an adapter does, until the input ends
    #[arg(long, conflicts_with = "listen")]
    adapter: bool,

    /// A fault to simulate, and its probability; can be given several times
    ///
    /// drop:P, flip:P and duplicate:P are for each byte in either direction; wrong:P (another
    /// output) and reboot:P (back to the initial state, unasked) for each input; hang:P or
    /// hang:P:TIME (nothing is heard or said for this time, or ever after) for each line.
    #[arg(long, value_name = "KIND:P")]
    fault: Vec<InjectedFault>,

    /// How long the device takes for each line: a time such as 5ms, or a range such as 1ms..20ms
    #[arg(long, value_name = "TIME", value_parser = delay, default_value = "0ms")]
    delay: RangeInclusive<Duration>,

    /// The seed of faults and delays
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,

    /// Append each line that the device gets to a file, with a tab and its answer
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// Something that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum InjectedFault {
    Drop(f64),
    Flip(f64),
    Duplicate(f64),
    Wrong(f64),
    Reboot(f64),
    Hang(f64, Duration),
}

impl SimulateArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        let model = model::read_complete(&self.model)?;
        let device = self.write_device.as_deref().map(|path| (path, device_file(&model)));
        if let Some((path, _)) = &device {
            must_be_new(path)?;
        }
        let log = self.log.as_deref().map(open_log).transpose()?;
        let interrupted = interrupt::flag()?;
        let place = match self.listen {
            Some(address) => PortPlace::Tcp(address),
            None if self.adapter => PortPlace::Streams,
            None => PortPlace::Terminal,
        };
        let simulator = Simulator::start_at(place, model, self.faults(), log)
            .into_diagnostic()
            .wrap_err_with(|| match place {
                PortPlace::Tcp(address) => format!("cannot listen at {address}"),
                PortPlace::Terminal | PortPlace::Streams => {
                    "the system gives no pseudo-terminal".into()
                }
            })?;
        if let Some((path, text)) = &device {
            write_new(path, text)?;
        }
        if place != PortPlace::Streams {
            say(&format!("{}\n", simulator.port()));
        }
        if let Some(hint) = self.hint(simulator.port()) {
            complain(&hint);
        }
        while !interrupted.load(Ordering::Relaxed) && !simulator.is_over() {
            std::thread::sleep(PATIENCE);
        }
        simulator.stop().into_diagnostic().wrap_err("the simulated device failed")?;
        Ok(Exit::Done)
    }

    fn faults(&self) -> Faults {
        let none = Faults { seed: self.seed, delay: self.delay.clone(), ..Faults::default() };
        self.fault.iter().fold(none, |faults, fault| match *fault {
            InjectedFault::Drop(drop) => Faults { drop, ..faults },
            InjectedFault::Flip(flip) => Faults { flip, ..faults },
            InjectedFault::Duplicate(duplicate) => Faults { duplicate, ..faults },
            InjectedFault::Wrong(wrong) => Faults { wrong, ..faults },
            InjectedFault::Reboot(reboot) => Faults { reboot, ..faults },
            InjectedFault::Hang(hang, hang_time) => Faults { hang, hang_time, ..faults },
        })
    }

    /// How to use it, for people: on standard error, as programs read the port.
    fn hint(&self, port: &str) -> Option<String> {
        let shown = self.model.display();
        if self.adapter {
            let is_by_hand = std::io::IsTerminal::is_terminal(&std::io::stdin());
            let hint = "Say `inputs`, `reset` or `step NAME`; Ctrl-D ends.";
            return is_by_hand.then(|| hint.to_owned());
        }
        let (file, note) = match &self.write_device {
            Some(path) => (path.display().to_string(), ""),
            None => ("DEVICE.toml".to_owned(), "\n(--write-device DEVICE.toml writes that file.)"),
        };
        Some(format!(
            "{shown} is played there until Ctrl-C. In another terminal:\n  \
             mealybug learn --port {port} {file}{note}"
        ))
    }
}

impl FromStr for InjectedFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kinds = "write KIND:P, with drop, flip, duplicate, wrong, reboot or hang, and a \
                     probability from 0 to 1, such as drop:0.001; or hang:P:TIME";
        let mut parts = text.splitn(3, ':');
        let kind = parts.next().unwrap_or_default();
        let probability = parts.next().and_then(|text| text.parse::<f64>().ok());
        let probability = probability.filter(|p| (0.0..=1.0).contains(p)).ok_or(kinds)?;
        Ok(match (kind, parts.next()) {
            ("drop", None) => Self::Drop(probability),
            ("flip", None) => Self::Flip(probability),
            ("duplicate", None) => Self::Duplicate(probability),
            ("wrong", None) => Self::Wrong(probability),
            ("reboot", None) => Self::Reboot(probability),
            ("hang", None) => Self::Hang(probability, Duration::MAX),
            ("hang", Some(time)) => Self::Hang(probability, duration_text::parse(time)?),
            _ => return Err(kinds.to_owned()),
        })
    }
}

/// One time, or two.
fn delay(text: &str) -> Result<RangeInclusive<Duration>, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let (least, most) = (duration_text::parse_or_zero(least)?, duration_text::parse_or_zero(most)?);
    if least > most {
        return Err("the first time is the shorter one, as in 1ms..20ms".to_owned());
    }
    Ok(least..=most)
}

/// A TCP port of this host, or HOST:PORT.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let usage = "write a port such as 4000, or HOST:PORT";
    let mut addresses = text.to_socket_addrs().map_err(|error| format!("{error}; {usage}"))?;
    addresses.next().ok_or_else(|| usage.to_owned())
}

fn open_log(path: &Path) -> Result<File> {
    let log = OpenOptions::new().create(true).append(true).open(path);
    log.map_err(|error| not_written(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_and_delays_read_as_they_are_written() {
        assert_eq!("drop:0.001".parse(), Ok(InjectedFault::Drop(0.001)));
        assert_eq!("hang:1".parse(), Ok(InjectedFault::Hang(1.0, Duration::MAX)));
        assert_eq!("hang:1e-3:2s".parse(), Ok(InjectedFault::Hang(0.001, Duration::from_secs(2))));
        for text in ["", "drop", "drop:2", "drop:-1", "drop:0.1:2s", "hang:0.1:x", "melt:0.1"] {
            assert!(text.parse::<InjectedFault>().is_err(), "{text}");
        }
        let ms = Duration::from_millis;
        assert_eq!(delay("5ms"), Ok(ms(5)..=ms(5)));
        assert_eq!(delay("0ms..1s"), Ok(ms(0)..=ms(1000)));
        for text in ["5", "2ms..1ms", "1ms..", ""] {
            assert!(delay(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_port_alone_is_one_of_this_host() {
        assert_eq!(address("4000"), Ok(([127, 0, 0, 1], 4000).into()));
        assert_eq!(address("0.0.0.0:0"), Ok(([0, 0, 0, 0], 0).into()));
        for text in ["", "70000", "localhost", "localhost:x"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
