//! The host's side of an *agent*: a program on a microcontroller that asks the device there many
//! words at a time and returns the answers.
//!
//! An [`AgentClient`] is a [`Sul`](mealybug_core::Sul). It sends announced words ahead, enough to keep
//! the line busy, and stores their outputs until they are asked for. [`mealybug_core::wire::words`]
//! describes the protocol.

mod error;
mod output_rate;
mod pipeline;
mod sul;
#[cfg(test)]
mod tests;

pub use error::AgentError;
pub use sul::AgentClient;

/// How many words the learner should announce ahead. Words of ten inputs then fill all frames that
/// an agent has room for; shorter words nearly do.
pub const LANES: u32 = 256;
