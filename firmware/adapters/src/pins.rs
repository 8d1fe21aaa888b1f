//! A device with pins: levels and pulses go in, levels come out.

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{InputPin, OutputPin, PinState};
use mealybug_core::wire::message::DeviceError;

use crate::{Act, Probe, Seen, asynchronous};

/// What is done to a device with pins. Pin 0 has the lowest bit of a pattern, as the last digit of
/// `0b01`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drive {
    /// All pins that go to the device get these levels, and keep them.
    Levels(u32),
    /// One pin gets the other level for so long.
    Pulse {
        /// Its place among the pins that go to the device.
        pin: usize,
        /// How long.
        width_us: u32,
    },
}

/// A device at the end of some pins. What is seen are the levels of those that come from it, such
/// as `0b01`.
///
/// The pins of a group have one type: pins of most HALs can be made so, and
/// `&mut dyn OutputPin<Error = E>` is one type for all.
#[derive(Debug)]
pub struct Pins<O, I, const TO: usize, const FROM: usize> {
    to_device: [O; TO],
    from_device: [I; FROM],
    at_rest: u32,
    settle_us: u32,
    levels: u32,
}

impl<O, I, const TO: usize, const FROM: usize> Pins<O, I, TO, FROM> {
    /// Pins that go to a device and pins that come from it, at most 32 each. Until a reset, and at
    /// each, those to it have the levels `at_rest`; what it does about a change is seen `settle_us`
    /// later.
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

    /// Begins an action: if it is a pulse, how long it lasts and the levels after it.
    fn begin(&mut self, drive: Drive) -> Result<Option<(u32, u32)>, DeviceError> {
        match drive {
            Drive::Levels(levels) => self.drive(levels).map(|()| None),
            Drive::Pulse { pin, width_us } => {
                let before = self.levels;
                // There are at most 32, so this one's bit is there if the pin is.
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
