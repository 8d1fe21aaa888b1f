//! The LM3S6965 evaluation board: a Cortex-M3, 256 KiB of flash, 64 KiB of RAM, two serial ports.
//!
//! Received bytes are taken by interrupt, and the processor sleeps while there is nothing to do, so
//! that in QEMU an idle board costs its host nothing.
#![no_std]

mod clock;
mod console;
mod port;
mod uart;

use cortex_m::Peripherals;

pub use clock::Clock;
pub use console::serve;
pub use port::Port;
pub use uart::{RING_BYTES, Uart};

/// Starts the board: its two serial ports. Call it once, first of all.
pub fn start() -> [Port; 2] {
    // SAFETY: the program begins here, so nobody has taken any.
    let peripherals = unsafe { Peripherals::steal() };
    let clock = Clock::start(peripherals.SYST);
    Uart::take(&clock).map(|uart| Port::new(uart, clock))
}
