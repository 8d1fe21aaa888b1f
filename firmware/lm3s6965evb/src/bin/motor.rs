//! The motor controller on UART0.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use mealybug_devices::motor::Motor;
use panic_halt as _;

#[entry]
fn main() -> ! {
    lm3s6965evb::serve::<Motor>()
}
