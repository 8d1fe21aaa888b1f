//! A machine as a device in the same process.

use std::convert::Infallible;

use mealybug_core::{Input, Mealy, Sul};

use crate::machine::Machine;

/// A machine as a device; an output is the bytes of its name. A step costs two look-ups.
#[derive(Clone, Debug)]
pub struct Simulated<'m> {
    machine: &'m Machine,
    state: u32,
}

impl<'m> Simulated<'m> {
    /// A device that behaves as `machine`, which must be complete; it starts in the initial state.
    pub fn new(machine: &'m Machine) -> Self {
        Self { machine, state: machine.initial() }
    }

    /// Answers an input. The answer borrows from the machine.
    ///
    /// # Panics
    /// The machine has no such input, or no transition for it.
    pub fn answer(&mut self, input: Input) -> &'m [u8] {
        let (next, output) = self.machine.expect_transition(self.state, input);
        self.state = next;
        self.machine.output_name(output).as_bytes()
    }
}

impl Sul for Simulated<'_> {
    type Error = Infallible;

    fn reset(&mut self) -> Result<(), Infallible> {
        self.state = self.machine.initial();
        Ok(())
    }

    /// # Panics
    /// The machine has no such input, or no transition for it.
    fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
        Ok(self.answer(input))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::testing::lamp;

    #[test]
    fn it_does_what_the_machine_does() {
        let lamp = lamp();
        let mut device = Simulated::new(&lamp);
        let [press, hold] = [0, 1].map(Input::new);
        for _ in 0..2 {
            for (input, output) in [(hold, "off"), (press, "on"), (hold, "on"), (hold, "on")] {
                assert_eq!(device.step(input), Ok(output.as_bytes()));
            }
            device.reset().expect("infallible");
        }
    }
}
