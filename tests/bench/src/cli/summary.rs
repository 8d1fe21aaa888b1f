//! `mealybug-bench summary`: tables and plots of the rows in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use miette::{Result, miette};

use super::exit::BenchExit;
use super::text::say;
use crate::plot::plots;
use crate::row::Row;
use crate::row_file::RowError;
use crate::summary::summary;

/// The tables.
const SUMMARY: &str = "summary.txt";

/// Print the summary of the rows in a folder, and draw the plots
///
/// Reads all DIR/*.csv, those of other learners included; writes DIR/summary.txt and DIR/*.svg.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mealybug-bench summary results")]
pub(super) struct SummaryArgs {
    /// Folder of the rows
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl SummaryArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<BenchExit> {
        summarise(&self.folder)?;
        Ok(BenchExit::Done)
    }
}

/// Makes the summary and the plots from all rows in a folder, and prints the summary.
pub(super) fn summarise(folder: &Path) -> Result<()> {
    let rows = Row::read_all(folder)?;
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
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| RowError::Io { path, error })?;
    }
    say(&text);
    Ok(())
}
