//! Makes the runs that have no row yet.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use mealybug::interrupt;
use mealybug::statistics::number;
use miette::Result;

use super::exit::BenchExit;
use super::failures::Failures;
use super::progress::BenchProgress;
use super::settings::{RunLimits, Settings};
use super::text::note;
use crate::origin::MeasuredModel;
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
    let interrupted = interrupt::flag()?;
    let caps = RunLimits::caps(limits, &interrupted);
    check_models(&path, &tasks, &rows)?;
    check_limits(&path, &tasks, &rows, &caps.written())?;
    let known: HashSet<_> = rows.iter().map(CsvRecord::key).collect();
    tasks.retain(|task| !known.contains(&task.key()));
    let names: Vec<_> = tasks.iter().map(BenchTask::name).collect();
    let mut progress = BenchProgress::new(&names, wanted);
    let mut unwritten = None;
    work(&tasks, settings.threads(), &caps, |event| {
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

/// Checks that no row is about another model of the same name: its costs would be taken for those of this one.
fn check_models<T: BenchTask>(
    path: &Path,
    tasks: &[T],
    rows: &[T::RunRow],
) -> Result<(), RowError> {
    let models = tasks.iter().map(BenchTask::model).map(|model| (model.name, model.states));
    let sizes: HashMap<_, _> = models.collect();
    let other = rows.iter().map(CsvRecord::model).find_map(|MeasuredModel { name, states }| {
        let has = *sizes.get(&name).filter(|&&has| has != states)?;
        Some(RowError::OtherModel { path: path.to_owned(), model: name, had: states, has })
    });
    other.map_or(Ok(()), Err)
}

/// Checks that no run that is wanted was ended by other limits: it would be taken for one with these.
fn check_limits<T: BenchTask>(
    path: &Path,
    tasks: &[T],
    rows: &[T::RunRow],
    limits: &str,
) -> Result<(), RowError> {
    let is_other = |row: &&T::RunRow| row.origin().ended_by().is_some_and(|it| it != limits);
    let others: HashMap<_, _> = rows.iter().filter(is_other).map(|row| (row.key(), row)).collect();
    let found =
        tasks.iter().find_map(|task| Some((task.name(), others.get(&task.key())?.origin())));
    found.map_or(Ok(()), |(run, origin)| {
        let limits = origin.limits.unwrap_or_default().to_owned();
        Err(RowError::OtherLimits { path: path.to_owned(), limits, run })
    })
}
