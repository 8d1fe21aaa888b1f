//! The address of a device: the path of a serial port, or an address on the network.

use super::error::OpenError;
use super::link::TimedLink;
use super::place::PlaceLink;
use super::port::SerialLink;
use super::rfc2217::Rfc2217Link;
use super::tcp::TcpLink;
use crate::device::PortSection;
use crate::place::{Place, PlacePort};

/// The address of a device, as people write it.
///
/// ```
/// use mealybug::serial::PortAddress;
///
/// assert_eq!(PortAddress::parse("/dev/ttyUSB0")?, PortAddress::Path("/dev/ttyUSB0".to_owned()));
/// assert_eq!(PortAddress::parse("tcp:[::1]:4000")?, PortAddress::Tcp("[::1]:4000".to_owned()));
/// assert_eq!(PortAddress::parse("tcp://[::1]:4000")?, PortAddress::Tcp("[::1]:4000".to_owned()));
/// assert!(PortAddress::parse("rfc2217:desk").is_err());
/// # Ok::<(), mealybug::serial::OpenError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortAddress {
    /// A serial port of this computer.
    Path(String),
    /// `tcp:HOST:PORT` or `tcp://HOST:PORT`: a TCP connection that carries the plain bytes.
    Tcp(String),
    /// `rfc2217:HOST:PORT` or `rfc2217://HOST:PORT`: a serial port behind a port server, with its control lines and
    /// settings.
    Rfc2217(String),
    /// `place:NAME`: the serial port of a place of a labgrid coordinator, which is acquired as long as the port is
    /// open. `place:NAME/PORT` is one of its serial ports.
    Place(String),
}

impl PortAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// It is a network address, but not HOST:PORT.
    pub fn parse(text: &str) -> Result<Self, OpenError> {
        let wrong = |why| OpenError::NoAddress { text: text.to_owned(), why };
        let host_and_port = |rest: &str| {
            let address = rest.strip_prefix("//").unwrap_or(rest);
            match address.rsplit_once(':') {
                None => Err(wrong("the number of the TCP port is missing")),
                Some(("", _)) => Err(wrong("the host is missing")),
                Some((_, port)) if port.parse::<u16>().is_err() => {
                    Err(wrong("a TCP port is a number up to 65535"))
                }
                Some(_) => Ok(address.to_owned()),
            }
        };
        if let Some(rest) = text.strip_prefix("tcp:") {
            return host_and_port(rest).map(Self::Tcp);
        }
        if let Some(rest) = text.strip_prefix("rfc2217:") {
            return host_and_port(rest).map(Self::Rfc2217);
        }
        if let Some(name) = text.strip_prefix("place:") {
            let name = if name.is_empty() {
                Err(wrong("the name of the place is missing"))
            } else {
                Ok(name)
            };
            return name.map(|name| Self::Place(name.to_owned()));
        }
        if !text.contains('/') && host_and_port(text).is_ok() {
            return Err(wrong("this looks like an address without `tcp:` or `rfc2217:`"));
        }
        Ok(Self::Path(text.to_owned()))
    }

    /// Opens the port with those of the `settings` that this kind of address has.
    ///
    /// # Errors
    /// The port does not exist, or cannot be opened.
    pub fn open(&self, settings: &PortSection) -> Result<Box<dyn TimedLink + Send>, OpenError> {
        Ok(match self {
            Self::Path(path) => Box::new(SerialLink::open(path, settings)?),
            Self::Tcp(address) => Box::new(TcpLink::connect(address)?),
            Self::Rfc2217(address) => Box::new(Rfc2217Link::connect(address, settings)?),
            Self::Place(name) => {
                let place = Place::acquire(name).map_err(Box::new)?;
                Box::new(PlaceLink::open(place, settings)?)
            }
        })
    }
}

impl From<&PlacePort> for PortAddress {
    fn from(port: &PlacePort) -> Self {
        match port {
            PlacePort::Tcp(address) => Self::Tcp(address.clone()),
            PlacePort::Rfc2217(address) => Self::Rfc2217(address.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_told_of() {
        for (text, said) in [
            ("tcp:desk", "the number of the TCP port is missing"),
            ("tcp::4000", "the host is missing"),
            ("tcp://:4000", "the host is missing"),
            ("rfc2217://desk", "the number of the TCP port is missing"),
            ("tcp:desk:70000", "up to 65535"),
            ("rfc2217:desk:", "up to 65535"),
            ("place:", "the name of the place is missing"),
            ("desk:4000", "without `tcp:`"),
        ] {
            let error = PortAddress::parse(text).expect_err(text).to_string();
            assert!(error.starts_with(&format!("`{text}` is not a port: ")), "{error}");
            assert!(error.contains(said), "{error}");
        }
        for path in ["COM1", "/dev/serial/by-path/pci-0000:00:14.0-usb-0:2:1.0-port0", "a:b"] {
            assert_eq!(
                PortAddress::parse(path).expect("a path"),
                PortAddress::Path(path.to_owned())
            );
        }
    }
}
