//! The door lock on UART0.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use mealybug_devices::door_lock::DoorLock;
use panic_halt as _;

#[entry]
fn main() -> ! {
    lm3s6965evb::serve::<DoorLock>()
}
