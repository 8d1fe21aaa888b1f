//! Makes the runs that have no row yet.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::Ordering;

use mealybug::interrupt;
use mealybug::statistics::number;
use miette::Result;

use super::exit::BenchExit;
use super::failures::Failures;
use super::progress::BenchProgress;
use super::settings::{RunLimits, Settings};
use super::text::note;
use crate::row_file::{CsvRecord, OpenedRows, RowError, RowFile};
use crate::task::{BenchTask, RunEvent, work};

/// The rows of this program. Those of other programs are in other files of the folder.
const OWN_FILE: &str = "mealybug.csv";

/// Makes the runs that have no row yet. Returns the rows of all runs in the file, new ones included. Runs that fail have
/// no row.
pub(super) fn measure<T: BenchTask>(
    mut tasks: Vec<T>,
    settings: &Settings,
    limits: Option<&RunLimits>,
    failures: &mut Failures,
) -> Result<(Vec<T::RunRow>, BenchExit)> {
    let io = |error| RowError::Io { path: settings.out.clone(), error };
    fs::create_dir_all(&settings.out).map_err(io)?;
    let path = settings.out.join(OWN_FILE);
    let OpenedRows { mut file, mut rows, torn } = RowFile::open(&path)?;
    if let Some(torn) = torn {
        let (file, torn) = (path.display(), torn.chars().take(60).collect::<String>());
        note(&format!("the last line of {file} was not whole, `{torn}`: its run is repeated"));
    }
    let wanted = tasks.len();
    let known: HashSet<_> = rows.iter().map(CsvRecord::key).collect();
    tasks.retain(|task| !known.contains(&task.key()));
    let interrupted = interrupt::flag()?;
    let names: Vec<_> = tasks.iter().map(BenchTask::name).collect();
    let mut progress = BenchProgress::new(&names, wanted);
    let mut unwritten = None;
    work(&tasks, settings.threads(), &RunLimits::caps(limits, &interrupted), |event| {
        progress.hear(&event);
        match event {
            RunEvent::Ended(_, Some(row)) if unwritten.is_none() => {
                unwritten = file.add(&row).err();
                rows.push(row);
                interrupted.fetch_or(unwritten.is_some(), Ordering::Relaxed);
            }
            RunEvent::Failed(at, why) => failures.add(format!("{}: {why}", names[at])),
            RunEvent::Begun(_) | RunEvent::Ended(..) => {}
        }
    });
    progress.finish();
    if let Some(error) = unwritten {
        failures.finish(BenchExit::Done);
        return Err(error.into());
    }
    let left = progress.left();
    if left == 0 {
        return Ok((rows, BenchExit::Done));
    }
    let left = number(left as u64);
    note(&format!("stopped; runs that are left: {left}; the same command continues with them"));
    Ok((rows, BenchExit::Interrupted))
}
