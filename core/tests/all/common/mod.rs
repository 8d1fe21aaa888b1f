//! What the tests of the core share: example machines, naive computations of what the core computes
//! fast, and a driver that serves a session with a machine.
#![allow(dead_code, unused_imports, reason = "each test uses a part of this")]

mod driver;
pub(crate) mod known;
mod machines;
mod naive;
mod rng;

pub(crate) use driver::{
    CallerVerdict, Driver, LaneWord, STEPS, TestedLearner, external, learner, memory, only_tests,
    perfect, until_equal, without_tests,
};
pub(crate) use machines::{TableMachine, count, lock};
pub(crate) use naive::{
    access_words, assert_exact, first_wrong, group_of, product_initial, product_step,
    separating_word,
};
pub(crate) use rng::Rng;
