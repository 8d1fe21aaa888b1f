//! A device that is probed, with inputs that the board's program defines.

use embedded_hal::delay::DelayNs;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::{AsyncSul, Input, Sul};

use crate::{Act, Attached, Deed, Reset, Seen, asynchronous};

/// An input: its name and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<T> {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub deed: Deed<T>,
}

impl<T> Entry<T> {
    /// An input that acts on the device.
    pub const fn new(name: &'static str, action: T) -> Self {
        Self { name, deed: Deed::Act(action) }
    }

    /// An input that lets time pass, to observe timers of the device.
    pub const fn wait(name: &'static str, ms: u32) -> Self {
        Self { name, deed: Deed::Wait { ms } }
    }
}

/// A device that the board's program knows: a probe, what to do for each input, and a reset. It
/// needs no rules from the host.
///
/// An output is what the probe saw, or the name that the program gives it.
///
/// ```
/// use embedded_hal::delay::DelayNs;
/// use embedded_hal::digital::{InputPin, OutputPin, PinState};
/// use mealybug_adapters::{Attached, Drive, Entry, Pins, Probed, ResetPin};
///
/// static INPUTS: [Entry<Drive>; 3] = [
///     Entry::new("press", Drive::Pulse { pin: 0, width_us: 20_000 }),
///     Entry::new("open the lid", Drive::Levels(0b10)),
///     Entry::wait("wait", 400),
/// ];
/// static NAMES: [(&str, &str); 2] = [("0b00", "off"), ("0b01", "lamp")];
///
/// fn washer<O: OutputPin, I: InputPin>(
///     [button, lid, reset]: [O; 3],
///     lamps: [I; 2],
///     delay: impl DelayNs,
/// ) -> impl Attached {
///     let reset = ResetPin { pin: reset, active: PinState::Low, hold_ms: 1, wait_ms: 50 };
///     let pins = Pins::new([button, lid], lamps, 0b00, 100);
///     Probed::new(&INPUTS, pins, reset, delay).with_names(&NAMES)
/// }
/// ```
#[derive(Debug)]
pub struct Probed<T: 'static, P, R, D> {
    inputs: &'static [Entry<T>],
    names: &'static [(&'static str, &'static str)],
    pub(crate) probe: P,
    pub(crate) reset: R,
    pub(crate) delay: D,
    pub(crate) seen: Seen,
}

impl<T, P, R, D> Probed<T, P, R, D> {
    /// A device with these inputs.
    pub const fn new(inputs: &'static [Entry<T>], probe: P, reset: R, delay: D) -> Self {
        Self { inputs, names: &[], probe, reset, delay, seen: Seen::new() }
    }

    /// Names outputs. Each pair holds what the probe sees, then the name.
    #[must_use]
    pub fn with_names(self, names: &'static [(&'static str, &'static str)]) -> Self {
        Self { names, ..self }
    }

    /// What an input does; `None` if there is no such input.
    pub(crate) fn deed(&self, input: Input) -> Option<&'static Deed<T>> {
        Some(&self.entry(input)?.deed)
    }

    fn entry(&self, input: Input) -> Option<&'static Entry<T>> {
        self.inputs.get(usize::try_from(input.index()).ok()?)
    }

    /// The output: the name of what the probe saw, or what it saw.
    pub(crate) fn output(&self) -> &[u8] {
        let seen = self.seen.as_bytes();
        let named = self.names.iter().find(|(text, _)| text.as_bytes() == seen);
        named.map_or(seen, |(_, name)| name.as_bytes())
    }
}

impl<T, P: Act<T>, R: Reset<P, D>, D: DelayNs> Sul for Probed<T, P, R, D> {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        self.probe.rest()?;
        self.reset.reset(&mut self.probe, &mut self.delay)
    }

    fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        self.seen.clear();
        if let Some(deed) = self.deed(input) {
            deed.run(&mut self.probe, &mut self.delay, &mut self.seen)?;
        }
        Ok(self.output())
    }
}

impl<T, P, R, D> AsyncSul for Probed<T, P, R, D>
where
    P: asynchronous::Act<T>,
    R: asynchronous::Reset<P, D>,
    D: embedded_hal_async::delay::DelayNs,
{
    type Error = DeviceError;

    async fn reset(&mut self) -> Result<(), DeviceError> {
        self.probe.rest()?;
        self.reset.reset(&mut self.probe, &mut self.delay).await
    }

    async fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        self.seen.clear();
        if let Some(deed) = self.deed(input) {
            deed.run_async(&mut self.probe, &mut self.delay, &mut self.seen).await?;
        }
        Ok(self.output())
    }
}

/// What is attached is told by its inputs, however it is waited for.
macro_rules! attached {
    ($Attached:path, $Act:path, $Reset:path, $Delay:path) => {
        impl<T, P: $Act, R: $Reset, D: $Delay> $Attached for Probed<T, P, R, D> {
            fn inputs(&self) -> u32 {
                u32::try_from(self.inputs.len()).unwrap_or(u32::MAX)
            }

            fn input_name(&self, input: Input) -> &[u8] {
                self.entry(input).map_or(&[], |entry| entry.name.as_bytes())
            }

            fn rest(&mut self) -> Result<(), DeviceError> {
                self.probe.rest()
            }
        }
    };
}

attached!(Attached, Act<T>, Reset<P, D>, DelayNs);
attached!(
    asynchronous::Attached,
    asynchronous::Act<T>,
    asynchronous::Reset<P, D>,
    embedded_hal_async::delay::DelayNs
);
