//! Learns the state machine inside a device by talking to it, with L*, OL*, L# or OL#.
//!
//! OL*, *Output-decomposed Learning of Mealy Machines* (Koenders, Moerman, LearnAut 2024, arXiv
//! 2405.08647), learns one small component for each output instead of one large machine; L* (Angluin
//! 1987) learns the machine. Both are one learner over a family of projections ([`Projections`]). With the feature
//! `tree` there are also L# and OL#, which keep what was asked in a tree and ask fewer words.
//!
//! The crate has no I/O, no clock and no allocator, and it does not panic. A [`Session`] lives in memory
//! that the caller hands over and says, one action at a time, what to do with a device. The [`guide`]
//! explains it. With a closure for a device:
//!
//! ```
//! use mealybug_core::{Mealy, Options, Session, learn, sul};
//!
//! // A light with a button: the third press switches it on, the fourth off. Input 1 only looks.
//! let mut presses = 0;
//! let mut device = sul::from_fn(|input| {
//!     match input.map(|input| input.index()) {
//!         None => presses = 0,
//!         Some(0) => presses = (presses + 1) % 4,
//!         Some(_) => {}
//!     }
//!     if presses == 3 { "on" } else { "off" }
//! });
//! let mut session = Session::new([0; 1024], 2, Options::default())?;
//! let why = learn(&mut session, &mut device)?;
//! let hypothesis = session.hypothesis().expect("a session that converged has a hypothesis");
//! assert!(why.is_converged());
//! // A component for each output, `on` and `off`.
//! assert!(hypothesis.components().map(|component| component.states()).eq([4, 4]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | learn one device | [`learn`] with a [`Sul`] |
//! | give more memory during a run, ask again after a failure, look at each hypothesis | [`serve::serve`] |
//! | serve several devices at once | [`Session::next`], with a lane for each |
//! | test a device against a known model | [`Session::of_model`] |
//! | put the result into bytes | [`wire::write`] |
#![no_std]

#[cfg(test)]
extern crate std;

mod action;
mod alphabet;
mod bits;
mod budget;
#[cfg(feature = "mixture")]
mod costs;
#[cfg(not(feature = "mixture"))]
#[path = "no_costs.rs"]
mod costs;
mod dispatcher;
mod error;
pub mod guide;
mod hash;
mod known_answer;
mod lanes;
mod learner;
mod machines;
mod mealy;
mod memory;
mod observations;
mod options;
mod outputs;
mod prefixes;
mod progress;
mod projection;
mod rng;
pub mod serve;
mod session;
mod suffixes;
pub mod sul;
mod test_kind;
mod testing;
pub mod wire;
mod words;

pub use action::{Action, EndReason, Reply};
pub use alphabet::{Input, Output};
pub use error::{CapacityError, Contradiction, Misuse, Resource, SessionError};
pub use known_answer::KnownAnswer;
pub use learner::Learner;
#[cfg(feature = "tree")]
pub use learner::any::AnyLearner;
pub use learner::known::KnownModel;
pub use learner::table::TableLearner;
#[cfg(feature = "tree")]
pub use learner::tree::TreeLearner;
pub use machines::components::{Defect, Knowledge, product_output};
pub use machines::hypothesis::{Component, Hypothesis};
pub use mealy::{Mealy, NumberedMealy};
pub use options::{Budget, Observations, Options, Projections};
pub use progress::{Costs, DefectCounts, KindCosts, Progress, Purpose, Summary};
#[cfg(feature = "tree")]
pub use progress::{Division, Forecast, TreeProgress};
pub use serve::{ServeError, learn};
pub use session::Session;
pub use sul::{AsyncSul, Sul};
pub use test_kind::{MIXTURE_KINDS, ParseTestsError, Tests};
