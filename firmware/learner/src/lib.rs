//! The learner on a microcontroller, for any board.
//!
//! A [`Target`] has a link to the host, with the frames of [`mealybug_core::wire::message`], and a
//! device that it learns. The board provides both, and memory for the learner.
//!
//! Nothing here panics; linking the learner's image for a board proves it.
//!
//! # A complete program
//!
//! For a Raspberry Pi Pico. Of Mealybug it needs this package, which has the [`adapters`] and, in
//! them, the traits of embedded-hal; and [`faults`], to tell the host why it crashed.
//! `firmware/template` in the repository makes such programs with `cargo generate`: for several boards, and for devices on a serial port, on pins and on I2C.
//!
//! ```ignore
#![doc = include_str!("../pico.rs")]
//! ```
//!
//! A program of your own takes its compiler flags from `.cargo/config.toml` of such a board: without them the learner is 1.7 times as large.
//!
//! What is of the board stands in a file of its own, `board.rs`:
//!
//! ```ignore
#![doc = include_str!("../board.rs")]
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod answers;
#[allow(clippy::duplicate_mod, reason = "a target is compiled for each kind of waiting")]
pub mod asynchronous;
mod log;
mod parts;
mod target;
#[cfg(test)]
mod tests;

pub use answers::{Answers, FlashAnswers, NoAnswers, RULES_BYTES};
pub use embedded_storage;
pub use mealybug_adapters as adapters;
pub use mealybug_faults as faults;
pub use target::Target;

// The file of the target is awaited as it stands: here without `async` and `await`.
use maybe_async::must_be_sync as waiting;
use mealybug_adapters::{Attached, Frames, Link};
use mealybug_core::serve::{Answerer, serve};
