//! The learner on ST's Nucleo-F411RE. It learns the device at USART1 by the rules of the host's device file, which may
//! name pins: `reset` (low when active), `D11`, `D12`, `A0`, `A1`.
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
