//! The exit status: the same numbers as those of `mealybug`, and one more.

use miette::Report;

use super::text::OutputError;
use crate::row_file::RowError;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BenchExit {
    /// It did what it should.
    Done,
    /// It failed.
    Failed,
    /// A disk, a folder or standard output cannot be used.
    Disk,
    /// Some models or runs failed; the others are done.
    Incomplete,
    /// Ctrl-C.
    Interrupted,
}

/// The numbers, as `--help` lists them. Clap ends the command with 2.
pub(super) const HELP: &str = "\
Exit status:
    0  done
    1  failed: a file that makes no sense, a folder without models or results, anything else
    2  the command line is wrong
    6  a disk, a folder or standard output cannot be used
    7  some models or runs failed, as the last lines say; all others are done
  130  Ctrl-C; the same command continues with the remaining runs";

impl BenchExit {
    /// The number for the shell.
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Disk => 6,
            Self::Incomplete => 7,
            Self::Interrupted => mealybug::interrupt::EXIT_STATUS,
        }
    }

    /// The kind of failure that was reported.
    pub(super) fn of(report: &Report) -> Self {
        let is_full = report.downcast_ref::<OutputError>().is_some();
        match report.downcast_ref() {
            Some(RowError::Io { .. } | RowError::Busy { .. }) => Self::Disk,
            _ if is_full => Self::Disk,
            _ => Self::Failed,
        }
    }
}
