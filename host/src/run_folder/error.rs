//! Why a run has no folder or cannot use it.

use std::io;
use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

/// The options of the run.
pub(super) const OPTIONS: &str = "options.json";

/// The version of `options.json`. It changes when a field is removed or changes its meaning.
pub(super) const OPTIONS_FORMAT: u32 = 1;

/// How to continue a run whose `options.json` cannot be read.
const WITHOUT_OPTIONS: &str = "answers.log still has every answer of the device. To use it, start the run again in a new \
                               folder, stop it with Ctrl-C, copy its options.json into this folder, and resume";

/// Why a run has no folder or cannot use it.
#[derive(Debug, Error, Diagnostic)]
pub enum RunFolderError {
    /// The folder is not empty.
    #[error("the folder {} is not empty", path.display())]
    #[diagnostic(help(
        "results are never overwritten: name another folder, or remove this one; without --out \
         each run has a new folder"
    ))]
    NotEmpty {
        /// The path of the folder.
        path: PathBuf,
    },
    /// The folder contains no run that can be resumed.
    #[error("no run can be resumed in {}: there is no {missing}", path.display())]
    #[diagnostic(help(
        "give the folder of a run of `mealybug learn` with a device; learning a model again takes no longer"
    ))]
    NotARun {
        /// The path of the folder.
        path: PathBuf,
        /// The missing file.
        missing: &'static str,
    },
    /// The folder contains a run without options.
    #[error("the run in {} cannot be resumed: there is no {OPTIONS}", path.display())]
    #[diagnostic(help("{WITHOUT_OPTIONS}"))]
    NoOptions {
        /// The path of the folder.
        path: PathBuf,
    },
    /// The options of the run cannot be read.
    #[error("{} is damaged, or of another version of Mealybug", path.display())]
    #[diagnostic(help("{WITHOUT_OPTIONS}"))]
    DamagedOptions {
        /// The path of the file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Another version of Mealybug wrote the options.
    #[error("{} has format {format}, and this version of Mealybug reads format {OPTIONS_FORMAT}", path.display())]
    #[diagnostic(help(
        "resume the run with the version of Mealybug that wrote this file, or a newer one"
    ))]
    OtherFormat {
        /// The path of the file.
        path: PathBuf,
        /// The format version of the file.
        format: u32,
    },
    /// The path is that of a file.
    #[error("{} is not a folder", path.display())]
    #[diagnostic(help("name a new folder, or an empty one"))]
    NotAFolder {
        /// The path of that file.
        path: PathBuf,
    },
    /// The path of a run to resume is that of a file.
    #[error("{} is a file, and a run is resumed by its folder", path.display())]
    #[diagnostic(help("mealybug learn --resume {}", folder.display()))]
    ResumesAFile {
        /// The path of that file.
        path: PathBuf,
        /// The folder of the run, if the file is in one.
        folder: PathBuf,
    },
    /// A file in the folder cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file in `older/` is not a model.
    #[error("{} is no model: {message}", path.display())]
    #[diagnostic(help("remove it to go on without its advice"))]
    NoModel {
        /// The path of the file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The folder or a file in it cannot be made or written.
    #[error("cannot write to {}", path.display())]
    #[diagnostic(help("may this user write there, and is there room on the disk?"))]
    Unwritable {
        /// The path of the file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}
