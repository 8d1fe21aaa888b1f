//! The log of a program on a target, sent to the host between other messages.
//!
//! With the feature `defmt`, [`info!`], [`warn!`] and [`error!`] are those of defmt, and this crate
//! is its global logger. The program takes the log one [`LogPiece`] at a time and sends it between two
//! of its messages; the logger itself never writes to a line. Without the feature nothing is
//! logged, and a program with log calls is no larger than one without.
//!
//! Any code may log at any time, even an interrupt: the logger writes a message with interrupts
//! held back, for some microseconds. A log call never waits. When the program does not take
//! messages in time, the log drops whole messages, and the next piece reports how many.
//!
//! # A complete program
//!
//! For a Raspberry Pi Pico: `board.rs` stands in the docs of `mealybug-learner`, which sends the log to the host. In
//! `Cargo.toml`: `mealybug-log = { version = "0.1", features = ["defmt"] }`; in `build.rs`:
//! `println!("cargo:rustc-link-arg-bins=-Tdefmt.x")`. The host shows the log with `mealybug target --elf`.
//!
//! ```ignore
//! #![no_std]
//! #![no_main]
//!
//! mod board;
//!
//! use mealybug_learner::Target;
//! use mealybug_learner::adapters::embedded_hal::digital::PinState;
//! use mealybug_learner::adapters::{Conversation, halt};
//!
//! #[board::entry]
//! fn main() -> ! {
//!     let Some(board) = board::start(PinState::High) else { halt() };
//!     mealybug_log::info!("{=str} has started", board::NAME);
//!     Target::new(board.host, Conversation::new(board.uart), board::NAME).run(board.memory)
//! }
//! ```
#![no_std]

#[cfg(test)]
extern crate std;

#[cfg(any(feature = "defmt", test))]
mod buffer;
#[cfg(feature = "defmt")]
#[expect(unsafe_code, reason = "a global logger of defmt is an unsafe trait")]
mod logger;
mod piece;

pub use piece::LogPiece;

/// The memory that the log takes, in bytes.
#[cfg(feature = "defmt")]
pub const RAM_BYTES: usize = logger::RAM_BYTES;
/// The memory that the log takes, in bytes.
#[cfg(not(feature = "defmt"))]
pub const RAM_BYTES: usize = 0;

/// Takes what was logged since the last call, or the oldest part of it; `None` when nothing was
/// logged. No two callers get the same message.
#[cfg(feature = "defmt")]
pub fn take() -> Option<LogPiece> {
    logger::take()
}
/// Takes what was logged since the last call; without the feature `defmt` that is nothing.
#[cfg(not(feature = "defmt"))]
pub fn take() -> Option<LogPiece> {
    None
}

#[cfg(feature = "defmt")]
#[doc(hidden)]
pub use defmt;

/// Logs what a user wants to know.
#[cfg(feature = "defmt")]
#[macro_export]
macro_rules! info {
    ($($message:tt)*) => {{ use $crate::defmt; defmt::info!($($message)*) }};
}

/// Logs a failure that was mended.
#[cfg(feature = "defmt")]
#[macro_export]
macro_rules! warn {
    ($($message:tt)*) => {{ use $crate::defmt; defmt::warn!($($message)*) }};
}

/// Logs a failure that ends a run.
#[cfg(feature = "defmt")]
#[macro_export]
macro_rules! error {
    ($($message:tt)*) => {{ use $crate::defmt; defmt::error!($($message)*) }};
}

/// Logs nothing, without the feature `defmt`.
#[cfg(not(feature = "defmt"))]
#[macro_export]
macro_rules! info {
    ($format:literal $(, $argument:expr)* $(,)?) => {{ $(let _ = &$argument;)* }};
}

#[cfg(not(feature = "defmt"))]
#[doc(inline)]
pub use {info as warn, info as error};
