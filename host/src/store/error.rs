//! Why a store cannot be used.

use std::io;
use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

/// Why a store cannot be opened, or takes no more answers.
#[derive(Debug, Error, Diagnostic)]
pub enum StoreError {
    /// Another run has it open.
    #[error("{} belongs to a run that is going on", path.display())]
    #[diagnostic(help("wait until that run has ended, or stop it"))]
    Locked {
        /// The store.
        path: PathBuf,
    },
    /// Its answers are those of another device.
    #[error("the answers in {} are those of a device with other inputs", path.display())]
    #[diagnostic(help(
        "its inputs are {theirs}; now they are {ours}. Begin a new run for the new inputs"
    ))]
    OtherInputs {
        /// The store.
        path: PathBuf,
        /// The inputs of the answers.
        theirs: String,
        /// The inputs of the device.
        ours: String,
    },
    /// It is something else.
    #[error("{} holds no answers of a device", path.display())]
    #[diagnostic(help("give the folder of a run; its answers are in answers.log"))]
    NotAStore {
        /// What should be a store.
        path: PathBuf,
    },
    /// It was written by another version.
    #[error("{} was written by another version of mealybug (format {version})", path.display())]
    #[diagnostic(help("go on with the version that began this run"))]
    Version {
        /// The store.
        path: PathBuf,
        /// The version of its format.
        version: u16,
    },
    /// It is broken in the middle: not cut off, which would be no matter.
    #[error("{} is damaged at byte {at}: {what}", path.display())]
    #[diagnostic(help(
        "the disk or a program has changed it. `truncate -s {at} {}` keeps what is before; keep a \
         copy first",
        path.display()
    ))]
    Damaged {
        /// The store.
        path: PathBuf,
        /// Where.
        at: usize,
        /// What is wrong.
        what: String,
    },
    /// It cannot be read or written.
    #[error("the answers of the device cannot be kept in {}", path.display())]
    #[diagnostic(help(
        "is there room on the disk, and may this user write there? All answers before are kept: \
         `mealybug learn --resume` goes on from them"
    ))]
    Io {
        /// The store.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}
