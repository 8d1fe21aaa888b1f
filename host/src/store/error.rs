//! Why a store cannot be used.

use std::io;
use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

/// Why a store cannot be opened or written.
#[derive(Debug, Error, Diagnostic)]
pub enum StoreError {
    /// Another run has the store open.
    #[error("{} belongs to a run that is going on", path.display())]
    #[diagnostic(help("wait until that run has ended, or stop it"))]
    Locked {
        /// The path of the store.
        path: PathBuf,
    },
    /// The answers in the store are those of another device.
    #[error("the answers in {} are those of a device with other inputs", path.display())]
    #[diagnostic(help(
        "its inputs are {theirs}; now they are {ours}. Begin a new run for the new inputs"
    ))]
    OtherInputs {
        /// The path of the store.
        path: PathBuf,
        /// The inputs in the store.
        theirs: String,
        /// The inputs of the device.
        ours: String,
    },
    /// The file is not a store.
    #[error("{} holds no answers of a device", path.display())]
    #[diagnostic(help("give the folder of a run; its answers are in answers.log"))]
    NotAStore {
        /// The path of the file.
        path: PathBuf,
    },
    /// Another version of the program wrote the store.
    #[error("{} was written by another version of mealybug (format {version})", path.display())]
    #[diagnostic(help("go on with the version that began this run"))]
    Version {
        /// The path of the store.
        path: PathBuf,
        /// The version of the store's format.
        version: u16,
    },
    /// The store is damaged. (A store that is merely cut off at its end is not an error.)
    #[error("{} is damaged at byte {at}: {what}", path.display())]
    #[diagnostic(help(
        "the disk or a program has changed it. `truncate -s {at} {}` keeps what is before; keep a \
         copy first",
        path.display()
    ))]
    Damaged {
        /// The path of the store.
        path: PathBuf,
        /// The byte at which the damage begins.
        at: usize,
        /// What is damaged.
        what: String,
    },
    /// The store cannot be read or written.
    #[error("the answers of the device cannot be kept in {}", path.display())]
    #[diagnostic(help(
        "is there room on the disk, and may this user write there? All answers before are kept: \
         `mealybug learn --resume` goes on from them"
    ))]
    Io {
        /// The path of the store.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}
