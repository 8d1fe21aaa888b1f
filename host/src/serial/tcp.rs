//! A TCP connection as a [`Link`].

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;

use super::error::OpenError;
use super::link::Link;
use crate::device::Line;

/// How long a host may take to answer.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// How long the other end may take to take bytes.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);
/// After so long a silence the system asks whether the other end is still there,
const KEEP_ALIVE_AFTER: Duration = Duration::from_secs(10);
/// again and again at this distance,
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(5);
/// and gives up after so many questions.
const KEEP_ALIVE_TIMES: u32 = 3;

/// A TCP connection: bytes as they are, without lines and settings.
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
    /// There is no such host, or nothing listens there.
    pub fn connect(address: &str) -> Result<Self, OpenError> {
        let stream = connect(address)?;
        Ok(Self { address: address.to_owned(), stream, opened: Instant::now() })
    }

    /// Where it leads.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Waits until the connection is ready; false when it is not by then.
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

impl Link for TcpLink {
    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        while self.wait(PollFlags::IN, until)? {
            match self.stream.read(buffer) {
                Ok(0) => return Err(ErrorKind::BrokenPipe.into()),
                Err(error) if is_not_yet(&error) => {}
                result => return result.map_err(lost),
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

    fn set(&mut self, _: Line, _: bool) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    /// What is still on its way through the network is not reached.
    fn clear(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        let now = self.now();
        // A device that never stops must not hold us here.
        while self.now() < now + WRITE_PATIENCE && self.read(&mut buffer, now)? > 0 {}
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        // First let go of what is left of it: some servers have one client only.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        self.stream = connect(&self.address)?;
        Ok(())
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

/// Sends each piece at once, and notices when the other end has vanished.
fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    sockopt::set_socket_keepalive(&stream, true)?;
    sockopt::set_tcp_keepidle(&stream, KEEP_ALIVE_AFTER)?;
    sockopt::set_tcp_keepintvl(&stream, KEEP_ALIVE_EVERY)?;
    sockopt::set_tcp_keepcnt(&stream, KEEP_ALIVE_TIMES)?;
    Ok(stream)
}

fn is_not_yet(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// A connection that failed in any way is of no more use.
fn lost(error: io::Error) -> io::Error {
    io::Error::new(ErrorKind::BrokenPipe, error)
}
