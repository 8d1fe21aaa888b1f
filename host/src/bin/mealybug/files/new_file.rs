//! Files that must be new: a device file may hold an hour of somebody's work.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use mealybug::replaced_file::can_be_written;
use miette::{Report, Result};

use crate::exit::{CliError, Exit};
use crate::files::out_file::not_written;

/// Refuses a file that is there already or cannot be written, before anything is done for it.
pub(crate) fn must_be_new(path: &Path) -> Result<()> {
    if path.exists() {
        return Err(exists(path));
    }
    can_be_written(path).map_err(|error| not_written(path, &error))
}

/// Writes a file that is not there yet. On an error it is still not there.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<()> {
    let mut file = File::create_new(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => not_written(path, &error),
    })?;
    file.write_all(text.as_bytes()).map_err(|error| {
        // A part of it would have to be removed before the next try.
        let _ = fs::remove_file(path);
        not_written(path, &error)
    })
}

fn exists(path: &Path) -> Report {
    CliError::report(
        Exit::Failed,
        format!("there is already a file {}", path.display()),
        "nothing is overwritten: name another file, or remove this one",
    )
}
