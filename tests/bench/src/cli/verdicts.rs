//! `mealybug-bench verdicts`: whether runs can be believed that end *converged*.

use std::mem;
use std::path::{Path, PathBuf};

use clap::Args;
use mealybug::statistics::number;
use miette::{Result, miette};

use super::exit::BenchExit;
use super::failures::Failures;
use super::measure::measure;
use super::settings::{DEFAULT_LEARNER, DEFAULT_TESTS, Settings};
use super::text::{note, say, write};
use crate::learner::MeasuredLearner;
use crate::model::SuiteModel;
use crate::plot::verdict_plots;
use crate::suite::Suites;
use crate::verdict::{VerdictJob, VerdictRow, verdicts_summary};

/// Measure how often a run that says converged is wrong
///
/// Each model is learned until the hypothesis is right, or 20 000 tests were asked. Rows go to DIR/mealybug.csv, one a
/// run, with all hypotheses and how many tests each passed; the summary goes to DIR/verdicts.txt, plots to DIR/*.svg. A
/// run that has a row is not repeated. These rows need a folder of their own: they have other columns than those of
/// `run`.
///
/// The summary and calibration.svg count runs with the tests of `mealybug learn`, mixture, since only these runs say how
/// sure they are. Runs with other kinds of tests are for finds.svg, which compares the kinds.
#[derive(Debug, Args)]
#[command(mut_arg("algorithms", |it| it.default_value(DEFAULT_LEARNER)), mut_arg("tests", |it| it.default_value(DEFAULT_TESTS)))]
#[command(after_help = "\
Examples:
  mealybug-bench generate hidden --family counter --count 50 --out models/counter
  mealybug-bench verdicts models --out verdicts --seeds 1
  mealybug-bench verdicts models --out verdicts --tests mixture,coverage --seeds 1    # finds.svg, too")]
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
        let mut failures = Failures::of_models(mem::take(&mut suites.unreadable));
        leave_out_large(&mut suites.models, *max_transitions)?;
        let mut jobs = Vec::new();
        for model in &suites.models {
            for tests in settings.tests() {
                let seeds = if tests.is_random() { settings.seeds } else { 1 };
                for seed in *first_seed..first_seed.saturating_add(seeds) {
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
        let (rows, exit) = measure(jobs, settings, None, &mut failures)?;
        let summarised = summarise_verdicts(&settings.out, &rows);
        let exit = failures.finish(exit);
        summarised.map(|()| exit)
    }
}

/// Leaves out models with more transitions, and says how many.
fn leave_out_large(models: &mut Vec<SuiteModel>, max_transitions: u64) -> Result<()> {
    let all = models.len();
    models.retain(|model| model.transitions() <= max_transitions);
    let out = all - models.len();
    let [limit, count] = [max_transitions, out as u64].map(number);
    if out > 0 && models.is_empty() {
        return Err(miette!(
            help = "give a larger --max-transitions",
            "each model has more than {limit} transitions"
        ));
    }
    match out {
        0 => {}
        1 => note(&format!(
            "1 model with more than {limit} transitions is left out (--max-transitions)"
        )),
        _ => note(&format!(
            "{count} models with more than {limit} transitions are left out (--max-transitions)"
        )),
    }
    Ok(())
}

/// Makes the summary and the plots of verdicts, and prints the summary.
pub(super) fn summarise_verdicts(folder: &Path, rows: &[VerdictRow]) -> Result<()> {
    let text = verdicts_summary(rows);
    let mut files = verdict_plots(rows);
    files.insert("verdicts.txt".to_owned(), text.clone());
    for (name, text) in files {
        write(&folder.join(name), &text)?;
    }
    Ok(say(&text)?)
}
