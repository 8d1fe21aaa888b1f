//! Learns the state machine of a device from a program, as `mealybug learn` does.
//!
//! A [`DeviceFile`] says how to talk to a device; [`SerialSul`] does so at the port that a [`PortAddress`]
//! opens, [`Adapter`] through a program. [`Stored`] keeps every answer in a [`Store`] and asks nothing twice.
//! [`learn()`] runs a session of [`mealybug_core`] against it, until an [`Outcome`]; [`Learned`] is the result,
//! a [`Machine`] its model. Machines are read and written as DOT ([`dot`]), and compared ([`separate`]).
//! [`events`] and [`statistics`] are what `--json` and `statistics.json` say.
//!
//! A model that is simulated is learned like this:
//!
//! ```
//! use mealybug::{Counted, Learned, Limits, Simulated, dot, learn, new_session, separate};
//! use mealybug_core::Options;
//!
//! let lamp = dot::read("lamp.dot", r#"digraph {
//!     off -> on [label="press/on"];
//!     on -> off [label="press/off"];
//! }"#)?;
//! let mut device = Counted::new(Simulated::new(&lamp));
//! let mut session = new_session(vec![0; 4096], 1, Options::new())?;
//! let outcome = learn(&mut session, &mut device, &Limits::UNLIMITED, &mut ());
//! assert!(outcome.is_converged());
//!
//! let hypothesis = session.hypothesis().expect("it converged");
//! let model = Learned::new(hypothesis, lamp.inputs(), session.options().projections).product(1000)?;
//! assert_eq!(separate(&model, &lamp)?, None);
//! println!("{}", dot::write(&model));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For a device at a port, this takes the place of the simulation:
//!
//! ```no_run
//! # use std::path::Path;
//! use mealybug::{DeviceFile, PortAddress, SerialSul, Store, Stored};
//!
//! let device = DeviceFile::load(Path::new("lock.toml"))?;
//! let inputs: Vec<_> = device.inputs.iter().map(|input| input.name.clone()).collect();
//! let link = PortAddress::parse("/dev/ttyUSB0")?.open(&device.port)?;
//! let store = Store::open(Path::new("answers.log"), &inputs)?;
//! let mut device = Stored::new(SerialSul::new(link, device)?, store);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is not in this documentation belongs to the commands and to this project's tests, and changes
//! without notice.

pub use adapter::Adapter;
pub use device::DeviceFile;
pub use learn::{Counted, HostSession, Limits, ObserveRun, Outcome, learn, new_session};
pub use learned::Learned;
pub use machine::{Machine, separate};
pub use serial::{PortAddress, SerialSul};
pub use simulate::Simulated;
pub use store::{Store, Stored};

pub mod dot;
pub mod events;
pub mod statistics;

#[cfg(test)]
mod schema;

#[doc(hidden)]
pub mod adapter;
#[doc(hidden)]
pub mod advice;
#[doc(hidden)]
pub mod agent;
#[doc(hidden)]
pub mod algorithm;
#[doc(hidden)]
pub mod boards;
#[doc(hidden)]
pub mod confidence;
#[doc(hidden)]
pub mod conformance;
#[doc(hidden)]
pub mod demo_lock;
#[doc(hidden)]
pub mod device;
#[doc(hidden)]
pub mod diagnosis;
#[doc(hidden)]
pub mod draft;
#[doc(hidden)]
pub mod duration_text;
#[doc(hidden)]
pub mod error_style;
#[doc(hidden)]
pub mod escape;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod hypotheses;
#[doc(hidden)]
pub mod interrupt;
#[doc(hidden)]
pub mod learn;
#[doc(hidden)]
pub mod learned;
#[doc(hidden)]
pub mod live;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod modules;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod picture;
#[doc(hidden)]
pub mod ports;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod result_file;
#[doc(hidden)]
pub mod run_folder;
#[doc(hidden)]
pub mod serial;
#[doc(hidden)]
pub mod simulate;
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod target;
#[doc(hidden)]
pub mod word;
#[doc(hidden)]
pub mod words;
