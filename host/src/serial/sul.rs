//! The device behind a link.

use std::io::{self, ErrorKind};
use std::time::Duration;

use mealybug_core::{Input, Sul};

use super::error::LinkError;
use super::link::Link;
use super::reply::{Reply, Unending};
use super::reset::{Attempt, Fall};
use super::statistics::{Spent, Statistics};
use crate::device::{Act, Device, InputRule, Late, Line, Step};
use crate::escape::excerpt;

/// So many bytes that came late are read at most, from a device that never stops.
const LATE_BYTES: usize = 64 * 1024;

/// A device behind a [`Link`], used as its device file says.
///
/// Outputs are the names of the replies: what the file calls them, or the reply itself, escaped.
///
/// ```no_run
/// use std::path::Path;
/// use mealybug::device::Device;
/// use mealybug::serial::{SerialLink, SerialSul};
/// use mealybug_core::{Input, Sul};
///
/// let device = Device::load(Path::new("lock.toml"))?;
/// let link = SerialLink::open("/dev/ttyUSB0", &device.port)?;
/// let mut sul = SerialSul::new(link, device)?;
/// sul.reset()?;
/// let output = sul.step(Input::new(0))?;
/// println!("{}", String::from_utf8_lossy(output));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SerialSul<L> {
    link: L,
    device: Device,
    /// What came after the end of the last reply and was already read.
    excess: Vec<u8>,
    /// What was done last, for messages about what came after it.
    last: String,
    answer: String,
    /// The device was gone at the last try.
    is_gone: bool,
    statistics: Statistics,
    warnings: Vec<String>,
}

impl<L: Link> SerialSul<L> {
    /// Takes a link to `device`, and gives its lines their levels.
    ///
    /// # Errors
    /// The link failed.
    pub fn new(link: L, device: Device) -> Result<Self, LinkError> {
        let statistics = Statistics {
            resets: vec![Spent::default(); device.resets.len()],
            inputs: vec![Spent::default(); device.inputs.len()],
            late_bytes: 0,
        };
        let mut sul = Self {
            link,
            device,
            excess: Vec::new(),
            last: "the opening of the port".to_owned(),
            answer: String::new(),
            is_gone: false,
            statistics,
            warnings: Vec::new(),
        };
        sul.set_levels()?;
        Ok(sul)
    }

    /// Gives the lines the levels that they have after opening.
    fn set_levels(&mut self) -> Result<(), LinkError> {
        let port = &self.device.port;
        for (line, level) in [(Line::Dtr, port.dtr), (Line::Rts, port.rts)] {
            if let Some(level) = level {
                set_line(&mut self.link, &mut self.warnings, line, level)
                    .map_err(|error| LinkError::during(error, "its lines were set"))?;
            }
        }
        Ok(())
    }

    /// Opens the link again if the device was gone.
    fn find_again(&mut self) -> Result<(), LinkError> {
        if !self.is_gone {
            return Ok(());
        }
        self.link.reopen().map_err(|reason| LinkError::Away { reason })?;
        self.excess.clear();
        "the opening of the port".clone_into(&mut self.last);
        self.set_levels()?;
        self.is_gone = false;
        Ok(())
    }

    /// What the file says about the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The line to it.
    pub fn link(&self) -> &L {
        &self.link
    }

    /// What the device cost so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What the user should know, though it does not stop us; each once.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Listens for so long, and says what has come since the last reply had ended. What comes is
    /// late all the same: the next input complains about it.
    ///
    /// # Errors
    /// The link failed.
    pub fn listen(&mut self, time: Duration) -> Result<&[u8], LinkError> {
        let until = self.link.now() + time;
        let heard = self.link.collect(until, &mut self.excess);
        heard.map_err(|error| LinkError::during(error, "nothing was being done"))?;
        Ok(&self.excess)
    }

    /// Reads what came since the last reply.
    fn late(&mut self) -> io::Result<Vec<u8>> {
        let mut late = std::mem::take(&mut self.excess);
        let now = self.link.now();
        let mut buffer = [0; 512];
        while late.len() < LATE_BYTES {
            match self.link.read(&mut buffer, now)? {
                0 => break,
                count => late.extend_from_slice(&buffer[..count]),
            }
        }
        self.statistics.late_bytes += late.len() as u64;
        Ok(late)
    }
}

impl<L: Link> Sul for SerialSul<L> {
    type Error = LinkError;

    /// Climbs the ladder until a rung works; a device that was gone is first looked for.
    fn reset(&mut self) -> Result<(), LinkError> {
        self.find_again()?;
        self.climb().inspect_err(|error| self.is_gone = error.is_gone())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], LinkError> {
        match self.ask(input) {
            Ok(()) => Ok(self.answer.as_bytes()),
            Err(error) => {
                self.is_gone = error.is_gone();
                Err(error)
            }
        }
    }
}

impl<L: Link> SerialSul<L> {
    fn climb(&mut self) -> Result<(), LinkError> {
        let failed = |error| LinkError::during(error, "it was being reset");
        self.late().map_err(failed)?;
        let mut tried = String::new();
        let ladder = self.device.resets.iter().zip(&mut self.statistics.resets);
        for (number, (rung, spent)) in (1..).zip(ladder) {
            let started = self.link.now();
            let warnings = &mut self.warnings;
            let result =
                Attempt::new(&mut self.link, &self.device.strip).climb(rung, &mut |link, step| {
                    match step {
                        Step::Set(line, level) => set_line(link, warnings, *line, *level),
                        _ => Ok(()),
                    }
                });
            spent.add(self.link.now().saturating_sub(started));
            match result {
                Ok(()) => {
                    "the reset".clone_into(&mut self.last);
                    return Ok(());
                }
                Err(Fall::Link(error)) => return Err(failed(error)),
                Err(Fall::Device(why)) => {
                    tried.push_str(&format!("\n[[reset]] {number}: {why}"));
                }
            }
        }
        Err(LinkError::Reset { tried })
    }

