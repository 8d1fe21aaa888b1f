//! The `mealybug-bench` command, called as a researcher calls it.

mod committed;
mod generate;
mod runs;
#[expect(dead_code, reason = "the tests of `mealybug` use more of it")]
#[path = "../../../../host/tests/command/workplace.rs"]
mod workplace;

/// The program that [`workplace::Workplace::call`] runs.
const PROGRAM: &str = env!("CARGO_BIN_EXE_mealybug-bench");
