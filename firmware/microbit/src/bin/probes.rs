//! The learner, with a device at the edge connector: the program offers its pins, and the device file
//! says how to probe with them.
#![no_std]
#![no_main]

use cortex_m::singleton;
use cortex_m_rt::entry;
use mealybug_adapters::halt;
use microbit::Board;
use microbit_v1::{learn_in, probing, start};
// It links only if nothing can panic.
use panic_never as _;

/// The memory of the learner itself: the rules of the device take as much as is missing here.
const LEARNER_BYTES: usize = 7424;

#[entry]
fn main() -> ! {
    let Some(Board { CLOCK, TIMER0, UART0, uart, edge, .. }) = Board::take() else { halt() };
    let memory = singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4]);
    let Some(memory) = memory else { halt() };
    learn_in(start(CLOCK, TIMER0, UART0, uart), probing(edge), memory)
}
