//! Learns the state machine of a device from a program, and compares it with a golden model in a test.
//!
//! ```
//! use mealybug::{Device, LearnOptions, dot, learn};
//!
//! #[derive(Clone, Copy, Debug)]
//! enum Event { Coin, Push }
//!
//! #[derive(Default)]
//! struct Turnstile { is_open: bool }
//!
//! impl Turnstile {
//!     fn handle(&mut self, event: Event) -> &'static str {
//!         match event {
//!             Event::Coin if self.is_open => "coin back",
//!             Event::Coin => { self.is_open = true; "opens" }
//!             Event::Push if self.is_open => { self.is_open = false; "turns" }
//!             Event::Push => "blocked",
//!         }
//!     }
//! }
//!
//! let inputs = [Event::Coin, Event::Push];
//! let device = Device::from_fn(inputs, Turnstile::default, Turnstile::handle);
//! let learned = learn(device, &LearnOptions::new())?;
//! assert_eq!(learned.model().states(), 2);
//! print!("{}", dot::write(learned.model()));
//! # assert!(learned.report("turnstile").contains("Converged"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Learned`] has the [model](Learned::model), the [modules](Learned::modules) that it consists of and the
//! [report](Learned::report). In a test, [`assert_model!`] compares the device with a model that is kept in
//! the repository.
//!
//! A [`Device`] is a type of your own, any [`Sul`], a program ([`Adapter`]), or what a [`DeviceFile`]
//! describes at the port that a [`PortAddress`] opens:
//!
//! ```no_run
//! # use std::path::Path;
//! use mealybug::{Device, DeviceFile, LearnOptions, PortAddress, SerialSul, learn};
//!
//! let file = DeviceFile::load(Path::new("lock.toml"))?;
//! let link = PortAddress::parse("/dev/ttyUSB0")?.open(&file.port)?;
//! let device = Device::from(SerialSul::new(link, file)?);
//! let options = LearnOptions::new().answers("answers.log").retries(20);
//! std::fs::write("report.html", learn(device, &options)?.report("lock"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Machines are read and written as DOT ([`dot`]), and compared ([`separate`]). [`events`] and
//! [`statistics`] are what `--json` and `statistics.json` of the command say.
//!
//! What is not in this documentation belongs to the commands and to this project's tests, and changes
//! without notice.

pub use adapter::Adapter;
pub use device::DeviceFile;
#[doc(hidden)]
pub use library::assert_model_in;
pub use library::{Device, LearnError, LearnOptions, Learned, learn};
pub use machine::{Machine, separate};
pub use mealybug_core::{Input, Sul};
pub use modules::{Module, Modules};
pub use serial::{PortAddress, SerialSul};

pub mod dot;
pub mod events;
pub mod statistics;

mod library;
mod line_kind;
mod mean_time;
#[cfg(test)]
mod schema;
mod short_names;
mod shorten;

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
pub mod data_folder;
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
pub mod last_look;
#[doc(hidden)]
pub mod learn;
#[doc(hidden)]
pub mod learned_components;
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
pub mod place;
#[doc(hidden)]
pub mod ports;
#[doc(hidden)]
pub mod refutation;
#[doc(hidden)]
pub mod replaced_file;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod result_file;
#[doc(hidden)]
pub mod run_folder;
#[doc(hidden)]
pub mod serial;
#[doc(hidden)]
pub mod short_output;
#[doc(hidden)]
pub mod simulate;
#[doc(hidden)]
pub mod state_names;
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod target;
#[doc(hidden)]
pub mod word;
#[doc(hidden)]
pub mod words;
