//! The learner on a microcontroller, whatever board it runs on.
//!
//! A [`Target`] has two links: one to the host, with the frames of
//! [`mealybug_core::wire::message`], and one to the device that it learns, with the text protocol of
//! its [`Rules`]. A board provides a [`Link`] for each, and memory for the learner.
//!
//! Nothing here panics; the image of the learner on a board proves it at link time.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod conversation;
mod host;
mod link;
mod rules;
mod target;
#[cfg(test)]
mod tests;

pub use conversation::Conversation;
pub use link::{Link, Overrun};
pub use rules::{MAX_INPUTS, MAX_RESET_STEPS, MAX_TEXT, Rules};
pub use target::Target;
