//! The LM3S6965 evaluation board: a Cortex-M3, 256 KiB of flash, 64 KiB of RAM, two serial ports.
//!
//! Received bytes are taken by interrupt, and the processor sleeps while there is nothing to do, so
//! that in QEMU an idle board costs its host nothing.
#![no_std]

mod clock;
mod console;
mod ring;
mod uart;

pub use clock::Clock;
pub use console::serve;
pub use uart::{Overrun, Uart};
