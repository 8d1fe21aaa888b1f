//! The LM3S6965 evaluation board: a Cortex-M3, 256 KiB of flash, 64 KiB of RAM, two serial ports.
//!
//! Interrupts take the received bytes and send those that are to be sent. The processor sleeps while
//! there is nothing to do, so an idle board in QEMU costs its host nothing.
#![no_std]

mod clock;
mod console;
mod kept_ram;
mod learn;
mod memory_functions;
mod uart;
mod watchdog;

use cortex_m::Peripherals;

pub use clock::Clock;
pub use console::serve;
pub use kept_ram::KeptRam;
pub use learn::{LEARNER_WATCHDOG_MS, WatchedPort, learn, start_watched};
pub use uart::{Port, PortBoard};
pub use watchdog::Watchdog;

/// Starts the board and its two serial ports. Call it once, before everything else.
pub fn start() -> [Port; 2] {
    // SAFETY: only the system timer is taken; if somebody else has it, it merely starts anew.
    let peripherals = unsafe { Peripherals::steal() };
    let clock = Clock::start(peripherals.SYST);
    uart::start(clock)
}
