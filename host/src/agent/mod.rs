//! The host's end of an *agent*: a program on a microcontroller that answers words on behalf of the
//! device there, many at a time.
//!
//! An [`Agent`] is a [`Sul`](mealybug_core::Sul). The words that are announced to it are sent ahead, as
//! many as keep the line busy, and their outputs wait here until they are asked for. What the two say is in
//! [`mealybug_core::wire::words`].

mod error;
mod pace;
mod pipeline;
mod sul;
#[cfg(test)]
mod tests;

pub use error::AgentError;
pub use sul::Agent;

/// So many words should be known ahead: with ten inputs each they fill all frames that an agent takes,
/// and hardly fewer where words are shorter.
pub const LANES: u32 = 256;
