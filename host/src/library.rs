//! What programs call that use this crate: learn a device, and compare it with its golden model.
//!
//! A [`Device`] is a [`Sul`](mealybug_core::Sul) with names for its inputs. [`learn()`] runs a session of
//! the core over a store of its answers, as the command does, and returns a [`Learned`]. The golden model
//! of [`assert_model!`](crate::assert_model) is advice to that run: what it says is asked first, so that
//! nothing is missed which it knows.

mod comparison;
mod device;
mod error;
mod golden;
mod learned;
mod mismatch;
mod options;
mod recorded;
mod run;
mod watch;

pub use device::Device;
pub use error::LearnError;
pub use golden::assert_model_in;
pub use learned::Learned;
pub use options::LearnOptions;
pub use run::learn;
