//! Between the traits of the learner and what a board has.
//!
//! A board provides a [`Link`] for each of its serial ports. On one, [`Frames`] are exchanged with
//! the host; what is on the other, or on pins of the board, is an [`Attached`] device.
//!
//! Nothing here panics; the image of the learner on a board proves it at link time.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod attached;
mod conversation;
mod frames;
mod link;
mod ring;
mod rules;
mod ticks;

pub use attached::Attached;
pub use conversation::Conversation;
pub use frames::Frames;
pub use link::{Link, Overrun};
pub use ring::Ring;
pub use rules::{MAX_INPUTS, MAX_RESET_STEPS, MAX_TEXT, Rules};
pub use ticks::Ticks;
