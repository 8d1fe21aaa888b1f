//! For researchers: what learning costs on folders of models, in simulation; and models to learn.
//!
//! [`learn`] learns a model once. A run ends when the hypothesis equals the model, which is checked
//! from outside. Costs are counted as in the published experiments (Koenders & Moerman,
//! *Output-decomposed Learning of Mealy Machines*, 2024): a word is a query; a test that was asked
//! before, or that is a prefix of such a test, costs nothing; any other costs its whole length.
//! Learning needs no such cache: its table or tree is one.
//!
//! The command `mealybug-bench` ([`cli`]) makes many runs and compares their rows; [`generate`] makes
//! models.

mod calibration;
mod cases;
pub mod cli;
mod decompose;
pub mod generate;
mod job;
mod judged;
mod learner;
mod model;
mod origin;
mod pairs;
mod plot;
mod row;
mod row_file;
mod run;
mod simulation;
mod suite;
mod summary;
mod task;
#[cfg(test)]
mod testing;
mod verdict;

pub use calibration::{Calibration, ChanceRange};
pub use cases::{Case, CaseCosts, CostComparison};
pub use judged::{JudgedHypothesis, JudgedRun};
pub use model::{ModelError, SuiteModel};
pub use origin::MixedRows;
pub use row::{EXACT, RunRow};
pub use row_file::RowError;
pub use run::{BenchRun, RunOutcome, Symbols, learn};
pub use simulation::{Simulation, SimulationEvent};
