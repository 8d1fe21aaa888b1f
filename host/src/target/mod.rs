//! The host's end of a learner on a microcontroller, the *target*.
//!
//! A [`Program`] is a device file compiled for a target. [`Client`] sends it, starts a run, watches
//! it and fetches the result, over a line that may lose bytes. [`mealybug_core::wire::message`]
//! describes the protocol.

mod automaton;
mod capture;
mod client;
mod collector;
mod compile;
mod crash;
mod error;
mod log;
mod probes;

pub(crate) use capture::TARGET_SPEAKS;
pub use capture::{CaptureEntry, TargetCapture, What, is_capture};
pub(crate) use client::PATIENCE;
pub use client::{Client, Hello, Watch};
pub use collector::{TargetEnd, TargetEvent};
pub use compile::{Program, output_name};
pub use crash::TargetCrash;
pub use error::{DeviceFault, NotForTarget, TargetError};
pub use log::{LogError, LogLine, LogReader, Unreadable};
