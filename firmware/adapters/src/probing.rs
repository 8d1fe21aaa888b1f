//! A device on pins and buses that is probed by rules.

use embedded_hal::delay::DelayNs;
use embedded_hal::i2c::ErrorKind as I2cFault;
use embedded_hal::spi::ErrorKind as SpiFault;
use mealybug_core::wire::message::{DeviceError, Refusal};
use mealybug_core::wire::probe::{MAX_BUS_BYTES, OfferKind, ProbeStep};
use mealybug_core::wire::rule::{Rule, RuleFile};
use mealybug_core::{AsyncSul, Input, Sul};

use crate::probe_rules::{ProbeRules, ProbeSteps};
use crate::registers::see as see_i2c;
use crate::transfers::{room as room_for, see as see_spi};
use crate::{Attached, Buses, Offers, Seen, asynchronous};

/// How often levels are read while they must stay the same.
const READINGS: u32 = 8;

/// How many times the debounce time levels may take to come to rest.
const PATIENCE: u32 = 100;

/// A device that is probed by rules. The board's program offers pins and buses by names, and a host
/// sends the rules, which it makes of a device file with `[probe]`.
///
/// ```
/// use embedded_hal::delay::DelayNs;
/// use embedded_hal::digital::{InputPin, OutputPin, PinState};
/// use embedded_hal::i2c::I2c;
/// use mealybug_adapters::{Attached, NamedI2c, NamedPin, Probing, SensedPin};
///
/// fn board<O: OutputPin, I: InputPin>(
///     [start, door, reset]: [O; 3],
///     [motor, heater]: [I; 2],
///     bus: impl I2c,
///     delay: impl DelayNs,
/// ) -> impl Attached {
///     let active = PinState::High;
///     let to = [
///         NamedPin { name: "start", pin: start, active },
///         NamedPin { name: "door", pin: door, active },
///         NamedPin { name: "reset", pin: reset, active: PinState::Low },
///     ];
///     let from = [
///         SensedPin { name: "motor", pin: motor, active },
///         SensedPin { name: "heater", pin: heater, active },
///     ];
///     Probing::new((to, (from, NamedI2c { name: "sensors", bus })), delay)
/// }
/// ```
#[derive(Debug)]
pub struct Probing<O, D> {
    rules: ProbeRules,
    /// Why the rules of the program were not taken.
    refusal: Option<Refusal>,
    offers: O,
    delay: D,
    look: Look,
}

impl<O: Offers, D> Probing<O, D> {
    /// A device in an unknown state, without rules.
    pub const fn new(offers: O, delay: D) -> Self {
        Self { rules: ProbeRules::new(), refusal: None, offers, delay, look: Look::new() }
    }

    /// A device whose rules are in a file that `mealybug compile` wrote. If it is no file of rules, or
    /// one of them is refused, the device has no rules.
    pub fn with_rules(offers: O, delay: D, file: &[u8]) -> Self {
        let mut device = Self::new(offers, delay);
        for (number, rule) in (0..).zip(RuleFile::new(file).into_iter().flatten()) {
            let rule = rule.ok_or(Refusal::NoRules);
            if let Err(refusal) = rule.and_then(|rule| device.take_rule(number, rule)) {
                device.rules.clear();
                device.refusal = Some(refusal);
                break;
            }
        }
        device
    }

    pub(crate) fn take_rule(&mut self, number: u32, rule: Rule<'_>) -> Result<(), Refusal> {
        self.rules.take(number, rule, &self.offers)?;
        self.refusal = None;
        Ok(())
    }
}

/// What is seen of a device in the course of an input.
#[derive(Debug)]
struct Look {
    seen: Seen,
    /// The last number that was measured, and where its text begins.
    measured: (u32, usize),
    /// The edges at the last [`ProbeStep::Count`].
    counted: u32,
}

impl Look {
    const fn new() -> Self {
        Self { seen: Seen::new(), measured: (0, 0), counted: 0 }
    }

    /// Carries out a step that takes no time.
    fn carry_out(
        &mut self,
        step: ProbeStep<'_>,
        offers: &mut impl Offers,
    ) -> Result<(), DeviceError> {
        match step {
            ProbeStep::Set { pin, is_active } => offers.set(pin, is_active),
            ProbeStep::Voltage { input } => {
                let millivolts = offers.millivolts(input)?;
                self.measure(millivolts)
            }
            ProbeStep::Count { counter } => {
                self.counted = offers.edges(counter)?;
                Ok(())
            }
            ProbeStep::Edges { counter } => {
                let edges = offers.edges(counter)?.wrapping_sub(self.counted);
                self.measure(edges)
            }
            ProbeStep::Level { from, name } if self.measured.0 >= from => {
                self.seen.truncate(self.measured.1);
                self.seen.push(name)
            }
            // The others take time; the caller carries them out.
            _ => Ok(()),
        }
    }

