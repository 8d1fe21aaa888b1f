//! The learner with the motor controller built in; the host is on the serial port.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use mealybug_adapters::halt;
use mealybug_devices::BuiltIn;
use mealybug_devices::motor::Motor;
use microbit::Board;
use microbit_v1::{learn, start};
// It links only if nothing can panic.
use panic_never as _;

microbit_v1::handle_faults!();

#[entry]
fn main() -> ! {
    let Some(Board { CLOCK, TIMER0, UART0, WDT, uart, .. }) = Board::take() else { halt() };
    learn(WDT, start(CLOCK, TIMER0, UART0, uart), BuiltIn::<Motor>::default())
}
