//! The LM3S6965 evaluation board: a Cortex-M3, 256 KiB of flash, 64 KiB of RAM, two serial ports.
//!
//! An interrupt takes the received bytes, and the processor sleeps while there is nothing to do. So
//! an idle board in QEMU costs its host nothing.
#![no_std]

mod clock;
mod console;
mod learn;
mod port;
mod uart;
mod watchdog;

use cortex_m::Peripherals;

pub use clock::Clock;
pub use console::serve;
pub use learn::{WatchedPort, learn, start_watched};
pub use port::Port;
pub use uart::{RING_BYTES, Uart};
pub use watchdog::Watchdog;

/// Starts the board and its two serial ports. Call it once, before everything else.
pub fn start() -> [Port; 2] {
    // SAFETY: the program begins here, so nobody has taken any peripheral.
    let peripherals = unsafe { Peripherals::steal() };
    let clock = Clock::start(peripherals.SYST);
    Uart::take(&clock).map(|uart| Port::new(uart, clock))
}
