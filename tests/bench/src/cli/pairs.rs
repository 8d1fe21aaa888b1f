//! `mealybug-bench pairs`: what an older model saves.

use std::path::{Path, PathBuf};

use clap::Args;
use miette::Result;

use super::exit::BenchExit;
use super::failures::Failures;
use super::measure::measure;
use super::settings::{DEFAULT_LEARNER, DEFAULT_TESTS, RunLimits, Settings};
use super::text::{say, write};
use crate::pairs::{Pair, PairJob, PairLine, PairRow, pairs_summary};

/// Measure what an older model saves
///
/// Each newer model is learned without help, with the older model as advice (`mealybug learn --like`),
/// and with itself as advice. Rows go to DIR/mealybug.csv, the summary to DIR, in a file named like the
/// list: DIR/versions.txt for versions.csv. A run that has a row is not repeated. Rows of pairs need a
/// folder of their own: they have other columns than those of `run`.
#[derive(Debug, Args)]
#[command(mut_arg("algorithms", |it| it.default_value(DEFAULT_LEARNER)), mut_arg("tests", |it| it.default_value(DEFAULT_TESTS)))]
#[command(after_help = "\
Example:
  mealybug-bench pairs versions.csv --models models --out versions --tests perfect,mixture")]
pub(super) struct PairsArgs {
    /// List of pairs: a CSV file with the columns `old` and `new`, which name DOT files
    ///
    /// A column `inputs` is optional. Where it says `renamed`, the inputs of the older model get the
    /// names of those of the newer one, in their order.
    list: PathBuf,

    /// Folder of the DOT files in the list
    #[arg(long, value_name = "FOLDER")]
    models: PathBuf,

    #[command(flatten)]
    settings: Settings,

    #[command(flatten)]
    limits: RunLimits,
}

impl PairsArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<BenchExit> {
        let Self { list, models, settings, limits } = self;
        let lines = PairLine::read_all(list)?;
        let pairs = Pair::read_all(&lines, models)?;
        let tests = settings.tests();
        let jobs = PairJob::all(&pairs, &settings.algorithms, &tests, settings.seeds);
        let mut failures = Failures::default();
        let (rows, exit) = measure(jobs, settings, Some(limits), &mut failures)?;
        let summarised = summarise_pairs(&settings.out, list, &lines, &rows);
        let exit = failures.finish(exit);
        summarised.map(|()| exit)
    }
}

/// Makes the summary of the pairs in a list, and prints it.
pub(super) fn summarise_pairs(
    folder: &Path,
    list: &Path,
    lines: &[PairLine],
    rows: &[PairRow],
) -> Result<()> {
    let text = pairs_summary(lines, rows);
    let name = list.with_extension("txt");
    write(&folder.join(name.file_name().unwrap_or_default()), &text)?;
    Ok(say(&text)?)
}
