//! Pins beside a serial line: the reset line of a device, a switch in its power supply, a button.

use embedded_hal::digital::{OutputPin, PinState};
use mealybug_core::wire::message::DeviceError;

/// Pins that the program of a board names, for steps such as `{ pin = "reset" }` of a device file:
/// none, a [`NamedPin`], or several in an array or a pair.
pub trait NamedPins {
    /// Whether a pin has this name.
    fn has(&self, name: &[u8]) -> bool;

    /// Sets the pin of this name to its active level, or back to rest.
    ///
    /// # Errors
    /// The hardware failed, or no pin has this name.
    fn set(&mut self, name: &[u8], is_active: bool) -> Result<(), DeviceError>;
}

/// A pin with a name. It must be at rest at first.
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

impl NamedPins for () {
    fn has(&self, _: &[u8]) -> bool {
        false
    }

    fn set(&mut self, _: &[u8], _: bool) -> Result<(), DeviceError> {
        Err(DeviceError::Pin)
    }
}

impl<O: OutputPin> NamedPins for NamedPin<O> {
    fn has(&self, name: &[u8]) -> bool {
        self.name.as_bytes() == name
    }

    fn set(&mut self, name: &[u8], is_active: bool) -> Result<(), DeviceError> {
        if !self.has(name) {
            return Err(DeviceError::Pin);
        }
        let level = if is_active { self.active } else { !self.active };
        self.pin.set_state(level).map_err(|_| DeviceError::Pin)
    }
}

impl<A: NamedPins, B: NamedPins> NamedPins for (A, B) {
    fn has(&self, name: &[u8]) -> bool {
        self.0.has(name) || self.1.has(name)
    }

    fn set(&mut self, name: &[u8], is_active: bool) -> Result<(), DeviceError> {
        if self.0.has(name) { self.0.set(name, is_active) } else { self.1.set(name, is_active) }
    }
}

impl<P: NamedPins, const N: usize> NamedPins for [P; N] {
    fn has(&self, name: &[u8]) -> bool {
        self.iter().any(|pin| pin.has(name))
    }

    fn set(&mut self, name: &[u8], is_active: bool) -> Result<(), DeviceError> {
        let pin = self.iter_mut().find(|pin| pin.has(name));
        pin.ok_or(DeviceError::Pin)?.set(name, is_active)
    }
}
