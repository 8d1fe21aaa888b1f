//! The learner on a microcontroller, for any board.
//!
//! A [`Target`] has a link to the host, with the frames of [`mealybug_core::wire::message`], and a
//! device that it learns. The board provides both, and memory for the learner.
//!
//! Nothing here panics; linking the learner's image for a board proves it.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod log;
mod parts;
mod target;
#[cfg(test)]
mod tests;

pub use target::Target;
