//! Files that must be new: a device file may hold an hour of somebody's work.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use miette::{Report, Result};

use crate::exit::{CliError, Exit};

/// Refuses a file that is there already, before anything is done for it.
pub(crate) fn must_be_new(path: &Path) -> Result<()> {
    if path.exists() { Err(exists(path)) } else { Ok(()) }
}

/// Writes a file that is not there yet.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<()> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => CliError::report(
            Exit::Disk,
            format!("cannot write the device file {}: {error}", path.display()),
            "is there such a folder, and may this user write there?",
        ),
    })
}

fn exists(path: &Path) -> Report {
    CliError::report(
        Exit::Failed,
        format!("there is already a file {}", path.display()),
        "nothing is overwritten: name another file, or remove this one",
    )
}
