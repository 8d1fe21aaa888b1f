//! The learner on the ESP32-C3. It learns the device at UART1 by the rules of the host's device file, which may
//! name pins: `reset` (low when active), `GPIO19`.
#![no_std]
#![no_main]

mod board;

use mealybug_learner::Target;
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::{Conversation, NamedPin, halt};

#[board::entry]
fn main() -> ! {
    let Some(board) = board::start(PinState::High) else { halt() };
    let reset = NamedPin { name: "reset", pin: board.reset, active: PinState::Low };
    let device = Conversation::with_pins(board.uart, (reset, board.named));
    Target::keeping(board.host, device, board::NAME, board.crashes).run(board.memory)
}
