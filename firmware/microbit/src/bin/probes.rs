//! The learner, with a device at the edge connector: the program offers its pins, and the device file
//! says how to probe with them.
#![no_std]
#![no_main]

use cortex_m::singleton;
use cortex_m_rt::entry;
use mealybug_adapters::halt;
use mealybug_faults::Kept;
use mealybug_learner::Target;
use microbit::Board;
use microbit_v1::{BOARD, EdgeProbing, FedPort, WATCHDOG_MS, probing, start, watched};
// It links only if nothing can panic.
use panic_never as _;

microbit_v1::handle_faults!();

/// The memory of the learner itself: the rules of the device take as much as is missing here.
const LEARNER_BYTES: usize = 7168;

#[entry]
fn main() -> ! {
    let Some(Board { CLOCK, TIMER0, UART0, WDT, uart, edge, .. }) = Board::take() else { halt() };
    let host = watched(WDT, WATCHDOG_MS, start(CLOCK, TIMER0, UART0, uart));
    let memory = singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4]);
    // The device has no room on the stack.
    let target = singleton!(: Target<FedPort, EdgeProbing, &'static Kept> =
        Target::keeping(host, probing(edge), BOARD, mealybug_faults::crashes()));
    let (Some(memory), Some(target)) = (memory, target) else { halt() };
    target.run(memory)
}
