//! Suites: folders of models as DOT files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use miette::Diagnostic;
use thiserror::Error;

use crate::model::{ModelError, SuiteModel, read_machine};

/// Why there are no models.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum SuiteError {
    /// There is no such file or folder.
    #[error("cannot read {}: {error}", path.display())]
    #[diagnostic(help(
        "a suite is a folder of DOT files, a folder of such folders, or a DOT file"
    ))]
    Io {
        /// What was to be read.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// There is no DOT file.
    #[error("there are no models in {}", path.display())]
    #[diagnostic(help("a suite is a folder of files *.dot, or a folder of such folders"))]
    NoModels {
        /// Where they were looked for.
        path: PathBuf,
    },
    /// Two models have the same name.
    #[error("two models are called {name}: {} and {}", paths[0].display(), paths[1].display())]
    #[diagnostic(help(
        "rows name a model by its folder and file: use another folder for one of them (--out), or rename it"
    ))]
    SameName {
        /// Suite and file.
        name: String,
        /// Where they are.
        paths: Box<[PathBuf; 2]>,
    },
}

/// The models of some suites.
#[derive(Debug, Default)]
pub(crate) struct Suites {
    /// Those that can be learned, small ones first.
    pub(crate) models: Vec<SuiteModel>,
    /// The other files of the suites.
    pub(crate) unreadable: Vec<UnreadableModel>,
}

/// A file that is not a model.
#[derive(Debug)]
pub(crate) struct UnreadableModel {
    /// Suite and file.
    pub(crate) name: String,
    /// What is wrong with it.
    pub(crate) error: ModelError,
}

impl Suites {
    /// Reads the models at `paths`: folders of DOT files, folders of such folders, or DOT files. A suite
    /// is named by the folder that its files are in.
    ///
    /// # Errors
    /// There is nothing at a path, or two models have the same name.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, SuiteError> {
        let mut files = BTreeMap::new();
        for path in paths {
            let found = find(path)?;
            if found.is_empty() {
                return Err(SuiteError::NoModels { path: path.clone() });
            }
            for file in found {
                let name = name(&file);
                if let Some(other) = files.insert(name.clone(), file.clone())
                    && other != file
                {
                    return Err(SuiteError::SameName { name, paths: Box::new([other, file]) });
                }
            }
        }
        let mut suites = Self::default();
        for (name, path) in files {
            match read_machine(&path) {
                Ok(machine) => suites.models.push(SuiteModel::new(name, machine)),
                Err(error) => suites.unreadable.push(UnreadableModel { name, error }),
            }
        }
        suites.models.sort_by_key(SuiteModel::transitions);
        Ok(suites)
    }
}

/// The DOT files at a path.
fn find(path: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    let io = |error| SuiteError::Io { path: path.to_owned(), error };
    // So that `.` has a name.
    let path = path.canonicalize().map_err(io)?;
    if !path.is_dir() {
        return Ok(vec![path]);
    }
    let mut files = Vec::new();
    for entry in read(&path)? {
        if entry.is_dir() {
            files.extend(read(&entry)?.into_iter().filter(|path| is_model(path)));
        } else if is_model(&entry) {
            files.push(entry);
        }
    }
    Ok(files)
}

fn read(folder: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    let io = |error| SuiteError::Io { path: folder.to_owned(), error };
    fs::read_dir(folder)
        .map_err(io)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(io))
        .collect()
}

fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "dot") && path.is_file()
}

/// Suite and file.
fn name(path: &Path) -> String {
    let text = |path: Option<&Path>| {
        path.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
    };
    format!("{}/{}", text(path.parent()), text(Some(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAMP: &str = r#"digraph { 0 -> 1 [label="press / on"]; 1 -> 0 [label="press / off"]; }"#;
    const BELL: &str = r#"digraph { 0 -> 0 [label="press / ring"]; }"#;

    #[test]
    fn suites_are_named_by_folders_and_small_models_come_first() {
        let root = tempfile::tempdir().expect("a folder");
        let path = |name: &str| root.path().join(name);
        for (name, text) in [
            ("one/a-lamp.dot", LAMP),
            ("one/bell.dot", BELL),
            ("one/notes.txt", "no model"),
            ("two/torn.dot", "digraph { 0 ->"),
            ("other/one/bell.dot", BELL),
        ] {
            fs::create_dir_all(path(name).parent().expect("a folder")).expect("a folder");
            fs::write(path(name), text).expect("a file");
        }
        let names = |paths: &[PathBuf]| {
            let suites = Suites::read(paths).expect("there are models");
            let names: Vec<_> = suites.models.into_iter().map(|model| model.name).collect();
            (names.join(" "), suites.unreadable.len())
        };
        let all = ("one/bell.dot one/a-lamp.dot".to_owned(), 1);
        assert_eq!(names(&[root.path().to_owned()]), all, "folders of folders");
        assert_eq!(names(&[path("one"), path("two"), path("one/bell.dot")]), all, "once");
        assert_eq!(names(&[path("one/bell.dot")]), ("one/bell.dot".to_owned(), 0));
        let same = Suites::read(&[path("one"), path("other/one")]).expect_err("the same name");
        assert!(matches!(same, SuiteError::SameName { ref name, .. } if name == "one/bell.dot"));
    }
}
