//! The learner: decides what to ask a device, and says what machine the answers make.
//!
//! No I/O, no clock, no allocator. See [`Sul`] for the device.
#![no_std]

#[cfg(test)]
extern crate std;

mod alphabet;
mod bits;
mod classes;
mod columns;
mod components;
mod defects;
mod error;
mod hypothesis;
mod lanes;
mod learner;
mod mealy;
mod memory;
mod outputs;
mod rng;
mod session;
mod shorten;
mod sul;
mod table;
mod testing;
mod walk;

pub use alphabet::{Input, Output};
pub use components::Defect;
pub use error::{CapacityError, Contradiction, Misuse, Resource, SessionError};
pub use hypothesis::{Component, Hypothesis};
pub use learner::DefectCounts;
pub use mealy::Mealy;
pub use outputs::Family;
pub use session::{Action, Budget, Costs, Options, Progress, Purpose, Reply, Session, Why};
pub use sul::Sul;
pub use testing::Tests;