    /// Sees an access of an I2C bus, and the bytes that it has read.
    fn take_i2c(&mut self, done: Result<(), I2cFault>, read: &[u8]) -> Result<(), DeviceError> {
        self.seen.separate()?;
        see_i2c(done, (!read.is_empty()).then_some(read), &mut self.seen)
    }

    /// Sees a transfer on an SPI bus, but not the first bytes that came back.
    fn take_spi(
        &mut self,
        done: Result<(), SpiFault>,
        came: &[u8],
        skip: u8,
    ) -> Result<(), DeviceError> {
        self.seen.separate()?;
        match came.get(skip.into()..).unwrap_or_default() {
            [] if done.is_ok() => self.seen.push(b"ok"),
            came => see_spi(done, came, &mut self.seen),
        }
    }

    fn measure(&mut self, number: u32) -> Result<(), DeviceError> {
        self.seen.separate()?;
        self.measured = (number, self.seen.as_bytes().len());
        self.seen.push_number(number)
    }

    /// Appends the levels of the sensed pins. What was seen of an input is complete then.
    fn end(&mut self, levels: Option<Levels>) -> Result<(), DeviceError> {
        if let Some(Levels { bits, count }) = levels {
            self.seen.separate()?;
            self.seen.push(b"0b")?;
            for at in (0..count).rev() {
                self.seen.push(if bits >> at & 1 == 1 { b"1" } else { b"0" })?;
            }
        }
        if self.seen.as_bytes().is_empty() { self.seen.push(b"ok") } else { Ok(()) }
    }
}

/// The levels of the sensed pins; that of the last one is the lowest bit. There are at most 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Levels {
    bits: u32,
    count: u32,
}

impl Levels {
    /// Reads the pins; `None` if none is sensed.
    fn read(rules: &ProbeRules, offers: &mut impl Offers) -> Result<Option<Self>, DeviceError> {
        let mut levels = Self { bits: 0, count: 0 };
        for pin in rules.sensed() {
            levels.bits = levels.bits << 1 | u32::from(offers.is_active(pin)?);
            levels.count += 1;
        }
        Ok((levels.count > 0).then_some(levels))
    }
}

/// Waits until levels stay the same.
struct Debounce {
    debounce_us: u32,
    last: Option<Levels>,
    /// How many readings were like the last one, and how many readings there were.
    same: u32,
    all: u32,
}

impl Debounce {
    fn new(debounce_us: u32) -> Self {
        Self { debounce_us, last: None, same: 0, all: 0 }
    }

    /// Takes a reading. Returns after how many microseconds to take another one; `None` if this one
    /// counts.
    fn take(&mut self, levels: Option<Levels>) -> Result<Option<u32>, DeviceError> {
        self.same = if self.last == levels { self.same + 1 } else { 0 };
        self.last = levels;
        self.all += 1;
        if levels.is_none() || self.debounce_us == 0 || self.same == READINGS {
            return Ok(None);
        }
        if self.all > READINGS * PATIENCE {
            return Err(DeviceError::Restless);
        }
        Ok(Some(self.debounce_us.div_ceil(READINGS)))
    }
}

/// Carries out steps.
fn run(
    steps: ProbeSteps<'_>,
    offers: &mut impl Buses,
    delay: &mut impl DelayNs,
    look: &mut Look,
) -> Result<(), DeviceError> {
    for step in steps {
        match step {
            ProbeStep::Wait { ms } => delay.delay_ms(ms),
            ProbeStep::Pulse { pin, ms } => {
                offers.set(pin, true)?;
                delay.delay_ms(ms);
                offers.set(pin, false)?;
            }
            ProbeStep::I2c { bus, address, write, read } => {
                let mut room = [0; MAX_BUS_BYTES];
                let room = room.get_mut(..read.into()).ok_or(DeviceError::TooLong)?;
                let done = offers.i2c(bus, address, write, room);
                look.take_i2c(done, room)?;
            }
            ProbeStep::Spi { device, send, skip } => {
                let mut room = [0; MAX_BUS_BYTES];
                let room = room_for(send, &mut room)?;
                let done = offers.spi(device, room);
                look.take_spi(done, room, skip)?;
            }
            at_once => look.carry_out(at_once, offers)?,
        }
    }
    Ok(())
}

/// A pulse on a pin, which ends when it is dropped.
struct Pulse<'o, 'p, O: Offers> {
    offers: &'o mut O,
    pin: &'p [u8],
    is_over: bool,
}

