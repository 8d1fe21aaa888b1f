//! The files of a run that could not be written.

use std::path::Path;

use mealybug::run_folder::{RunFolder, RunFolderError};

/// The files of a run that could not be written.
#[derive(Debug, Default)]
pub(crate) struct Unwritten(Vec<RunFolderError>);

impl Unwritten {
    /// Takes note of a file that was written, or was not.
    pub(crate) fn note(&mut self, written: Result<(), RunFolderError>) {
        self.0.extend(written.err());
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The error of the first one, as the cause of a sentence that names all of them; `None` if there is none.
    pub(crate) fn report(self, folder: &RunFolder) -> Option<miette::Report> {
        let at = folder.path();
        let files = self.0.iter().filter_map(|error| match error {
            RunFolderError::Unwritable { path, .. } => path.strip_prefix(at).ok(),
            _ => None,
        });
        // A file in the place of the new one is of an earlier session: nothing else writes here.
        let (old, missing): (Vec<_>, Vec<_>) = files.partition(|file| at.join(file).is_file());
        let said = [("missing", missing), ("still of an earlier session", old)]
            .into_iter()
            .filter(|(_, files)| !files.is_empty())
            .map(|(how, files)| format!("{how}: {}", names(&files)))
            .collect::<Vec<_>>()
            .join("; ");
        let again = match folder.can_be_resumed() {
            true => format!(
                "when there is room, `mealybug learn --resume {}` writes them, and asks no word again",
                at.display()
            ),
            false => "all others are there".to_owned(),
        };
        let message =
            format!("not all results could be written to {} ({said}); {again}", at.display());
        let first = self.0.into_iter().next()?;
        Some(miette::Report::new(first).wrap_err(message))
    }
}

/// The files, each once; those of a folder of parts by its name, since there may be hundreds.
fn names(files: &[&Path]) -> String {
    let mut names = Vec::new();
    for file in files {
        let name = match file.parent().filter(|parent| *parent != Path::new("")) {
            Some(parent) => format!("files in {}/", parent.display()),
            None => file.display().to_string(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}
