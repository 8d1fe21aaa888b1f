//! Ways to bring a probed device to its initial state.

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{OutputPin, PinState};
use mealybug_core::wire::message::DeviceError;

use crate::line::MAX_FAULTS;
use crate::{Act, Deed, Link, Seen, asynchronous};

/// A way to bring a device to its initial state; `P` is the probe.
pub trait Reset<P, D> {
    /// Resets the device and waits until it is back.
    ///
    /// # Errors
    /// The hardware failed, or the device did not come back.
    fn reset(&mut self, probe: &mut P, delay: &mut D) -> Result<(), DeviceError>;
}

/// Two resets, one after the other.
impl<P, D, A: Reset<P, D>, B: Reset<P, D>> Reset<P, D> for (A, B) {
    fn reset(&mut self, probe: &mut P, delay: &mut D) -> Result<(), DeviceError> {
        self.0.reset(probe, delay)?;
        self.1.reset(probe, delay)
    }
}

/// A reset by a pin: the reset line of the device, or a switch in its power supply.
///
/// With a switch, keep the lines to the device low at rest; otherwise they may power it.
#[derive(Debug)]
pub struct ResetPin<O> {
    /// The pin.
    pub pin: O,
    /// The level that holds the device in reset, or switches it off.
    pub active: PinState,
    /// How long to hold the device in reset, or off.
    pub hold_ms: u32,
    /// How long the device takes to come back.
    pub wait_ms: u32,
}

impl<O: OutputPin> ResetPin<O> {
    fn set(&mut self, level: PinState) -> Result<(), DeviceError> {
        self.pin.set_state(level).map_err(|_| DeviceError::Pin)
    }
}

impl<P, D: DelayNs, O: OutputPin> Reset<P, D> for ResetPin<O> {
    fn reset(&mut self, _: &mut P, delay: &mut D) -> Result<(), DeviceError> {
        self.set(self.active)?;
        delay.delay_ms(self.hold_ms);
        self.set(!self.active)?;
        delay.delay_ms(self.wait_ms);
        Ok(())
    }
}

impl<P, D: embedded_hal_async::delay::DelayNs, O: OutputPin> asynchronous::Reset<P, D>
    for ResetPin<O>
{
    async fn reset(&mut self, _: &mut P, delay: &mut D) -> Result<(), DeviceError> {
        self.set(self.active)?;
        delay.delay_ms(self.hold_ms).await;
        self.set(!self.active)?;
        delay.delay_ms(self.wait_ms).await;
        Ok(())
    }
}

/// A reset by actions of the probe: a command of the device, or a sequence of inputs that leads
/// back from every state. What the probe sees meanwhile is ignored.
#[derive(Clone, Copy, Debug)]
pub struct ResetDeeds<T: 'static>(pub &'static [Deed<T>]);

impl<T, P: Act<T>, D: DelayNs> Reset<P, D> for ResetDeeds<T> {
    fn reset(&mut self, probe: &mut P, delay: &mut D) -> Result<(), DeviceError> {
        self.0.iter().try_for_each(|deed| deed.run(probe, delay, &mut Seen::new()))
    }
}

impl<T, P, D> asynchronous::Reset<P, D> for ResetDeeds<T>
where
    P: asynchronous::Act<T>,
    D: embedded_hal_async::delay::DelayNs,
{
    async fn reset(&mut self, probe: &mut P, delay: &mut D) -> Result<(), DeviceError> {
        for deed in self.0 {
            deed.run_async(probe, delay, &mut Seen::new()).await?;
        }
        Ok(())
    }
}

/// A reset by a message on a serial line.
#[derive(Debug)]
pub struct ResetMessage<L> {
    /// The line.
    pub link: L,
    /// What to send.
    pub send: &'static [u8],
    /// The text with which the answer ends.
    pub expect: &'static [u8],
    /// How long to wait for the answer.
    pub within_ms: u32,
}

impl<P, D, L: Link> Reset<P, D> for ResetMessage<L> {
    fn reset(&mut self, _: &mut P, _: &mut D) -> Result<(), DeviceError> {
        // Drop what came before, and reports of lost bytes, unless there is nothing else.
        let mut patience = MAX_FAULTS;
        while patience > 0 {
            match self.link.read_until(0) {
                Ok(None) => break,
                Ok(Some(_)) => {}
                Err(_) => patience -= 1,
            }
        }
        self.link.write(self.send);
        self.link.flush();
        expect(&mut self.link, self.expect, self.within_ms)
    }
}

/// Waits until the received bytes end with `text`.
fn expect(link: &mut impl Link, text: &[u8], within_ms: u32) -> Result<(), DeviceError> {
    let deadline_ms = link.now_ms().saturating_add(within_ms.into());
    let mut matched = 0;
    while matched < text.len() {
        match link.read_until(deadline_ms) {
            Ok(byte) => matched = advance(text, matched, byte.ok_or(DeviceError::NotReset)?),
            // A device that starts may leave its line at any level.
            Err(_) if link.now_ms() < deadline_ms => {}
            Err(_) => return Err(DeviceError::NotReset),
        }
    }
    Ok(())
}

/// How many of the last bytes received are a prefix of `text`. `matched` is that number before
/// `byte`.
fn advance(text: &[u8], matched: usize, byte: u8) -> usize {
    let seen = || text.iter().take(matched).copied().chain([byte]);
    // Try the longest prefix first: nearly always it is that one or none.
    (1..=text.len().min(matched + 1))
        .rev()
        .find(|&len| seen().skip(matched + 1 - len).eq(text.iter().take(len).copied()))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_found_wherever_it_begins() {
        for text in ["> ", "aab", "abab", "aaaa", "x"] {
            for came in ["", "> ", ">> ", "> > ", "aaab", "ababab", "abaabab", "aaaaa", "xx", ">x "]
            {
                let mut matched = 0;
                for (at, byte) in came.bytes().enumerate() {
                    matched = advance(text.as_bytes(), matched, byte);
                    let ends = came[..=at].ends_with(text);
                    assert_eq!(matched == text.len(), ends, "{text:?} in {:?}", &came[..=at]);
                }
            }
        }
    }
}
