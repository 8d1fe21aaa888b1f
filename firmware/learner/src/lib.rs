//! The learner on a microcontroller, for any board.
//!
//! A [`Target`] has a link to the host, with the frames of [`mealybug_core::wire::message`], and a
//! device that it learns. The board provides both, and memory for the learner.
//!
//! Nothing here panics; linking the learner's image for a board proves it.
//!
//! # A complete program
//!
//! For a Raspberry Pi Pico. Of Mealybug it needs this package alone, which has the [`adapters`] and, in
//! them, the traits of embedded-hal. `firmware/template` in the repository is a template of it for
//! `cargo generate`.
//!
//! ```ignore
#![doc = include_str!("../pico.rs")]
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod log;
mod parts;
mod target;
#[cfg(test)]
mod tests;

pub use mealybug_adapters as adapters;
pub use target::Target;
