//! A TCP connection as a [`TimedLink`].

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;

use super::error::OpenError;
use super::link::TimedLink;
use crate::device::ControlLine;

/// How long to wait for the host.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait until the other end accepts bytes.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);
/// TCP keep-alive: the silence before the first probe,
const KEEP_ALIVE_AFTER: Duration = Duration::from_secs(10);
/// the time between probes,
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(5);
/// and the number of unanswered probes that end the connection.
const KEEP_ALIVE_TIMES: u32 = 3;

/// A TCP connection that carries the plain bytes, without control lines and settings.
#[derive(Debug)]
pub struct TcpLink {
    address: String,
    stream: TcpStream,
    opened: Instant,
}

impl TcpLink {
    /// Connects to `address`, HOST:PORT.
    ///
    /// # Errors
    /// The host does not exist, or nothing listens there.
    pub fn connect(address: &str) -> Result<Self, OpenError> {
        let stream = connect(address)?;
        Ok(Self { address: address.to_owned(), stream, opened: Instant::now() })
    }

    /// The address that it is connected to.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Waits until the connection is ready; false if the time is over first.
    fn wait(&self, ready: PollFlags, until: Duration) -> io::Result<bool> {
        loop {
            let left = until.saturating_sub(self.now());
            let left = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 3600, tv_nsec: 0 });
            match poll(&mut [PollFd::new(&self.stream, ready)], Some(&left)) {
                Err(rustix::io::Errno::INTR) => {}
                count => return Ok(count? > 0),
            }
        }
    }
}

impl TimedLink for TcpLink {
    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        while self.wait(PollFlags::IN, until)? {
            match self.stream.read(buffer) {
                Ok(0) => return Err(ErrorKind::BrokenPipe.into()),
                Err(error) if is_not_yet(&error) => {}
                result => {
                    let count = result.map_err(lost)?;
                    acknowledge(&self.stream);
                    return Ok(count);
                }
            }
        }
        Ok(0)
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let until = self.now() + WRITE_PATIENCE;
        while !bytes.is_empty() {
            match self.stream.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if is_not_yet(&error) => {
                    if !self.wait(PollFlags::OUT, until)? {
                        return Err(ErrorKind::TimedOut.into());
                    }
                }
                Err(error) => return Err(lost(error)),
            }
        }
        Ok(())
    }

    fn set(&mut self, _: ControlLine, _: bool) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Discards what was received. What is still in the network is not discarded, nor is what was sent.
    fn clear(&mut self) -> io::Result<()> {
        self.clear_received()
    }

    fn clear_received(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        let now = self.now();
        // Without the time limit, a device that never stops sending would keep us here.
        while self.now() < now + WRITE_PATIENCE && self.read(&mut buffer, now)? > 0 {}
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        // Close the old connection first: some servers accept only one client.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        self.stream = connect(&self.address)?;
        Ok(())
    }

    fn has_baud(&self) -> bool {
        false
    }
}

fn connect(address: &str) -> Result<TcpStream, OpenError> {
    let unreachable = |source| OpenError::Unreachable { address: address.to_owned(), source };
    let addresses = address.to_socket_addrs().map_err(|source| {
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        OpenError::NoHost { host: host.to_owned(), source }
    })?;
    let mut last = ErrorKind::NotFound.into();
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECT_PATIENCE) {
            Ok(stream) => return prepared(stream).map_err(unreachable),
            Err(error) => last = error,
        }
    }
    Err(match last.kind() {
        ErrorKind::ConnectionRefused => OpenError::Refused { address: address.to_owned() },
        _ => unreachable(last),
    })
}

/// Sends small pieces at once, and detects when the other end has vanished.
fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    sockopt::set_socket_keepalive(&stream, true)?;
    sockopt::set_tcp_keepidle(&stream, KEEP_ALIVE_AFTER)?;
    sockopt::set_tcp_keepintvl(&stream, KEEP_ALIVE_EVERY)?;
    sockopt::set_tcp_keepcnt(&stream, KEEP_ALIVE_TIMES)?;
    Ok(stream)
}

/// Acknowledges at once what was read: a server with Nagle's algorithm sends the rest of an answer only then, and Linux
/// waits up to 40 ms for something to send along. The kernel forgets this setting, so it must be set after each read.
#[cfg(target_os = "linux")]
fn acknowledge(stream: &TcpStream) {
    // Without it, the connection is only slower.
    let _ = sockopt::set_tcp_quickack(stream, true);
}

#[cfg(not(target_os = "linux"))]
fn acknowledge(_: &TcpStream) {}

fn is_not_yet(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Any error means that the connection is unusable.
fn lost(error: io::Error) -> io::Error {
    io::Error::new(ErrorKind::BrokenPipe, error)
}
