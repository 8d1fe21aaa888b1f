//! A learner on a microcontroller. It learns the device at the board's pins.
#![no_std]
#![no_main]

mod board;

use mealybug_learner::Target;
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::{Drive, Entry, Pins, Probed, ResetPin, halt};

/// What the device is asked. The outputs are the levels of the pins from the device, such as `0b01`.
static INPUTS: [Entry<Drive>; 3] = [
    Entry::new("press", Drive::Pulse { pin: 0, width_us: 20_000 }),
    Entry::new("open the lid", Drive::Levels(0b10)),
    Entry::wait("wait", 400),
];

/// The level that holds the device in reset.
const RESET: PinState = PinState::{{reset}};

#[board::entry]
fn main() -> ! {
    let Some(board) = board::start(!RESET) else { halt() };
    // The levels at rest, and how long the device takes to react, in microseconds.
    let pins = Pins::new(board.outputs, board.inputs, 0b00, 100);
    let reset = ResetPin { pin: board.reset, active: RESET, hold_ms: 1, wait_ms: 50 };
    let device = Probed::new(&INPUTS, pins, reset, board.delay);
    Target::keeping(board.host, device, board::NAME, board.crashes).run(board.memory)
}
