//! The agent on ST's Nucleo-F411RE. It asks the device at USART1 the words of a learner on the host, by the rules of the
//! host's device file, which may name pins: `reset` (low when active), `D11`, `D12`, `A0`, `A1`.
#![no_std]
#![no_main]

mod board;

use mealybug_agent::Agent;
use mealybug_agent::adapters::embedded_hal::digital::PinState;
use mealybug_agent::adapters::{Conversation, NamedPin, halt};

#[board::entry]
fn main() -> ! {
    let Some(board) = board::start(PinState::High) else { halt() };
    let reset = NamedPin { name: "reset", pin: board.reset, active: PinState::Low };
    let device = Conversation::with_pins(board.uart, (reset, board.named));
    Agent::<_, _, 2>::new(board.host, device, board::NAME).run()
}
