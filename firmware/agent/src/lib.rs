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
//! For a Raspberry Pi Pico it is that of `mealybug-learner` without the memory, and with another last
//! line of `main`:
//!
//! ```ignore
//! use mealybug_agent::Agent;
//! use mealybug_agent::adapters::Conversation;
//!
//! #[entry]
//! fn main() -> ! {
//!     let Some((host, device, pins)) = start() else { halt() };
//!     Agent::<_, _, 2>::new(host, Conversation::with_pins(device, pins), "pico").run()
//! }
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
