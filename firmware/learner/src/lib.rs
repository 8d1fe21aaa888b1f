//! The learner on a microcontroller, whatever board it runs on.
//!
//! A [`Target`] has a link to the host, with the frames of [`mealybug_core::wire::message`], and a
//! device that it learns. A board provides both, and memory for the learner.
//!
//! Nothing here panics; the image of the learner on a board proves it at link time.
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
