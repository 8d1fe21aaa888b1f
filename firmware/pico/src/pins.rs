//! The learner on the Raspberry Pi Pico, for a device at its pins: a button at GP10, a lid at GP11, two lamps at GP12 and
//! GP13, and a reset line at GP6, low when active.
#![no_std]
#![no_main]

mod board;

use mealybug_learner::Target;
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::{Drive, Entry, Pins, Probed, ResetPin, halt};

static INPUTS: [Entry<Drive>; 3] = [
    Entry::new("press", Drive::Pulse { pin: 0, width_us: 20_000 }),
    Entry::new("open the lid", Drive::Levels(0b10)),
    Entry::wait("wait", 400),
];

#[board::entry]
fn main() -> ! {
    let Some(board) = board::start(PinState::High) else { halt() };
    // At rest both pins are low; the device reacts within 100 microseconds.
    let pins = Pins::new(board.outputs, board.inputs, 0b00, 100);
    let reset = ResetPin { pin: board.reset, active: PinState::Low, hold_ms: 1, wait_ms: 50 };
    let device = Probed::new(&INPUTS, pins, reset, board.delay);
    Target::keeping(board.host, device, board::NAME, board.crashes).run(board.memory)
}
