//! `mealybug-bench verdicts`: whether runs can be believed that end *converged*.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use miette::{Report, Result, miette};

use super::exit::BenchExit;
use super::measure::measure;
use super::settings::Settings;
use super::text::{note, say};
use crate::learner::MeasuredLearner;
use crate::plot::verdict_plots;
use crate::row_file::RowError;
use crate::suite::Suites;
use crate::verdict::{VerdictJob, VerdictRow, verdicts_summary};

/// Measure how often a run that says converged is wrong
///
/// Each model is learned until the hypothesis is right, or 20 000 tests were asked. Rows go to DIR/mealybug.csv, one a
/// run, with all hypotheses and how many tests each passed; the summary goes to DIR/verdicts.txt, plots to DIR/*.svg. A
/// run that has a row is not repeated. These rows need a folder of their own: they have other columns than those of
/// `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mealybug-bench generate hidden --family counter --count 50 --out models/counter
  mealybug-bench verdicts models --out verdicts --algorithms ol-sharp --tests mixture,coverage --seeds 1")]
pub(super) struct VerdictsArgs {
    /// Suites: folders of DOT files, folders of such folders, or DOT files
    #[arg(value_name = "SUITE", required = true)]
    suites: Vec<PathBuf>,

    /// Leave out models with more transitions, states times inputs
    #[arg(long, value_name = "N", default_value_t = 1500)]
    max_transitions: u64,

    /// Seeds begin with this one instead of 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    first_seed: u64,

    #[command(flatten)]
    settings: Settings,
}

impl VerdictsArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<BenchExit> {
        let Self { suites, max_transitions, first_seed, settings } = self;
        if let Some(other) =
            settings.algorithms.iter().find(|&&it| it != MeasuredLearner::from(it.algorithm()))
        {
            return Err(miette!(
                help = "leave it out of --algorithms",
                "verdicts are those of ol-sharp, l-sharp, ol-star and l-star, not of {other}"
            ));
        }
        let mut suites = Suites::read(suites)?;
        for error in suites.unreadable {
            note(&format!("{:?}", Report::new(error)));
        }
        suites.models.retain(|model| model.transitions() <= *max_transitions);
        let mut jobs = Vec::new();
        for model in &suites.models {
            for tests in settings.tests() {
                for seed in *first_seed..first_seed.saturating_add(settings.seeds) {
                    let algorithms = settings.algorithms.iter().map(|it| it.algorithm());
                    jobs.extend(algorithms.map(|algorithm| VerdictJob {
                        model,
                        algorithm,
                        tests,
                        seed,
                    }));
                }
            }
        }
        let (rows, exit) = measure(jobs, settings)?;
        summarise_verdicts(&settings.out, &rows)?;
        Ok(exit)
    }
}

/// Makes the summary and the plots of verdicts, and prints the summary.
pub(super) fn summarise_verdicts(folder: &Path, rows: &[VerdictRow]) -> Result<()> {
    let text = verdicts_summary(rows);
    let mut files = verdict_plots(rows);
    files.insert("verdicts.txt".to_owned(), text.clone());
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| RowError::Io { path, error })?;
    }
    say(&text);
    Ok(())
}
