//! The boot loader on UART0.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use mealybug_devices::boot_loader::BootLoader;
use panic_halt as _;

#[entry]
fn main() -> ! {
    lm3s6965evb::serve::<BootLoader>()
}
