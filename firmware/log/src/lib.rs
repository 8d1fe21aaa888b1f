//! The log of a program on a target, which travels to the host among its messages.
//!
//! With the feature `defmt`, [`info!`], [`warn!`] and [`error!`] are those of defmt, and this crate is
//! its global logger. The program takes what was logged, a [`Piece`] at a time, and sends it between
//! two of its messages: the logger itself never writes to a line. Without the feature nothing is
//! logged, and a program that logs is as large as one that does not.
//!
//! Anybody may log at any time, an interrupt too: a message is written with interrupts held back,
//! which takes some microseconds. Who logs never waits: when the program does not come round to
//! taking, messages are dropped, whole ones, and the next piece says how many.
#![no_std]

#[cfg(test)]
extern crate std;

#[cfg(any(feature = "defmt", test))]
mod buffer;
#[cfg(feature = "defmt")]
#[expect(unsafe_code, reason = "a global logger of defmt is an unsafe trait")]
mod logger;
mod piece;

pub use piece::Piece;

/// The memory that the log takes, in bytes.
#[cfg(feature = "defmt")]
pub const RAM_BYTES: usize = logger::RAM_BYTES;
/// The memory that the log takes, in bytes.
#[cfg(not(feature = "defmt"))]
pub const RAM_BYTES: usize = 0;

/// Takes what was logged since the last call, or the oldest part of it; `None` when that is nothing.
/// One that a host is to read says it to no other.
#[cfg(feature = "defmt")]
pub fn take() -> Option<Piece> {
    logger::take()
}
/// Takes what was logged since the last call: nothing, without the feature `defmt`.
#[cfg(not(feature = "defmt"))]
pub fn take() -> Option<Piece> {
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

/// Logs what went wrong and was mended.
#[cfg(feature = "defmt")]
#[macro_export]
macro_rules! warn {
    ($($message:tt)*) => {{ use $crate::defmt; defmt::warn!($($message)*) }};
}

/// Logs what ends a run.
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
