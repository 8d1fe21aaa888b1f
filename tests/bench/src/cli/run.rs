//! `mealybug-bench run`: what it costs to learn folders of models.

use std::path::PathBuf;

use clap::Args;
use miette::Result;

use super::exit::BenchExit;
use super::failures::Failures;
use super::measure::measure;
use super::settings::{RunLimits, Settings};
use super::summary::summarise;
use crate::job::Job;
use crate::suite::Suites;

/// Measure what it costs to learn folders of models, in simulation
///
/// Each model is learned with each learner, kind of tests and seed. The program compares each
/// hypothesis with the model, and a run ends when they are equal. Costs are counted as in the published
/// experiments: a test that was asked before, or that is a prefix of such a test, costs nothing; any
/// other costs its whole length.
///
/// A run that ends adds a row to DIR/mealybug.csv. A run that has a row is not repeated, so a command that was
/// stopped can be called again. Rows of another version of this program are refused, and so are rows of runs that
/// other limits ended, and rows of a model that had another number of states. At the end, the summary and the plots are made from all DIR/*.csv, where files of other
/// learners may be.
///
/// A file that is not a model stops no other: it is named in the last lines, and the exit status is 7. A run that a
/// limit ends has a row; it is a result.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug-bench run models/artificial --out results
  mealybug-bench run models --out results --algorithms ol-sharp,ol-star --tests random-wp,mixture
  mealybug-bench run models --out results --algorithms ol-sharp,ol-sharp:per-output
  mealybug-bench run models/tls --out results --tests perfect    # shortest counterexamples, free")]
pub(super) struct RunArgs {
    /// Suites: folders of DOT files, folders of such folders, or DOT files
    #[arg(value_name = "SUITE", required = true)]
    suites: Vec<PathBuf>,

    #[command(flatten)]
    settings: Settings,

    #[command(flatten)]
    limits: RunLimits,
}

impl RunArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<BenchExit> {
        let Self { suites, settings, limits } = self;
        let suites = Suites::read(suites)?;
        let mut failures = Failures::of_models(suites.unreadable);
        let tests = settings.tests();
        let jobs = Job::all(&suites.models, &settings.algorithms, &tests, settings.seeds);
        let (rows, exit) = measure(jobs, settings, Some(limits), &mut failures)?;
        let summarised = if rows.is_empty() { Ok(()) } else { summarise(&settings.out) };
        let exit = failures.finish(exit);
        summarised.map(|()| exit)
    }
}
