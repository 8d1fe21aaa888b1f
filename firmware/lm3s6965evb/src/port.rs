//! A serial port with a clock, as the learner needs it.

use mealybug_adapters::{LineFault, Link};
use mealybug_core::wire::line::LineSettings;

use crate::{Clock, Uart};

/// A serial port with a clock.
#[derive(Debug)]
pub struct Port {
    uart: Uart,
    clock: Clock,
}

impl Port {
    /// A port and the clock of the board.
    pub const fn new(uart: Uart, clock: Clock) -> Self {
        Self { uart, clock }
    }

    /// The clock of the board.
    pub const fn clock(&self) -> Clock {
        self.clock
    }
}

impl Link for Port {
    fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.uart.write(bytes);
    }

    fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        self.uart.set(settings)
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let Self { uart, clock } = self;
        uart.received().read_until(
            deadline_ms,
            || clock.now_ms(),
            || clock.sleep_unless(|| !uart.received().is_empty()),
        )
    }
}
