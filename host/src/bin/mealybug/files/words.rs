//! Files of words that the user names.

use std::path::Path;

use mealybug::words;
use mealybug_core::Input;
use miette::{IntoDiagnostic, Result, WrapErr};

/// Reads the words in a file, for a device with these inputs.
pub(crate) fn read(path: &Path, inputs: &[String]) -> Result<Vec<Vec<Input>>> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read the words in {shown}"))?;
    words::parse(&shown, &text, inputs).map_err(|error| (*error).into())
}
