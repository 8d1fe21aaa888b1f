//! `mealybug-bench summary`: tables and plots of the rows in a folder.

use std::path::{Path, PathBuf};

use clap::Args;
use miette::{Result, miette};

use super::exit::BenchExit;
use super::pairs::summarise_pairs;
use super::text::{say, write};
use super::verdicts::summarise_verdicts;
use crate::pairs::{PairLine, PairRow};
use crate::plot::plots;
use crate::row::RunRow;
use crate::row_file;
use crate::summary::summary;
use crate::verdict::VerdictRow;

/// The tables.
const SUMMARY: &str = "summary.txt";

/// Print the summary of the rows in a folder, and draw the plots
///
/// Reads all DIR/*.csv, those of other learners included, and learns nothing. Of rows of `run` it writes
/// DIR/summary.txt and DIR/*.svg; of rows of `verdicts`, DIR/verdicts.txt and DIR/*.svg; of rows of `pairs`, a file
/// named like the list. The same rows give the same files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug-bench summary results
  mealybug-bench summary verdicts
  mealybug-bench summary versions --pairs versions.csv")]
pub(super) struct SummaryArgs {
    /// Folder of the rows
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// List of the pairs, where the rows are of `pairs`
    #[arg(long, value_name = "LIST")]
    pairs: Option<PathBuf>,
}

impl SummaryArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<BenchExit> {
        let Self { folder, pairs } = self;
        if !folder.is_dir() {
            return Err(miette!(
                help = "name the folder that was given as --out to `run`, `verdicts` or `pairs`",
                "there is no folder {}",
                folder.display()
            ));
        }
        let has_pairs = row_file::holds::<PairRow>(folder)?;
        match pairs {
            Some(list) if has_pairs => {
                let lines = PairLine::read_all(list)?;
                summarise_pairs(folder, list, &lines, &row_file::read_all(folder)?)?;
            }
            Some(_) => {
                return Err(miette!(
                    help =
                        "leave out --pairs, or name the folder of rows of `mealybug-bench pairs`",
                    "the rows in {} are not of pairs",
                    folder.display()
                ));
            }
            None if has_pairs => {
                return Err(miette!(
                    help = "name the list of the pairs: mealybug-bench summary DIR --pairs LIST",
                    "the rows in {} are of pairs",
                    folder.display()
                ));
            }
            None if row_file::holds::<VerdictRow>(folder)? => {
                summarise_verdicts(folder, &row_file::read_all(folder)?)?;
            }
            None => summarise(folder)?,
        }
        Ok(BenchExit::Done)
    }
}

/// Makes the summary and the plots from all rows in a folder, and prints the summary.
pub(super) fn summarise(folder: &Path) -> Result<()> {
    let rows = RunRow::read_all(folder)?;
    if rows.is_empty() {
        return Err(miette!(
            help = "learn models first: mealybug-bench run SUITE --out DIR",
            "there are no results in {}",
            folder.display()
        ));
    }
    let text = summary(&rows);
    let mut files = plots(&rows);
    files.insert(SUMMARY.to_owned(), text.clone());
    for (name, text) in files {
        write(&folder.join(name), &text)?;
    }
    Ok(say(&text)?)
}
