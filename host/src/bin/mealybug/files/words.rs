//! Files of words that the user names.

use std::path::Path;

use mealybug::words;
use mealybug_core::Input;
use miette::{IntoDiagnostic, Result, WrapErr};

/// Reads the words in a file, for a device with these inputs.
pub(crate) fn read(path: &Path, inputs: &[String]) -> Result<Vec<Vec<Input>>> {
    let text = text(path)?;
    words::parse(&path.display().to_string(), &text, inputs).map_err(|error| (*error).into())
}

/// The text of a file of words.
pub(crate) fn text(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).into_diagnostic();
    text.wrap_err_with(|| format!("cannot read the words in {}", path.display()))
}
