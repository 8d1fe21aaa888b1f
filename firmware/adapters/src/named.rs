//! Pins, buses, analog inputs and counters with names.

use embedded_hal::digital::{InputPin, OutputPin, PinState};
use embedded_hal::i2c::{Error as _, ErrorKind as I2cFault, I2c};
use embedded_hal::spi::{Error as _, ErrorKind as SpiFault, SpiDevice};
use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::probe::OfferKind;

use crate::{Buses, Offers, asynchronous};

/// An analog input. embedded-hal has no trait for it.
pub trait Analog {
    /// Measures the voltage, in millivolts. Where one measurement is noisy, return the median of
    /// several.
    ///
    /// # Errors
    /// [`DeviceError::Pin`]: the hardware failed.
    fn millivolts(&mut self) -> Result<u32, DeviceError>;
}

/// A counter of edges: a timer that counts or captures, or [`EdgeCount`](crate::EdgeCount) and an
/// interrupt. embedded-hal has no trait for it.
pub trait Edges {
    /// The number of edges so far. It wraps.
    ///
    /// # Errors
    /// [`DeviceError::Pin`]: the hardware failed.
    fn count(&mut self) -> Result<u32, DeviceError>;
}

/// A pin to the device, or to its reset line, to a switch in its power supply, to a button. It must be
/// at rest at first.
///
/// With a switch in the power supply, the other lines to the device may power it: a transmitter is
/// high at rest.
#[derive(Debug)]
pub struct NamedPin<O> {
    /// Its name in device files.
    pub name: &'static str,
    /// The pin.
    pub pin: O,
    /// The level that holds the device in reset, switches it off, or presses the button.
    pub active: PinState,
}

/// A pin from the device.
#[derive(Debug)]
pub struct SensedPin<I> {
    /// Its name in device files.
    pub name: &'static str,
    /// The pin.
    pub pin: I,
    /// The level that outputs show as `1`.
    pub active: PinState,
}

/// A pin with an open drain, which a device file may use as a pin to the device or as one from it. Its active level is low: it
/// pulls the line, or lets it go and reads. The line, the device or the board pulls it up.
#[derive(Debug)]
pub struct OpenDrainPin<P> {
    /// Its name in device files.
    pub name: &'static str,
    /// The pin, at rest at first.
    pub pin: P,
}

/// An I2C bus.
#[derive(Debug)]
pub struct NamedI2c<B> {
    /// Its name in device files.
    pub name: &'static str,
    /// The bus.
    pub bus: B,
}

/// A device on an SPI bus.
#[derive(Debug)]
pub struct NamedSpi<S> {
    /// Its name in device files.
    pub name: &'static str,
    /// The device.
    pub device: S,
}

/// An analog input.
#[derive(Debug)]
pub struct NamedAnalog<A> {
    /// Its name in device files.
    pub name: &'static str,
    /// The input.
    pub input: A,
}

/// A counter of edges.
#[derive(Debug)]
pub struct NamedEdges<E> {
    /// Its name in device files.
    pub name: &'static str,
    /// The counter.
    pub counter: E,
}

impl<O: OutputPin> Offers for NamedPin<O> {
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        see(OfferKind::Drive, self.name);
    }

    fn set(&mut self, name: &[u8], is_active: bool) -> Result<(), DeviceError> {
        if !self.has(OfferKind::Drive, name) {
            return Err(DeviceError::Pin);
        }
        let level = if is_active { self.active } else { !self.active };
        self.pin.set_state(level).map_err(|_| DeviceError::Pin)
    }

    fn rest(&mut self) -> Result<(), DeviceError> {
        self.pin.set_state(!self.active).map_err(|_| DeviceError::Pin)
    }
}

impl<I: InputPin> Offers for SensedPin<I> {
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        see(OfferKind::Sense, self.name);
    }

    fn is_active(&mut self, name: &[u8]) -> Result<bool, DeviceError> {
        if !self.has(OfferKind::Sense, name) {
            return Err(DeviceError::Pin);
        }
        let is_high = self.pin.is_high().map_err(|_| DeviceError::Pin)?;
        Ok(PinState::from(is_high) == self.active)
    }
}

