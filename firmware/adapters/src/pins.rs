//! A device on pins: levels and pulses go in, levels come out.

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{InputPin, OutputPin, PinState};
use mealybug_core::wire::message::DeviceError;

use crate::{Act, Probe, Seen, asynchronous};

/// What is done to a device on pins. Pin 0 is the lowest bit of a pattern: the last digit of
/// `0b01`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drive {
    /// Set all pins that go to the device to these levels, and keep them.
    Levels(u32),
    /// Invert one pin for a while.
    Pulse {
        /// The pin's index among those that go to the device.
        pin: usize,
        /// How long the pulse lasts.
        width_us: u32,
    },
}

/// A device on pins. The probe sees the levels of the pins that come from the device, such as
/// `0b01`.
///
/// All pins of a group have one type. Most HALs can erase the type of a pin, and
/// `&mut dyn OutputPin<Error = E>` works for any.
#[derive(Debug)]
pub struct Pins<O, I, const TO: usize, const FROM: usize> {
    to_device: [O; TO],
    from_device: [I; FROM],
    at_rest: u32,
    settle_us: u32,
    levels: u32,
}

impl<O, I, const TO: usize, const FROM: usize> Pins<O, I, TO, FROM> {
    /// Pins to a device and pins from it, at most 32 each. At a reset, and before the first one,
    /// the pins to the device have the levels `at_rest`. The probe reads the pins from it
    /// `settle_us` after a change.
    pub const fn new(
        to_device: [O; TO],
        from_device: [I; FROM],
        at_rest: u32,
        settle_us: u32,
    ) -> Self {
        const { assert!(TO <= 32 && FROM <= 32, "a pattern has 32 bits") };
        Self { to_device, from_device, at_rest, settle_us, levels: at_rest }
    }
}

impl<O: OutputPin, I: InputPin, const TO: usize, const FROM: usize> Pins<O, I, TO, FROM> {
    fn drive(&mut self, levels: u32) -> Result<(), DeviceError> {
        self.levels = levels;
        for (at, pin) in self.to_device.iter_mut().enumerate() {
            let level = PinState::from(levels >> at & 1 != 0);
            pin.set_state(level).map_err(|_| DeviceError::Pin)?;
        }
        Ok(())
    }

    /// Begins an action. For a pulse, returns its length and the levels after it.
    fn begin(&mut self, drive: Drive) -> Result<Option<(u32, u32)>, DeviceError> {
        match drive {
            Drive::Levels(levels) => self.drive(levels).map(|()| None),
            Drive::Pulse { pin, width_us } => {
                let before = self.levels;
                // There are at most 32 pins, so a valid pin has a bit of its own.
                let bit =
                    if pin < TO { 1_u32 << (pin % 32) } else { return Err(DeviceError::Pin) };
                self.drive(before ^ bit)?;
                Ok(Some((width_us, before)))
            }
        }
    }

    fn read(&mut self, seen: &mut Seen) -> Result<(), DeviceError> {
        seen.push(b"0b")?;
        for pin in self.from_device.iter_mut().rev() {
            let is_high = pin.is_high().map_err(|_| DeviceError::Pin)?;
            seen.push(if is_high { b"1" } else { b"0" })?;
        }
        Ok(())
    }
}

impl<O: OutputPin, I: InputPin, const TO: usize, const FROM: usize> Probe for Pins<O, I, TO, FROM> {
    fn look(&mut self, seen: &mut Seen) -> Result<(), DeviceError> {
        self.read(seen)
    }

    fn rest(&mut self) -> Result<(), DeviceError> {
        self.drive(self.at_rest)
    }
}

impl<O: OutputPin, I: InputPin, const TO: usize, const FROM: usize> Act<Drive>
    for Pins<O, I, TO, FROM>
{
    fn act(
        &mut self,
        drive: &Drive,
        delay: &mut impl DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        if let Some((width_us, before)) = self.begin(*drive)? {
            delay.delay_us(width_us);
            self.drive(before)?;
        }
        delay.delay_us(self.settle_us);
        self.read(seen)
    }
}

impl<O: OutputPin, I: InputPin, const TO: usize, const FROM: usize> asynchronous::Act<Drive>
    for Pins<O, I, TO, FROM>
{
    async fn act(
        &mut self,
        drive: &Drive,
        delay: &mut impl embedded_hal_async::delay::DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        if let Some((width_us, before)) = self.begin(*drive)? {
            delay.delay_us(width_us).await;
            self.drive(before)?;
        }
        delay.delay_us(self.settle_us).await;
        self.read(seen)
    }
}
