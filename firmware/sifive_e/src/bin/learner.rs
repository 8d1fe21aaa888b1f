//! The learner with a boot loader built in; the host is on the serial port.
#![no_std]
#![no_main]

use mealybug_devices::BuiltIn;
use mealybug_devices::boot_loader::BootLoader;
use riscv_rt::entry;
use sifive_e::{learn, start};

/// The program.
#[entry]
fn main() -> ! {
    learn(start(), BuiltIn::<BootLoader>::default())
}
