//! The learner with the largest of the paper's examples that fits into its memory, built in.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use mealybug_adapters::halt;
use mealybug_devices::toy::Toy;
use microbit::Board;
use microbit_v1::{learn, start};
// It links only if nothing can panic.
use panic_never as _;

microbit_v1::handle_faults!();

#[entry]
fn main() -> ! {
    let Some(Board { CLOCK, TIMER0, UART0, WDT, uart, .. }) = Board::take() else { halt() };
    learn(WDT, start(CLOCK, TIMER0, UART0, uart), Toy::<45>::default())
}
