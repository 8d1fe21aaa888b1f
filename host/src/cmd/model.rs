//! A model that a file holds.

use std::path::Path;

use mealybug::dot;
use mealybug::machine::Machine;
use miette::{IntoDiagnostic, Result, WrapErr, miette};

/// Reads the model in a file: DOT.
pub(crate) fn read(path: &Path) -> Result<Machine> {
    let shown = path.display();
    let bytes = std::fs::read(path)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read the model {shown}"))?;
    // A result file is recognised here, by its first bytes.
    let text = String::from_utf8(bytes).map_err(|_| {
        miette!(help = "give a DOT file, such as model.dot of a run", "{shown} is not a model")
    })?;
    dot::read(&shown.to_string(), &text).map_err(|error| (*error).into())
}

/// How the thing in a file is called: its name without the ending.
pub(crate) fn name(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
