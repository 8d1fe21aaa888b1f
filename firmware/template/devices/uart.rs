//! A learner on a microcontroller. It learns the device at the board's second serial port by the rules of the host's device
//! file, which may name pins: `reset`, and those of the board.
#![no_std]
#![no_main]

mod board;

use mealybug_learner::Target;
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::{Conversation, NamedPin, halt};

/// The level that holds the device in reset.
const RESET: PinState = PinState::{{reset}};

#[board::entry]
fn main() -> ! {
    let Some(board) = board::start(!RESET) else { halt() };
    let reset = NamedPin { name: "reset", pin: board.reset, active: RESET };
    let device = Conversation::with_pins(board.uart, (reset, board.named));
    Target::keeping(board.host, device, board::NAME, board.crashes).run(board.memory)
}
