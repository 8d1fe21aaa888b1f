//! The learner: decides what to ask a device, and says what machine the answers make.
//!
//! No I/O, no clock, no allocator. See [`Sul`] for the device.
#![no_std]

mod alphabet;
mod mealy;
mod sul;

pub use alphabet::{Input, Output};
pub use mealy::Mealy;
pub use sul::Sul;
