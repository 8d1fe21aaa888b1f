//! What the program of a board offers to device files, by names.

use embedded_hal::i2c::ErrorKind as I2cFault;
use embedded_hal::spi::ErrorKind as SpiFault;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::probe::OfferKind;

/// What a board offers: nothing, something with a name ([`NamedPin`](crate::NamedPin),
/// [`SensedPin`](crate::SensedPin), [`OpenDrainPin`](crate::OpenDrainPin), [`NamedI2c`](crate::NamedI2c), [`NamedSpi`](crate::NamedSpi),
/// [`NamedAnalog`](crate::NamedAnalog), [`NamedEdges`](crate::NamedEdges)), or several of them in
/// arrays and pairs.
///
/// Buses are in [`Buses`], since they can be awaited. Without it, an offer serves steps such as
/// `{ pin = "reset" }` beside a serial line.
pub trait Offers {
    /// Calls `see` with the kind and the name of everything that is offered.
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str));

    /// Whether something of this kind and name is offered.
    fn has(&self, kind: OfferKind, name: &[u8]) -> bool {
        let mut is_there = false;
        self.each(&mut |is, called| is_there |= is == kind && called.as_bytes() == name);
        is_there
    }

    /// Sets a pin to its active level, or back to rest.
    ///
    /// # Errors
    /// The hardware failed, or no pin to the device has this name.
    fn set(&mut self, name: &[u8], is_active: bool) -> Result<(), DeviceError> {
        let _ = (name, is_active);
        Err(DeviceError::Pin)
    }

    /// Sets all pins to the device to rest.
    ///
    /// # Errors
    /// The hardware failed; the other pins are at rest.
    fn rest(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Whether a sensed pin has its active level.
    ///
    /// # Errors
    /// The hardware failed, or no sensed pin has this name.
    fn is_active(&mut self, name: &[u8]) -> Result<bool, DeviceError> {
        let _ = name;
        Err(DeviceError::Pin)
    }

    /// The voltage at an analog input.
    ///
    /// # Errors
    /// The hardware failed, or no input has this name.
    fn millivolts(&mut self, name: &[u8]) -> Result<u32, DeviceError> {
        let _ = name;
        Err(DeviceError::Pin)
    }

    /// The number of edges that a counter has seen. It wraps.
    ///
    /// # Errors
    /// The hardware failed, or no counter has this name.
    fn edges(&mut self, name: &[u8]) -> Result<u32, DeviceError> {
        let _ = name;
        Err(DeviceError::Pin)
    }
}

/// The buses of [`Offers`]. [`asynchronous::Buses`](crate::asynchronous::Buses) has those that are
/// awaited.
pub trait Buses: Offers {
    /// Writes to a device on an I2C bus, and then fills `read` after a repeated start. An empty
    /// `write` or `read` is left out.
    ///
    /// # Errors
    /// What went wrong; [`I2cFault::Other`] if no bus has this name.
    fn i2c(
        &mut self,
        bus: &[u8],
        address: u8,
        write: &[u8],
        read: &mut [u8],
    ) -> Result<(), I2cFault> {
        let _ = (bus, address, write, read);
        Err(I2cFault::Other)
    }

    /// Sends `bytes` to a device on an SPI bus. The bytes that come back replace them.
    ///
    /// # Errors
    /// What went wrong; [`SpiFault::Other`] if no device has this name.
    fn spi(&mut self, device: &[u8], bytes: &mut [u8]) -> Result<(), SpiFault> {
        let _ = (device, bytes);
        Err(SpiFault::Other)
    }
}

impl Offers for () {
    fn each(&self, _: &mut dyn FnMut(OfferKind, &'static str)) {}
}

impl Buses for () {}

impl<A: Offers, B: Offers> Offers for (A, B) {
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        self.0.each(see);
        self.1.each(see);
    }

    fn set(&mut self, name: &[u8], is_active: bool) -> Result<(), DeviceError> {
        match self.0.has(OfferKind::Drive, name) {
            true => self.0.set(name, is_active),
            false => self.1.set(name, is_active),
        }
    }

    fn rest(&mut self) -> Result<(), DeviceError> {
        let first = self.0.rest();
        self.1.rest().and(first)
    }

    fn is_active(&mut self, name: &[u8]) -> Result<bool, DeviceError> {
        match self.0.has(OfferKind::Sense, name) {
            true => self.0.is_active(name),
            false => self.1.is_active(name),
        }
    }

    fn millivolts(&mut self, name: &[u8]) -> Result<u32, DeviceError> {
        match self.0.has(OfferKind::Analog, name) {
            true => self.0.millivolts(name),
            false => self.1.millivolts(name),
        }
    }

    fn edges(&mut self, name: &[u8]) -> Result<u32, DeviceError> {
        match self.0.has(OfferKind::Edges, name) {
            true => self.0.edges(name),
            false => self.1.edges(name),
        }
    }
}

impl<A: Buses, B: Buses> Buses for (A, B) {
    fn i2c(
        &mut self,
        bus: &[u8],
        address: u8,
        write: &[u8],
        read: &mut [u8],
    ) -> Result<(), I2cFault> {
        match self.0.has(OfferKind::I2c, bus) {
            true => self.0.i2c(bus, address, write, read),
            false => self.1.i2c(bus, address, write, read),
        }
    }

    fn spi(&mut self, device: &[u8], bytes: &mut [u8]) -> Result<(), SpiFault> {
        match self.0.has(OfferKind::Spi, device) {
            true => self.0.spi(device, bytes),
            false => self.1.spi(device, bytes),
        }
    }
}

impl<P: Offers, const N: usize> Offers for [P; N] {
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        self.iter().for_each(|offer| offer.each(see));
    }

    fn set(&mut self, name: &[u8], is_active: bool) -> Result<(), DeviceError> {
        let offer = find(self, OfferKind::Drive, name).ok_or(DeviceError::Pin)?;
        offer.set(name, is_active)
    }

    fn rest(&mut self) -> Result<(), DeviceError> {
        let mut all = Ok(());
        for offer in self {
            all = offer.rest().and(all);
        }
        all
    }

    fn is_active(&mut self, name: &[u8]) -> Result<bool, DeviceError> {
        find(self, OfferKind::Sense, name).ok_or(DeviceError::Pin)?.is_active(name)
    }

    fn millivolts(&mut self, name: &[u8]) -> Result<u32, DeviceError> {
        find(self, OfferKind::Analog, name).ok_or(DeviceError::Pin)?.millivolts(name)
    }

    fn edges(&mut self, name: &[u8]) -> Result<u32, DeviceError> {
        find(self, OfferKind::Edges, name).ok_or(DeviceError::Pin)?.edges(name)
    }
}

impl<P: Buses, const N: usize> Buses for [P; N] {
    fn i2c(
        &mut self,
        bus: &[u8],
        address: u8,
        write: &[u8],
        read: &mut [u8],
    ) -> Result<(), I2cFault> {
        let offer = find(self, OfferKind::I2c, bus).ok_or(I2cFault::Other)?;
        offer.i2c(bus, address, write, read)
    }

    fn spi(&mut self, device: &[u8], bytes: &mut [u8]) -> Result<(), SpiFault> {
        find(self, OfferKind::Spi, device).ok_or(SpiFault::Other)?.spi(device, bytes)
    }
}

/// The offer of this kind and name.
pub(crate) fn find<'o, P: Offers>(
    offers: &'o mut [P],
    kind: OfferKind,
    name: &[u8],
) -> Option<&'o mut P> {
    offers.iter_mut().find(|offer| offer.has(kind, name))
}
