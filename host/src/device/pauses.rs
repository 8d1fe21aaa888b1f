//! Pauses after a reset or after inputs: time for what is done only after it was answered.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{DeviceFile, InputRule};

/// Pauses of one length, after each reset or after each of some inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// The length of each.
    pub time: Duration,
    /// Whether there is one after each reset.
    pub after_reset: bool,
    /// The numbers of the inputs with one after each.
    pub after_inputs: BTreeSet<usize>,
}

impl Pauses {
    /// A pause of this length after each of one input.
    pub fn of_input(input: usize, time: Duration) -> Self {
        Self { time, after_reset: false, after_inputs: [input].into() }
    }

    /// Whether there is no pause at all.
    pub fn is_none(&self) -> bool {
        self.time.is_zero() || !self.after_reset && self.after_inputs.is_empty()
    }

    /// The pause after an input.
    pub fn after(&self, input: usize) -> Duration {
        if self.after_inputs.contains(&input) { self.time } else { Duration::ZERO }
    }

    /// The same pauses with this length.
    #[must_use]
    pub fn of_length(&self, time: Duration) -> Self {
        Self { time, ..self.clone() }
    }

    /// Each of these pauses alone; that after the reset is the last one.
    pub fn each(&self) -> Vec<Self> {
        let none = || Self { time: self.time, ..Self::default() };
        let inputs = self.after_inputs.iter();
        let inputs = inputs.map(|&input| Self { after_inputs: [input].into(), ..none() });
        let reset = self.after_reset.then(|| Self { after_reset: true, ..none() });
        inputs.chain(reset).collect()
    }

    /// These pauses without those of `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self {
            time: self.time,
            after_reset: self.after_reset && !other.after_reset,
            after_inputs: &self.after_inputs - &other.after_inputs,
        }
    }

    /// Sets `quiet_ms` of resets and `settle_ms` of inputs, where they are shorter.
    pub fn set(&self, device: &mut DeviceFile) {
        if self.after_reset {
            device.resets.iter_mut().for_each(|it| it.quiet = it.quiet.max(self.time));
        }
        for (number, input) in device.inputs.iter_mut().enumerate() {
            input.reply.settle = input.reply.settle.max(self.after(number));
        }
    }

    /// Whether `settle_ms` of this input would have an effect: a wait at its end has a time of its own.
    pub fn can_follow(device: &DeviceFile, input: usize) -> bool {
        !device.inputs.get(input).is_some_and(InputRule::waits)
    }
}