impl<'o, 'p, O: Offers> Pulse<'o, 'p, O> {
    fn begin(offers: &'o mut O, pin: &'p [u8]) -> Result<Self, DeviceError> {
        offers.set(pin, true)?;
        Ok(Self { offers, pin, is_over: false })
    }

    fn end(mut self) -> Result<(), DeviceError> {
        self.is_over = true;
        self.offers.set(self.pin, false)
    }
}

impl<O: Offers> Drop for Pulse<'_, '_, O> {
    fn drop(&mut self) {
        if !self.is_over {
            // Nobody is there any more to hear of a failure.
            let _ = self.offers.set(self.pin, false);
        }
    }
}

/// The same for awaited hardware.
async fn run_async(
    steps: ProbeSteps<'_>,
    offers: &mut impl asynchronous::Buses,
    delay: &mut impl embedded_hal_async::delay::DelayNs,
    look: &mut Look,
) -> Result<(), DeviceError> {
    for step in steps {
        match step {
            ProbeStep::Wait { ms } => delay.delay_ms(ms).await,
            ProbeStep::Pulse { pin, ms } => {
                let pulse = Pulse::begin(offers, pin)?;
                delay.delay_ms(ms).await;
                pulse.end()?;
            }
            ProbeStep::I2c { bus, address, write, read } => {
                let mut room = [0; MAX_BUS_BYTES];
                let room = room.get_mut(..read.into()).ok_or(DeviceError::TooLong)?;
                let done = offers.i2c(bus, address, write, room).await;
                look.take_i2c(done, room)?;
            }
            ProbeStep::Spi { device, send, skip } => {
                let mut room = [0; MAX_BUS_BYTES];
                let room = room_for(send, &mut room)?;
                let done = offers.spi(device, room).await;
                look.take_spi(done, room, skip)?;
            }
            at_once => look.carry_out(at_once, offers)?,
        }
    }
    Ok(())
}

impl<O: Buses, D: DelayNs> Sul for Probing<O, D> {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        let Self { rules, offers, delay, look, .. } = self;
        look.seen.clear();
        run(rules.reset().ok_or(DeviceError::NotReset)?, offers, delay, look)
    }

    fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        let Self { rules, offers, delay, look, .. } = self;
        look.seen.clear();
        run(rules.input(input).unwrap_or_default().1, offers, delay, look)?;
        let (settle_us, debounce_us) = rules.settle_us();
        delay.delay_us(settle_us);
        let mut debounce = Debounce::new(debounce_us);
        let levels = loop {
            let levels = Levels::read(rules, offers)?;
            match debounce.take(levels)? {
                Some(us) => delay.delay_us(us),
                None => break levels,
            }
        };
        look.end(levels)?;
        Ok(look.seen.as_bytes())
    }
}

impl<O, D> AsyncSul for Probing<O, D>
where
    O: asynchronous::Buses,
    D: embedded_hal_async::delay::DelayNs,
{
    type Error = DeviceError;

    async fn reset(&mut self) -> Result<(), DeviceError> {
        let Self { rules, offers, delay, look, .. } = self;
        look.seen.clear();
        run_async(rules.reset().ok_or(DeviceError::NotReset)?, offers, delay, look).await
    }

    async fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        let Self { rules, offers, delay, look, .. } = self;
        look.seen.clear();
        run_async(rules.input(input).unwrap_or_default().1, offers, delay, look).await?;
        let (settle_us, debounce_us) = rules.settle_us();
        delay.delay_us(settle_us).await;
        let mut debounce = Debounce::new(debounce_us);
        let levels = loop {
            let levels = Levels::read(rules, offers)?;
            match debounce.take(levels)? {
                Some(us) => delay.delay_us(us).await,
                None => break levels,
            }
        };
        look.end(levels)?;
        Ok(look.seen.as_bytes())
    }
}

impl<O: Buses, D: DelayNs> Attached for Probing<O, D> {
    fn inputs(&self) -> u32 {
        self.rules.inputs()
    }

    fn input_name(&self, input: Input) -> &[u8] {
        self.rules.input(input).unwrap_or_default().0
    }

    fn take(&mut self, number: u32, rule: &[u8]) -> Result<(), Refusal> {
        self.take_rule(number, Rule::decode(rule).ok_or(Refusal::NoRules)?)
    }

    fn offers(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        self.offers.each(see);
    }

    fn rest(&mut self) -> Result<(), DeviceError> {
        self.offers.rest()
    }

    fn rules_digest(&self) -> u32 {
        self.rules.digest()
    }

    fn check(&self) -> Result<(), Refusal> {
        self.refusal.map_or_else(|| self.rules.check(), Err)
    }
}
