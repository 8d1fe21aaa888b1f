//! The agent, with a device at the edge connector: the program offers its pins, and the device file
//! says how to probe with them.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use mealybug_adapters::halt;
use mealybug_agent::Agent;
use microbit::Board;
use microbit_v1::{BOARD, probing, start};
// It links only if nothing can panic.
use panic_never as _;

#[entry]
fn main() -> ! {
    let Some(Board { CLOCK, TIMER0, UART0, uart, edge, .. }) = Board::take() else { halt() };
    let host = start(CLOCK, TIMER0, UART0, uart);
    Agent::<_, _, 8>::new(host, probing(edge), BOARD).run()
}
