//! The log of a target. It is in defmt's format, which can be read only with the program's ELF
//! file.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use defmt_decoder::{DecodeError, Frame, Locations, Table};
use miette::Diagnostic;
use thiserror::Error;

/// Reads the log of a target with the ELF file of its program.
pub struct LogReader {
    table: Table,
    /// Where each message is logged; empty if the file lacks debug information.
    locations: Locations,
}

/// A message of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The time stamp of the target; in seconds on Mealybug's boards.
    pub time: Option<String>,
    /// The level: `trace`, `debug`, `info`, `warn` or `error`.
    pub level: Option<&'static str>,
    /// The text.
    pub message: String,
    /// The source file and line of the log statement.
    pub location: Option<(PathBuf, u64)>,
}

/// A message that cannot be decoded: it comes from another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// Why a file cannot be used to read a log.
#[derive(Debug, Error, Diagnostic)]
pub enum LogError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    #[diagnostic(help("name the program that runs on the target, as cargo built it"))]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file is not an ELF file, or it is for another version of defmt.
    #[error("{} does not tell how to read a log: {why}", path.display())]
    #[diagnostic(help("name the program that runs on the target, as cargo built it"))]
    NoTable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The program does not log.
    #[error("the program {} does not log", path.display())]
    #[diagnostic(help(
        "build it with `--features defmt` and have it run on the target, or leave --elf out"
    ))]
    NoLog {
        /// The file.
        path: PathBuf,
    },
}

impl LogReader {
    /// Reads the ELF file of a program.
    ///
    /// # Errors
    /// The file is not an ELF file, or the program does not log with defmt.
    pub fn load(path: &Path) -> Result<Self, LogError> {
        let path = path.to_owned();
        let elf = match std::fs::read(&path) {
            Ok(elf) => elf,
            Err(source) => return Err(LogError::Read { path, source }),
        };
        match Table::parse(&elf) {
            Ok(Some(table)) if table.encoding().can_recover() => {
                let locations = table.get_locations(&elf).unwrap_or_default();
                Ok(Self { table, locations })
            }
            Ok(Some(_)) => Err(LogError::NoTable { path, why: "its encoding is raw".to_owned() }),
            Ok(None) => Err(LogError::NoLog { path }),
            Err(error) => Err(LogError::NoTable { path, why: error.to_string() }),
        }
    }

    /// Decodes the messages in a piece of the log; pieces contain only whole messages.
    pub fn read(&self, piece: &[u8]) -> Vec<Result<LogLine, Unreadable>> {
        let messages = piece.split_inclusive(|&byte| byte == 0).filter(|message| message.len() > 1);
        // The decoder expects the right file, and may panic on messages of another program.
        messages
            .map(|message| {
                catch_unwind(AssertUnwindSafe(|| self.message(message))).unwrap_or(Err(Unreadable))
            })
            .collect()
    }

    fn message(&self, bytes: &[u8]) -> Result<LogLine, Unreadable> {
        let mut decoder = self.table.new_stream_decoder();
        decoder.received(bytes);
        match decoder.decode() {
            Ok(frame) => Ok(self.line(&frame)),
            Err(DecodeError::Malformed | DecodeError::UnexpectedEof) => Err(Unreadable),
        }
    }

    fn line(&self, frame: &Frame<'_>) -> LogLine {
        let location = self.locations.get(&frame.index());
        LogLine {
            time: frame.display_timestamp().map(|time| time.to_string()),
            level: frame.level().map(|level| level.as_str()),
            message: frame.display_message().to_string(),
            location: location.map(|location| (location.file.clone(), location.line)),
        }
    }
}

impl fmt::Debug for LogReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages = self.table.indices().count();
        f.debug_struct("LogReader").field("messages", &messages).finish_non_exhaustive()
    }
}

impl LogLine {
    /// The place of the log statement, if known; relative to the current folder if it is inside.
    pub fn place(&self) -> Option<String> {
        let (file, line) = self.location.as_ref()?;
        let here = std::env::current_dir().unwrap_or_default();
        Some(format!("{}:{line}", file.strip_prefix(here).unwrap_or(file).display()))
    }
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time.as_deref().unwrap_or_default();
        let level = self.level.unwrap_or_default().to_uppercase();
        write!(f, "{time:>8}  {level:<5}  {}", self.message)
    }
}
