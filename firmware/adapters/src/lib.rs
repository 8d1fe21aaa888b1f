//! Connects the traits of the learner with the hardware of a board.
//!
//! A board provides a [`Link`] for each of its serial ports. On one port, [`Frames`] carry messages
//! to and from the host. The device is [`Attached`]. A device on the other port is a
//! [`Conversation`]: it is talked to by rules that the host sends. A device on pins or a bus is
//! [`Probed`]: the program describes it by a probe ([`Pins`], [`Registers`], [`Transfers`]) and a
//! [`Reset`], over embedded-hal.
//!
//! Nothing here panics; linking the learner's image for a board proves it.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "testkit"))]
extern crate std;

pub mod asynchronous;
mod attached;
mod automaton;
mod conversation;
mod crashes;
mod deed;
mod frames;
mod heard;
mod line;
mod link;
mod named_pins;
mod pins;
mod polled;
mod probe;
mod probed;
mod registers;
mod reply;
mod reset;
mod ring;
mod rules;
mod seen;
#[cfg(feature = "testkit")]
pub mod testkit;
#[cfg(test)]
mod tests;
mod ticks;
mod transfers;

/// The traits that the hardware has, in the versions that this crate is made for.
pub use {embedded_hal, embedded_hal_async, embedded_hal_nb};

pub use attached::Attached;
pub use conversation::Conversation;
pub use crashes::{Crashes, NoCrashes};
pub use deed::Deed;
pub use frames::Frames;
pub use link::{LineFault, Link};
pub use named_pins::{NamedPin, NamedPins};
pub use pins::{Drive, Pins};
pub use polled::Polled;
pub use probe::{Act, Probe};
pub use probed::{Entry, Probed};
pub use registers::{Access, MAX_READ, Registers};
pub use reset::{Reset, ResetDeeds, ResetMessage, ResetPin};
pub use ring::Ring;
pub use rules::Rules;
pub use seen::{MAX_SEEN, Seen};
pub use ticks::Ticks;
pub use transfers::{MAX_TRANSFER, Transfers};

/// Stops for ever: for a program that cannot start.
pub fn halt() -> ! {
    loop {
        core::hint::spin_loop();
    }
}
