//! A serial port as a [`TimedLink`].

use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use serialport::{ClearBuffer, DataBits, SerialPort, StopBits};

use super::error::OpenError;
use super::link::TimedLink;
use crate::device::{CharacterFormat, ControlLine, FlowControl, Parity, PortSection};

/// How long a port may take to accept or to send bytes, beside the time that they need on the line: flow control can hold
/// it up, and so can a USB device that hangs.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);
/// No more than this waits in a port to be sent.
const BUFFER_BYTES: usize = 4096;
/// How often to look whether bytes were sent.
const LOOK: Duration = Duration::from_micros(200);

/// A serial port: raw, 8-bit clean, and locked for other programs while it is open.
#[derive(Debug)]
pub struct SerialLink {
    /// `None` while the device is gone.
    port: Option<Box<dyn SerialPort>>,
    path: String,
    settings: PortSection,
    opened: Instant,
}

impl SerialLink {
    /// Opens the port at `path` with these `settings`. [`SerialSul::new`](super::SerialSul::new)
    /// sets the control lines.
    ///
    /// # Errors
    /// The port does not exist, or cannot be opened.
    pub fn open(path: &str, settings: &PortSection) -> Result<Self, OpenError> {
        Ok(Self {
            port: Some(open(path, settings)?),
            path: path.to_owned(),
            settings: settings.clone(),
            opened: Instant::now(),
        })
    }

    fn port(&mut self) -> io::Result<&mut dyn SerialPort> {
        let port = self.port.as_deref_mut();
        Ok(port.ok_or(ErrorKind::BrokenPipe)?)
    }
}

fn open(path: &str, settings: &PortSection) -> Result<Box<dyn SerialPort>, OpenError> {
    let open = || {
        let mut port = serialport::new(path, settings.baud).open_native()?;
        configure(&mut port, settings)?;
        // The library leaves writes blocking: a device that takes nothing would keep us for ever.
        fcntl(port.as_raw_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(io::Error::from)?;
        Ok(Box::new(port) as Box<dyn SerialPort>)
    };
    open().map_err(|error| OpenError::new(path, error))
}

/// Sets everything but the baud rate, which is set when the port is opened.
fn configure(port: &mut dyn SerialPort, settings: &PortSection) -> serialport::Result<()> {
    port.set_data_bits(match settings.format.data_bits {
        5 => DataBits::Five,
        6 => DataBits::Six,
        7 => DataBits::Seven,
        _ => DataBits::Eight,
    })?;
    port.set_parity(match settings.format.parity {
        Parity::None => serialport::Parity::None,
        Parity::Even => serialport::Parity::Even,
        Parity::Odd => serialport::Parity::Odd,
    })?;
    port.set_stop_bits(match settings.format.stop_bits {
        2 => StopBits::Two,
        _ => StopBits::One,
    })?;
    port.set_flow_control(match settings.flow {
        FlowControl::None => serialport::FlowControl::None,
        FlowControl::Software => serialport::FlowControl::Software,
        FlowControl::Hardware => serialport::FlowControl::Hardware,
    })
}

impl TimedLink for SerialLink {
    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        loop {
            let timeout = until.saturating_sub(self.now());
            let port = self.port()?;
            port.set_timeout(timeout)?;
            return match port.read(buffer) {
                Ok(0) => Err(ErrorKind::BrokenPipe.into()),
                Ok(count) => Ok(count),
                Err(error) if is_not_yet(&error) => continue,
                Err(error) if error.kind() == ErrorKind::TimedOut => Ok(0),
                Err(error) => Err(classify(error)),
            };
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let flow = self.settings.flow;
        let patience = WRITE_PATIENCE + time_on_the_line(bytes.len(), &self.settings);
        let port = self.port()?;
        let mut sent = write_all(port, bytes, patience);
        // With flow control the device may hold up the last bytes for as long as it likes.
        if flow == FlowControl::None {
            sent = sent.and_then(|()| drain(port, patience));
        }
        if sent.as_ref().is_err_and(|error| error.kind() == ErrorKind::TimedOut) {
            // Half a message must not reach the device later.
            port.clear(ClearBuffer::Output)?;
        }
        sent.map_err(classify)
    }

    fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()> {
        let port = self.port()?;
        let set = match line {
            ControlLine::Dtr => port.write_data_terminal_ready(level),
            ControlLine::Rts => port.write_request_to_send(level),
            ControlLine::Break if level => port.set_break(),
            ControlLine::Break => port.clear_break(),
        };
        set.map_err(|error| classify(error.into()))
    }

    fn clear(&mut self) -> io::Result<()> {
        self.port()?.clear(ClearBuffer::All).map_err(|error| classify(error.into()))
    }

    fn clear_received(&mut self) -> io::Result<()> {
        self.port()?.clear(ClearBuffer::Input).map_err(|error| classify(error.into()))
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        // Close the old port first: a port can be open only once.
        self.port = None;
        self.port = Some(open(&self.path, &self.settings)?);
        Ok(())
    }
}

/// How long to wait until the port says that some of these bytes were sent. Some USB adapters say so only after hundreds of
/// bytes.
fn time_on_the_line(bytes: usize, settings: &PortSection) -> Duration {
    let bytes = bytes.min(BUFFER_BYTES);
    let CharacterFormat { data_bits, parity, stop_bits } = settings.format;
    let bits = 1 + data_bits + u8::from(parity != Parity::None) + stop_bits;
    let bits = bytes as u64 * u64::from(bits);
    Duration::from_millis(bits.saturating_mul(1000) / u64::from(settings.baud.max(1)))
}

/// Writes all of `bytes`, as long as the port goes on taking them.
fn write_all(port: &mut dyn SerialPort, mut bytes: &[u8], patience: Duration) -> io::Result<()> {
    port.set_timeout(patience)?;
    let mut taken = Instant::now();
    while !bytes.is_empty() {
        match port.write(bytes) {
            Ok(0) => return Err(ErrorKind::BrokenPipe.into()),
            Ok(count) => {
                bytes = &bytes[count..];
                taken = Instant::now();
            }
            Err(error) if is_not_yet(&error) && taken.elapsed() < patience => {}
            Err(error) if is_not_yet(&error) => return Err(ErrorKind::TimedOut.into()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Waits until the port has sent what it took, as long as it goes on sending.
///
/// `flush` alone has no limit of time. It is called when the queue is empty: what is then still in the hardware leaves
/// soon.
fn drain(port: &mut dyn SerialPort, patience: Duration) -> io::Result<()> {
    let mut left = port.bytes_to_write()?;
    let mut sent = Instant::now();
    while left > 0 {
        if sent.elapsed() > patience {
            return Err(ErrorKind::TimedOut.into());
        }
        thread::sleep(LOOK);
        let now = port.bytes_to_write()?;
        if now < left {
            sent = Instant::now();
        }
        left = now;
    }
    port.flush()
}

fn is_not_yet(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Maps errors that the port library describes only in their text to the kinds that [`TimedLink`]
/// promises.
///
/// A flush fails when the terminal was hung up; its error says only "flush failed".
fn classify(error: io::Error) -> io::Error {
    let kind = match error.to_string().as_str() {
        "Not a typewriter" | "Inappropriate ioctl for device" => ErrorKind::Unsupported,
        "I/O error"
        | "Input/output error"
        | "No such device"
        | "No such device or address"
        | "flush failed" => ErrorKind::BrokenPipe,
        _ => return error,
    };
    io::Error::new(kind, error)
}

#[cfg(test)]
mod tests;
