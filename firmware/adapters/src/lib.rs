//! Connects the traits of the learner with the hardware of a board.
//!
//! A board provides a [`Link`] for each of its serial ports. On one port, [`Frames`] carry messages
//! to and from the host. The device is [`Attached`]. A device on the other port is a
//! [`Conversation`]: it is talked to by rules that the host sends. A device on pins or a bus is
//! [`Probed`]: the program describes it by a probe ([`Pins`], [`Registers`], [`Transfers`]) and a
//! [`Reset`], over embedded-hal. Or it is [`Probing`]: the program [`Offers`] pins and buses by names,
//! and the host sends rules how to probe with them.
//!
//! Nothing here panics; linking the learner's image for a board proves it.
//!
//! # A complete program
//!
//! For a Raspberry Pi Pico, with `mealybug-learner`, which has this crate as `adapters`. The docs of that crate show a device
//! on a serial line, and `board.rs`.
//!
//! ```ignore
#![doc = include_str!("../pico.rs")]
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "testkit"))]
extern crate std;

mod arrived;
#[allow(clippy::duplicate_mod, reason = "some files are compiled for each kind of waiting")]
pub mod asynchronous;
mod attached;
mod automaton;
mod conversation;
mod crashes;
mod deed;
mod edge_count;
mod frames;
mod free_bus;
mod heard;
#[cfg(test)]
mod interrupt;
mod line;
mod link;
mod named;
mod offers;
mod pins;
mod polled;
mod probe;
mod probe_rules;
mod probed;
mod probing;
mod registers;
mod reply;
mod reset;
mod ring;
mod ring_link;
mod rules;
mod seen;
#[cfg(feature = "testkit")]
pub mod testkit;
#[cfg(test)]
mod tests;
mod ticks;
mod transfers;

/// The traits that the hardware has, in the versions that this crate is made for.
pub use {embedded_hal, embedded_hal_async, embedded_hal_nb, embedded_io_async};

// The files that `asynchronous` has, too, are awaited as they stand: here without `async` and `await`.
use maybe_async::must_be_sync as waiting;

pub use mealybug_core::wire::line::LineSettings;
pub use mealybug_core::wire::message::{DeviceError, Refusal};
pub use mealybug_core::{Input, Sul};

pub use attached::Attached;
pub use conversation::Conversation;
pub use crashes::{Crashes, NoCrashes};
pub use deed::Deed;
pub use edge_count::EdgeCount;
pub use frames::Frames;
pub use free_bus::{BusError, BusLines, FreeBus};
pub use link::{LineFault, Link};
pub use named::{
    Analog, Edges, NamedAnalog, NamedEdges, NamedI2c, NamedPin, NamedSpi, OpenDrainPin, SensedPin,
};
pub use offers::{Buses, Offers};
pub use pins::{Drive, Pins};
pub use polled::Polled;
pub use probe::{Act, Probe};
pub use probed::{Entry, Probed};
pub use probing::Probing;
pub use registers::{Access, MAX_READ, Registers};
pub use reset::{Reset, ResetDeeds, ResetMessage, ResetPin};
pub use ring::Ring;
pub use ring_link::{RingBoard, RingLink, Rings, Uart};
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
