//! The agent: answers the words of a learner on the host. The device is attached to a
//! microcontroller, or built into its program.
//!
//! An [`Agent`] has a link to the host and the device. The host sends many words at once, and the
//! agent asks them without waiting for the line in between: see [`mealybug_core::wire::words`].
//!
//! Nothing here panics; linking the agent's image for a board proves it.
//!
//! # A complete program
//!
//! For a Raspberry Pi Pico.
//!
//! ```ignore
#![doc = include_str!("../pico.rs")]
//! ```
//!
//! What is of the board stands in a file of its own, `board.rs`. An agent needs no memory for a learner: without it, this
//! file needs `mealybug_agent` where it says `mealybug_learner`.
//!
//! ```ignore
#![doc = include_str!("../board.rs")]
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod agent;
mod outputs;
mod queue;
#[cfg(test)]
mod tests;

pub use agent::Agent;
pub use mealybug_adapters as adapters;
