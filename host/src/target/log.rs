//! The log of a target: defmt's messages, which only the ELF file of its program makes readable.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use defmt_decoder::{DecodeError, Frame, Locations, Table};
use miette::Diagnostic;
use thiserror::Error;

/// Reads the log of a target, by the ELF file of its program.
pub struct LogReader {
    table: Table,
    /// Where each message is logged; empty if the file does not say.
    locations: Locations,
}

/// A message of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When, as the target's clock says it; in seconds, if it is one of Mealybug's boards.
    pub time: Option<String>,
    /// How serious it is: `trace`, `debug`, `info`, `warn` or `error`.
    pub level: Option<&'static str>,
    /// What is said.
    pub message: String,
    /// The source file and line where it is said.
    pub location: Option<(PathBuf, u64)>,
}

/// A message of a log that makes no sense: it is of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// Why a file does not help to read a log.
#[derive(Debug, Error, Diagnostic)]
pub enum LogError {
    /// It cannot be read.
    #[error("cannot read {}", path.display())]
    #[diagnostic(help("name the program that runs on the target, as cargo built it"))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is no ELF file, or not one of this version of defmt.
    #[error("{} does not tell how to read a log: {why}", path.display())]
    #[diagnostic(help("name the program that runs on the target, as cargo built it"))]
    NoTable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Its program does not log.
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
    /// Reads what an ELF file says of the log of its program.
    ///
    /// # Errors
    /// It is no ELF file, or its program does not log with defmt.
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

    /// The messages in a piece of the log, which holds whole ones.
    pub fn read(&self, piece: &[u8]) -> Vec<Result<LogLine, Unreadable>> {
        let messages = piece.split_inclusive(|&byte| byte == 0).filter(|message| message.len() > 1);
        // The decoder expects the right file, and may panic about what another program says.
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
    /// Where it is said, if that is known: from the current folder, if it is in there.
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