impl<P: InputPin + OutputPin> Offers for OpenDrainPin<P> {
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        see(OfferKind::Drive, self.name);
        see(OfferKind::Sense, self.name);
    }

    fn set(&mut self, name: &[u8], is_active: bool) -> Result<(), DeviceError> {
        if !self.has(OfferKind::Drive, name) {
            return Err(DeviceError::Pin);
        }
        self.pin.set_state((!is_active).into()).map_err(|_| DeviceError::Pin)
    }

    fn rest(&mut self) -> Result<(), DeviceError> {
        self.pin.set_high().map_err(|_| DeviceError::Pin)
    }

    fn is_active(&mut self, name: &[u8]) -> Result<bool, DeviceError> {
        if !self.has(OfferKind::Sense, name) {
            return Err(DeviceError::Pin);
        }
        self.pin.is_low().map_err(|_| DeviceError::Pin)
    }
}

impl<B> Offers for NamedI2c<B> {
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        see(OfferKind::I2c, self.name);
    }
}

impl<S> Offers for NamedSpi<S> {
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        see(OfferKind::Spi, self.name);
    }
}

impl<A: Analog> Offers for NamedAnalog<A> {
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        see(OfferKind::Analog, self.name);
    }

    fn millivolts(&mut self, name: &[u8]) -> Result<u32, DeviceError> {
        match self.has(OfferKind::Analog, name) {
            true => self.input.millivolts(),
            false => Err(DeviceError::Pin),
        }
    }
}

impl<E: Edges> Offers for NamedEdges<E> {
    fn each(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        see(OfferKind::Edges, self.name);
    }

    fn edges(&mut self, name: &[u8]) -> Result<u32, DeviceError> {
        match self.has(OfferKind::Edges, name) {
            true => self.counter.count(),
            false => Err(DeviceError::Pin),
        }
    }
}

impl<O: OutputPin> Buses for NamedPin<O> {}
impl<I: InputPin> Buses for SensedPin<I> {}
impl<P: InputPin + OutputPin> Buses for OpenDrainPin<P> {}
impl<A: Analog> Buses for NamedAnalog<A> {}
impl<E: Edges> Buses for NamedEdges<E> {}
impl<O: OutputPin> asynchronous::Buses for NamedPin<O> {}
impl<I: InputPin> asynchronous::Buses for SensedPin<I> {}
impl<P: InputPin + OutputPin> asynchronous::Buses for OpenDrainPin<P> {}
impl<A: Analog> asynchronous::Buses for NamedAnalog<A> {}
impl<E: Edges> asynchronous::Buses for NamedEdges<E> {}

impl<B: I2c> Buses for NamedI2c<B> {
    fn i2c(
        &mut self,
        bus: &[u8],
        address: u8,
        write: &[u8],
        read: &mut [u8],
    ) -> Result<(), I2cFault> {
        if !self.has(OfferKind::I2c, bus) {
            return Err(I2cFault::Other);
        }
        let done = match (write, &mut *read) {
            (_, []) => self.bus.write(address, write),
            ([], read) => self.bus.read(address, read),
            (_, read) => self.bus.write_read(address, write, read),
        };
        done.map_err(|error| error.kind())
    }
}

impl<B: embedded_hal_async::i2c::I2c> asynchronous::Buses for NamedI2c<B> {
    async fn i2c(
        &mut self,
        bus: &[u8],
        address: u8,
        write: &[u8],
        read: &mut [u8],
    ) -> Result<(), I2cFault> {
        if !self.has(OfferKind::I2c, bus) {
            return Err(I2cFault::Other);
        }
        let done = match (write, &mut *read) {
            (_, []) => self.bus.write(address, write).await,
            ([], read) => self.bus.read(address, read).await,
            (_, read) => self.bus.write_read(address, write, read).await,
        };
        done.map_err(|error| error.kind())
    }
}

impl<S: SpiDevice> Buses for NamedSpi<S> {
    fn spi(&mut self, device: &[u8], bytes: &mut [u8]) -> Result<(), SpiFault> {
        if !self.has(OfferKind::Spi, device) {
            return Err(SpiFault::Other);
        }
        self.device.transfer_in_place(bytes).map_err(|error| error.kind())
    }
}

impl<S: embedded_hal_async::spi::SpiDevice> asynchronous::Buses for NamedSpi<S> {
    async fn spi(&mut self, device: &[u8], bytes: &mut [u8]) -> Result<(), SpiFault> {
        if !self.has(OfferKind::Spi, device) {
            return Err(SpiFault::Other);
        }
        self.device.transfer_in_place(bytes).await.map_err(|error| error.kind())
    }
}
