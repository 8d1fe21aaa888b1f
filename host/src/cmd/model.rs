//! A model that a file holds.

use std::path::Path;

use mealybug::dot;
use mealybug::machine::Machine;
use mealybug::result_file;
use miette::{IntoDiagnostic, Result, WrapErr, miette};

/// A result with more states is too large to be simulated.
const MAX_STATES: u32 = 1_000_000;

/// Reads the model in a file: DOT, or the result of a run.
pub(crate) fn read(path: &Path) -> Result<Machine> {
    let shown = path.display();
    let bytes = std::fs::read(path)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read the model {shown}"))?;
    if result_file::is_result(&bytes) {
        return of_result(&bytes).wrap_err_with(|| format!("{shown} cannot be used"));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        miette!(
            help = "give a DOT file, or the result.postcard of a run",
            "{shown} is neither a DOT file nor the result of a run"
        )
    })?;
    dot::read(&shown.to_string(), &text).map_err(|error| (*error).into())
}

/// The machine that a result holds.
fn of_result(bytes: &[u8]) -> Result<Machine> {
    let (_, learned) = result_file::decode(bytes)?;
    let learned = learned.ok_or_else(|| {
        miette!(help = "its run ended before there was a model", "the result holds no model")
    })?;
    learned.product(MAX_STATES).into_diagnostic()
}

/// How the thing in a file is called: its name without the ending.
pub(crate) fn name(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
