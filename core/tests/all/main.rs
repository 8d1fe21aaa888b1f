//! The tests of what the core does, in one program: it is built and linked sooner than one for each
//! module. `cargo test -p mealybug-core --test all guide::` runs one module.

mod common;

mod components;
#[cfg(feature = "mixture")]
mod costs;
mod counterexamples;
mod faults;
mod frames;
#[cfg(all(feature = "fast", feature = "mixture"))]
mod guide;
#[cfg(feature = "mixture")]
mod known;
mod lanes;
mod memory;
#[cfg(feature = "mixture")]
mod mixture;
mod no_panic;
#[cfg(not(feature = "fast"))]
mod ram;
mod session;
mod suites;
mod toy;
#[cfg(feature = "tree")]
mod tree;
mod wire;
