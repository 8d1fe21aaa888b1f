//! Features, no panic, and the same words for the same seed.
//!
//! # Features
//!
//! | feature | default | with it | without it |
//! |---|---|---|---|
//! | `fast` | yes | less time for each symbol, more flash | the same words |
//! | `mixture` | yes | [`Tests::Mixture`](crate::Tests::Mixture) and its five kinds, [`Tests::Components`](crate::Tests::Components), [`Session::set_costs`](crate::Session::set_costs) | less flash; the default tests are [`Tests::RandomWp`](crate::Tests::RandomWp), and a session with other tests is refused ([`Misuse::UnsupportedTests`](crate::Misuse::UnsupportedTests)) |
//! | `tree` | yes | the learners L# and OL# ([how they learn](crate::guide::ol_sharp)) | less flash |
//! | `defmt` | no | `defmt::Format` for the public types | |
//!
//! There is no feature `std`: the crate never uses it. [`Tests::is_supported`](crate::Tests::is_supported)
//! says what a program has.
//!
//! # No panic
//!
//! Nothing in this crate panics, whatever a caller or a device does, as long as the caller's own code does
//! not panic either: closures, memory and devices. This is checked when a program is linked: a test of the
//! repository links one that calls the whole API, with a panic handler that is a symbol which does not
//! exist. It links only if the optimised program contains no call of it.
//!
//! There is no `unsafe` code either: `unsafe_code = "forbid"`.
//!
//! # The same seed, the same words
//!
//! A session has no clock and no source of randomness but [`Options::seed`](crate::Options::seed). The same
//! inputs, options and answers give the same words in the same order, on a host and on a microcontroller,
//! with and without `fast`, in a session that grew and in one that did not. So a run on a board can be
//! repeated in a simulation.
//!
//! - The number of lanes changes only which tests are dropped after a counterexample
//!   ([`sessions`](super::sessions#lanes)).
//! - Outputs are numbered in the order in which the learner takes them in, which does not depend on lanes.
//! - [`Session::set_costs`](crate::Session::set_costs) changes the tests that follow, and the words of a tree learner. Give measured times, and
//!   two runs differ if the times do.
//! - Another version of this crate may ask other words for the same seed.
//!
//! Each random test has random numbers of its own, drawn from the seed and the number of the test.
