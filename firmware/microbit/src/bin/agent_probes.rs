//! The agent, with a device at the edge connector: the program offers its pins, and the device file
//! says how to probe with them.
#![no_std]
#![no_main]

use cortex_m::singleton;
use cortex_m_rt::entry;
use mealybug_adapters::halt;
use mealybug_agent::Agent;
use microbit::Board;
use microbit_v1::{BOARD, EdgeProbing, Port, probing, start};
// It links only if nothing can panic.
use panic_never as _;

#[entry]
fn main() -> ! {
    let Some(Board { CLOCK, TIMER0, UART0, uart, edge, .. }) = Board::take() else { halt() };
    let host = start(CLOCK, TIMER0, UART0, uart);
    // The stack has too little room for it. One frame: a second one that comes while the agent waits for the device has no
    // room at the port.
    let agent = singleton!(: Agent<Port, EdgeProbing, 1> = Agent::new(host, probing(edge), BOARD));
    let Some(agent) = agent else { halt() };
    agent.run()
}
