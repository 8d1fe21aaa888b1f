//! What is wrong with a device file, and where in it.

use std::ops::Range;
use std::path::{Path, PathBuf};

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

/// Why a device file cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum DeviceFileError {
    /// The file, or a file that it names, cannot be read.
    #[error("cannot read the device file {}", path.display())]
    #[diagnostic(help("give the path of a device file, such as `lock.toml`"))]
    Unreadable {
        /// The device file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file contains an error; the message points at it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Invalid(Box<Invalid>),
}

/// A place in a device file, and what is wrong there.
#[derive(Debug, Error, Diagnostic)]
#[error("{message}")]
pub struct Invalid {
    message: String,
    label: String,
    #[help]
    help: Option<String>,
    #[source_code]
    file: NamedSource<String>,
    #[label("{label}")]
    place: SourceSpan,
}

/// An [`Invalid`] without the file, for the readers of its parts.
#[derive(Debug, PartialEq)]
pub(super) struct FileFault {
    message: String,
    label: String,
    help: Option<String>,
    place: Range<usize>,
}

impl FileFault {
    /// An error with this `message`, and this `label` at the place.
    pub(super) fn new(
        place: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        Self { message: message.into(), label: label.into(), help: None, place }
    }

    /// Adds a hint what to do.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the file, for the user.
    pub(super) fn in_file(self, path: &Path, text: &str) -> DeviceFileError {
        let file =
            NamedSource::new(path.display().to_string(), text.to_owned()).with_language("TOML");
        let Self { message, label, help, place } = self;
        DeviceFileError::Invalid(Box::new(Invalid {
            message,
            label,
            help,
            file,
            place: place.into(),
        }))
    }
}
