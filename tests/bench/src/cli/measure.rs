//! Makes the runs that have no row yet.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::Ordering;

use mealybug::interrupt;
use mealybug::statistics::number;
use miette::Result;

use super::exit::BenchExit;
use super::progress::BenchProgress;
use super::settings::Settings;
use super::text::note;
use crate::row_file::{CsvRecord, OpenedRows, RowError, RowFile};
use crate::task::{RunEvent, Task, work};

/// The rows of this program. Those of other programs are in other files of the folder.
const OWN_FILE: &str = "mealybug.csv";

/// Makes the runs that have no row yet. Returns the rows of all runs in the file, new ones included.
pub(super) fn measure<T: Task>(
    mut tasks: Vec<T>,
    settings: &Settings,
) -> Result<(Vec<T::Row>, BenchExit)> {
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
    let names: Vec<_> = tasks.iter().map(Task::name).collect();
    let mut progress = BenchProgress::new(&names, wanted);
    let mut failed = None;
    work(&tasks, settings.threads(), &settings.caps(&interrupted), |event| {
        progress.hear(&event);
        if let RunEvent::Ended(_, Some(row)) = event
            && failed.is_none()
        {
            failed = file.add(&row).err();
            rows.push(row);
            interrupted.fetch_or(failed.is_some(), Ordering::Relaxed);
        }
    });
    progress.finish();
    if let Some(error) = failed {
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
