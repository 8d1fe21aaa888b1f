//! A serial port behind a port server (RFC 2217, *Telnet Com Port Control Option*) as a [`TimedLink`].
//!
//! The connection speaks Telnet: the bytes of the device, and between them commands to the port and
//! the answers to these. The crate `rfc2217` encodes and decodes them without I/O; the connection,
//! the clock and the time-outs are here. The crate is young. It was chosen because it leaves I/O
//! and time to us, has no dependencies and no unsafe code, and is tested with recorded traces of
//! existing servers.
//!
//! A server that does not answer a command may have failed or may never answer it: ser2net does not
//! answer if the port lacks the line in question. So the first command of a kind waits for its
//! answer, and after one time-out that kind is no longer waited for.

use std::io::{self, ErrorKind};
use std::time::Duration;

use rfc2217::{Client, DataBits, Event, NotReady, PortSettings, Purge, StopBits};

use super::error::OpenError;
use super::link::TimedLink;
use super::tcp::TcpLink;
use crate::device::{ControlLine, FlowControl, Parity, PortSection};

/// How long the server may take to accept the settings.
const SETTINGS_PATIENCE: Duration = Duration::from_secs(3);
/// How long the server may take to answer a command.
const ANSWER_PATIENCE: Duration = Duration::from_secs(1);
/// How long the server may hold back our bytes by flow control.
const FLOW_PATIENCE: Duration = Duration::from_secs(5);

/// A serial port behind a port server.
#[derive(Debug)]
pub struct Rfc2217Link {
    tcp: TcpLink,
    client: Client,
    settings: PortSettings,
    /// Bytes of the device that nobody has read yet.
    came: Vec<u8>,
    /// The kinds of commands that the server did not answer.
    unanswered: Vec<LinkCommand>,
}

/// Commands to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkCommand {
    ControlLine(ControlLine),
    Clear,
}

impl Rfc2217Link {
    /// Connects to the port server at `address`, HOST:PORT, and has it set up its port.
    ///
    /// # Errors
    /// No RFC 2217 server is there, or the port does not accept these settings.
    pub fn connect(address: &str, settings: &PortSection) -> Result<Self, OpenError> {
        let tcp = TcpLink::connect(address)?;
        let settings = port_settings(settings);
        let client = Client::new(settings);
        let mut link = Self { tcp, client, settings, came: Vec::new(), unanswered: Vec::new() };
        link.negotiate()?;
        Ok(link)
    }

    /// Waits until the server has accepted the settings or its time is over: some servers never
    /// answer some of them.
    fn negotiate(&mut self) -> Result<(), OpenError> {
        let address = self.tcp.address().to_owned();
        let until = self.now() + SETTINGS_PATIENCE;
        loop {
            let left = self.exchange(until);
            let why = match self.client.readiness() {
                Ok(()) => return Ok(()),
                Err(NotReady::Mismatched(settings)) => {
                    return Err(OpenError::Settings { address, settings: settings.to_string() });
                }
                Err(NotReady::Refused) => "it refuses to".to_owned(),
                Err(why) => match left {
                    Ok(true) if self.now() <= until => continue,
                    Ok(true) => "it sends, but nothing in Telnet".to_owned(),
                    Ok(false) if matches!(why, NotReady::Pending(_)) => return Ok(()),
                    Ok(false) => "it does not answer in Telnet".to_owned(),
                    Err(source) => return Err(OpenError::Closed { address, source }),
                },
            };
            return Err(OpenError::NoRfc2217 { address, why });
        }
    }

    /// Sends the pending output of the client and reads input; false if nothing came in time.
    fn exchange(&mut self, until: Duration) -> io::Result<bool> {
        let mut buffer = [0; 4096];
        self.flush()?;
        let count = self.tcp.read(&mut buffer, until)?;
        self.came.extend(self.client.receive(&buffer[..count]));
        self.flush()?;
        Ok(count > 0)
    }

    fn flush(&mut self) -> io::Result<()> {
        let output = self.client.take_output();
        self.tcp.write(&output)
    }

    /// The server discards buffers. Its answer marks the end of the bytes sent before.
    fn purge(&mut self, what: Purge) -> io::Result<()> {
        self.client.purge(what);
        self.is_answered(LinkCommand::Clear, |event| matches!(event, Event::Purged(_)))?;
        self.came.clear();
        Ok(())
    }

    /// Waits for the answer to a command; false if there is none.
    fn is_answered(
        &mut self,
        command: LinkCommand,
        is_answer: impl Fn(&Event) -> bool,
    ) -> io::Result<bool> {
        let is_vain = self.unanswered.contains(&command);
        let until = self.now() + if is_vain { Duration::ZERO } else { ANSWER_PATIENCE };
        loop {
            let more = self.exchange(until)?;
            while let Some(event) = self.client.poll_event() {
                if is_answer(&event) {
                    self.unanswered.retain(|known| *known != command);
                    return Ok(true);
                }
            }
            if !more || self.now() > until {
                if !is_vain {
                    self.unanswered.push(command);
                }
                return Ok(false);
            }
        }
    }
}

impl TimedLink for Rfc2217Link {
    fn now(&self) -> Duration {
        self.tcp.now()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        // Incoming bytes may be Telnet commands, without any byte for the reader.
        while self.came.is_empty() {
            let more = self.exchange(until)?;
            while self.client.poll_event().is_some() {}
            if self.came.is_empty() && (!more || self.now() > until) {
                return Ok(0);
            }
        }
        let count = self.came.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.came[..count]);
        self.came.drain(..count);
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let until = self.now() + FLOW_PATIENCE;
        while self.client.flow_suspended() {
            if !self.exchange(until)? || self.now() > until {
                return Err(ErrorKind::TimedOut.into());
            }
        }
        self.client.write_data(bytes);
        self.flush()
    }

    fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()> {
        match line {
            ControlLine::Dtr => self.client.set_dtr(level),
            ControlLine::Rts => self.client.set_rts(level),
            ControlLine::Break => self.client.set_break(level),
        }
        let answered = self.is_answered(LinkCommand::ControlLine(line), |event| match event {
            Event::Dtr(set) => line == ControlLine::Dtr && *set == level,
            Event::Rts(set) => line == ControlLine::Rts && *set == level,
            Event::Break(set) => line == ControlLine::Break && *set == level,
            _ => false,
        })?;
        if answered { Ok(()) } else { Err(ErrorKind::Unsupported.into()) }
    }

    fn clear(&mut self) -> io::Result<()> {
        self.purge(Purge::Both)
    }

    fn clear_received(&mut self) -> io::Result<()> {
        self.purge(Purge::Receive)
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        self.tcp.reopen()?;
        self.client = Client::new(self.settings);
        self.came.clear();
        self.negotiate()
    }
}

fn port_settings(port: &PortSection) -> PortSettings {
    PortSettings {
        baud_rate: port.baud,
        data_bits: match port.format.data_bits {
            5 => DataBits::Five,
            6 => DataBits::Six,
            7 => DataBits::Seven,
            _ => DataBits::Eight,
        },
        parity: match port.format.parity {
            Parity::None => rfc2217::Parity::None,
            Parity::Even => rfc2217::Parity::Even,
            Parity::Odd => rfc2217::Parity::Odd,
        },
        stop_bits: match port.format.stop_bits {
            2 => StopBits::Two,
            _ => StopBits::One,
        },
        flow_control: match port.flow {
            FlowControl::None => rfc2217::FlowControl::None,
            FlowControl::Software => rfc2217::FlowControl::XonXoff,
            FlowControl::Hardware => rfc2217::FlowControl::RtsCts,
        },
    }
}