    fn ask(&mut self, input: Input) -> Result<(), LinkError> {
        let index = input.index();
        let position = usize::try_from(index).unwrap_or(usize::MAX);
        if position >= self.device.inputs.len() {
            return Err(LinkError::NoSuchInput { index });
        }
        let late = self.late().map_err(|error| {
            let name = &self.device.inputs[position].name;
            LinkError::during(error, format!("`{name}` was to be sent"))
        })?;
        let rule = &self.device.inputs[position];
        if !late.is_empty() && rule.reply.late == Late::Error {
            return Err(LinkError::Late {
                after: self.last.clone(),
                input: rule.name.clone(),
                count: late.len(),
                received: excerpt(&late),
            });
        }
        let started = self.link.now();
        let mut exchange = Exchange {
            link: &mut self.link,
            warnings: &mut self.warnings,
            rule,
            char_delay: self.device.port.char_delay,
        };
        let result = exchange.run();
        self.statistics.inputs[position].add(self.link.now().saturating_sub(started));
        let reply = result?;
        self.excess.extend_from_slice(reply.excess());
        self.answer = match reply.output() {
            Some(output) => self.device.name_output(output),
            None => rule.reply.silent.clone(),
        };
        self.last = format!("the reply to `{}`", rule.name);
        Ok(())
    }
}

/// One input and its reply.
struct Exchange<'l, 'r, L> {
    link: &'l mut L,
    warnings: &'l mut Vec<String>,
    rule: &'r InputRule,
    char_delay: Duration,
}

impl<'r, L: Link> Exchange<'_, 'r, L> {
    fn run(&mut self) -> Result<Reply<'r>, LinkError> {
        let rule = self.rule;
        let mut early = Vec::new();
        let reply = match &rule.act {
            Act::Send(bytes) => {
                self.send(bytes, &mut early).map_err(|error| self.failed(error, "was sent"))?;
                Reply::new(&rule.reply, bytes)
            }
            Act::Wait(time) => Reply::while_waiting(&rule.reply, *time),
            Act::Set { levels, pulse } => {
                self.set(levels, *pulse, &mut early)
                    .map_err(|error| self.failed(error, "was done"))?;
                Reply::new(&rule.reply, b"")
            }
        };
        self.receive(reply, &early)
    }

    /// Sends `bytes`; what comes in the pauses between them goes into `early`.
    fn send(&mut self, bytes: &[u8], early: &mut Vec<u8>) -> io::Result<()> {
        if self.char_delay.is_zero() {
            return self.link.write(bytes);
        }
        for byte in bytes {
            self.link.write(&[*byte])?;
            let until = self.link.now() + self.char_delay;
            self.link.collect(until, early)?;
        }
        Ok(())
    }

    fn set(
        &mut self,
        levels: &[(Line, bool)],
        pulse: Option<Duration>,
        early: &mut Vec<u8>,
    ) -> io::Result<()> {
        for (line, level) in levels {
            set_line(self.link, self.warnings, *line, *level)?;
        }
        let Some(pulse) = pulse else { return Ok(()) };
        let until = self.link.now() + pulse;
        self.link.collect(until, early)?;
        for (line, level) in levels {
            set_line(self.link, self.warnings, *line, !level)?;
        }
        Ok(())
    }

    /// Reads until the reply has ended.
    fn receive(&mut self, mut reply: Reply<'r>, early: &[u8]) -> Result<Reply<'r>, LinkError> {
        let sent = self.link.now();
        let mut taken = reply.take(early, Duration::ZERO);
        let mut buffer = [0; 512];
        loop {
            taken.map_err(|unending| self.unending(unending, reply.raw()))?;
            let Some(deadline) = reply.deadline() else {
                return Ok(reply);
            };
            let count = self
                .link
                .read(&mut buffer, sent + deadline)
                .map_err(|error| self.failed(error, "was being answered"))?;
            if count == 0 {
                reply.expire();
            }
            taken = reply.take(&buffer[..count], self.link.now().saturating_sub(sent));
        }
    }

    fn failed(&self, error: io::Error, done: &str) -> LinkError {
        LinkError::during(error, format!("`{}` {done}", self.rule.name))
    }

    fn unending(&self, unending: Unending, received: &[u8]) -> LinkError {
        let (limit, key) = match unending {
            Unending::Bytes => (format!("{} bytes", self.rule.reply.max_bytes), "`max_bytes`"),
            Unending::Time => (format!("{} ms", self.rule.reply.max.as_millis()), "`max_ms`"),
        };
        let (input, received) = (self.rule.name.clone(), excerpt(received));
        LinkError::Unending { input, limit, key, received }
    }
}

/// Sets a line; that there is none is worth a warning only.
fn set_line<L: Link>(
    link: &mut L,
    warnings: &mut Vec<String>,
    line: Line,
    level: bool,
) -> io::Result<()> {
    match link.set(line, level) {
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            let name = match line {
                Line::Dtr => "DTR",
                Line::Rts => "RTS",
                Line::Break => "break",
            };
            let warning = format!("this port has no {name}: setting it does nothing");
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
            Ok(())
        }
        result => result,
    }
}
