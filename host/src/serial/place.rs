//! The serial port of a place of a labgrid coordinator as a [`TimedLink`].

use std::io;
use std::time::Duration;

use super::error::OpenError;
use super::link::TimedLink;
use super::rfc2217::Rfc2217Link;
use super::tcp::TcpLink;
use crate::device::{ControlLine, PortSection};
use crate::place::{Place, PlacePort};

/// The serial port of a place, which is released when the link is dropped.
#[derive(Debug)]
pub(super) struct PlaceLink {
    // Before the place: the port is closed before somebody else gets it.
    link: Box<dyn TimedLink + Send>,
    place: Place,
    settings: PortSection,
    /// The time at which the clock of `link` began.
    began: Duration,
}

impl PlaceLink {
    /// Opens the serial port of a place.
    ///
    /// # Errors
    /// The port cannot be opened.
    pub(super) fn open(place: Place, settings: &PortSection) -> Result<Self, OpenError> {
        let link = connect(place.port(), settings)?;
        Ok(Self { link, place, settings: settings.clone(), began: Duration::ZERO })
    }

    /// Fails if somebody took the place away: then the device is no longer ours to talk to.
    fn require(&self) -> io::Result<()> {
        self.place.require().map_err(io::Error::other)
    }
}

impl TimedLink for PlaceLink {
    fn now(&self) -> Duration {
        self.began + self.link.now()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        self.require()?;
        self.link.read(buffer, until.saturating_sub(self.began))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.require()?;
        self.link.write(bytes)
    }

    fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()> {
        self.require()?;
        self.link.set(line, level)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.require()?;
        self.link.clear()
    }

    fn clear_received(&mut self) -> io::Result<()> {
        self.require()?;
        self.link.clear_received()
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        self.place.require().map_err(Box::new)?;
        let Err(error) = self.link.reopen() else { return Ok(()) };
        let before = self.place.port().clone();
        if *self.place.find_port().map_err(Box::new)? == before {
            return Err(error);
        }
        let now = self.now();
        self.link = connect(self.place.port(), &self.settings)?;
        self.began = now.saturating_sub(self.link.now());
        Ok(())
    }

    fn has_baud(&self) -> bool {
        self.link.has_baud()
    }

    fn place(&self) -> Option<&str> {
        Some(self.place.name())
    }
}

fn connect(
    port: &PlacePort,
    settings: &PortSection,
) -> Result<Box<dyn TimedLink + Send>, OpenError> {
    Ok(match port {
        PlacePort::Tcp(address) => Box::new(TcpLink::connect(address)?),
        PlacePort::Rfc2217(address) => Box::new(Rfc2217Link::connect(address, settings)?),
    })
}
