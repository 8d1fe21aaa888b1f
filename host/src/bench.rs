//! Learning whole folders of models in simulation, to measure what that costs.
//!
//! A [`Run`] is one model, learned once; it ends when the hypothesis is right, which is seen from
//! outside. Costs are counted as in the published experiments (Koenders & Moerman, *Output-decomposed
//! Learning of Mealy Machines*, 2024): a word is a query; a test that was asked before, or that is a
//! prefix of one, costs nothing; any other costs its whole length. Learning needs no such cache,
//! since the table or the tree is its own.

mod cases;
mod decompose;
mod file;
mod model;
mod pairs;
mod plot;
mod row;
mod run;
mod simulation;
mod suite;
mod summary;
mod work;

pub use decompose::decompose;
pub use file::{Begun, RowError, RowFile, read_all};
pub use model::Model;
pub use pairs::{Pair, PairFile, PairJob, PairKey, PairRow, PairsError, pairs_summary};
pub use plot::plots;
pub use row::{EXACT, HEADER, Key, Row};
pub use run::{Ending, Run, Symbols, learn};
pub use simulation::{Event, Simulation};
pub use suite::{SuiteError, Suites};
pub use summary::summary;
pub use work::{Caps, Job, Learner, Said, missing, work};
