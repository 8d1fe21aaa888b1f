//! CSV files of rows: a command adds a row when a run has ended, and reads them when it is called again.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::Hash;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::origin::{MeasuredModel, MixedRows, RowOrigin, VERSION, check_alike};

/// A row about a run. Its fields are the columns, under the names that serde gives them.
pub(crate) trait CsvRecord: Default + Serialize + DeserializeOwned + Send {
    /// What tells runs apart.
    type Key: Eq + Hash;

    /// How many of the last columns are missing in files of older versions and of other programs.
    const NEW_COLUMNS: usize;

    /// Which run it is about.
    fn key(&self) -> Self::Key;

    /// Where it comes from.
    fn origin(&self) -> RowOrigin<'_>;

    /// Which model was learned.
    fn model(&self) -> MeasuredModel;
}

/// A CSV file that grows by a row when a run has ended; a row is on the disk before the next run counts.
#[derive(Debug)]
pub(crate) struct RowFile<R> {
    file: File,
    path: PathBuf,
    rows: PhantomData<R>,
}

/// Why rows can be neither read nor written.
#[derive(Debug, Error, Diagnostic)]
pub enum RowError {
    /// The file cannot be used.
    #[error("cannot use {}: {error}", path.display())]
    #[diagnostic(help("results need a folder that this user may write to"))]
    Io {
        /// Which file.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// Another process writes to it.
    #[error("another process is writing to {}", path.display())]
    #[diagnostic(help("wait until it has ended, or choose another folder with --out"))]
    Busy {
        /// Which file.
        path: PathBuf,
    },
    /// It has other columns.
    #[error("{} has other columns than these results", path.display())]
    #[diagnostic(help(
        "its first line must be `{header}`; choose another folder with --out, or move the file away"
    ))]
    Header {
        /// Which file.
        path: PathBuf,
        /// The names of the columns.
        header: String,
    },
    /// A file that rows are to be added to has some of another version.
    #[error("{} has rows of another version of mealybug-bench: {version} instead of {VERSION}", path.display())]
    #[diagnostic(help("choose another folder with --out, so that no table mixes versions"))]
    OtherVersion {
        /// Which file.
        path: PathBuf,
        /// The version of its rows.
        version: String,
    },
    /// A run that is wanted was ended by other limits.
    #[error("a run in {} was ended by other limits, {limits}: {run}", path.display())]
    #[diagnostic(help(
        "give the same limits again; or remove the rows with the outcomes max-symbols and time-out, and these runs are made again"
    ))]
    OtherLimits {
        /// Which file.
        path: PathBuf,
        /// The limits.
        limits: String,
        /// The run.
        run: String,
    },
    /// A model is another one than when its rows were made.
    #[error(
        "{} has rows of another model {model}: it had {had} states, and has {has} now",
        path.display()
    )]
    #[diagnostic(help(
        "choose another folder with --out; or remove the rows of this model, and its runs are made again"
    ))]
    OtherModel {
        /// Which file.
        path: PathBuf,
        /// Suite and file of the model.
        model: String,
        /// The number of states in its rows.
        had: u32,
        /// Its number of states.
        has: u32,
    },
    /// Rows that do not belong together would be in one table.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Mixed(#[from] MixedRows),
    /// A line makes no sense.
    #[error("{}, line {line}: {message}", path.display())]
    #[diagnostic(help("mend the line or remove it: a run without a row is made again"))]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
}

/// A file that was opened, and what was in it.
#[derive(Debug)]
pub(crate) struct OpenedRows<R> {
    /// The file, to add rows to.
    pub(crate) file: RowFile<R>,
    /// The rows in it.
    pub(crate) rows: Vec<R>,
    /// The incomplete line that a killed process left; it is no longer there.
    pub(crate) torn: Option<String>,
}

impl<R: CsvRecord> RowFile<R> {
    /// Opens the file at `path` to add rows; makes it if it is not there.
    ///
    /// # Errors
    /// It cannot be written, or something else is in it, or rows of another version.
    pub(crate) fn open(path: &Path) -> Result<OpenedRows<R>, RowError> {
        let io = |error| RowError::Io { path: path.to_owned(), error };
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path).map_err(io)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => RowError::Busy { path: path.to_owned() },
            TryLockError::Error(error) => io(error),
        })?;
        let text = fs::read_to_string(path).map_err(io)?;
        let (whole, torn) = whole_lines(&text);
        let header = header::<R>();
        // A file of something else is left as it is.
        if whole.is_empty() && !header.starts_with(torn) {
            return Err(RowError::Header { path: path.to_owned(), header });
        }
        let rows: Vec<R> = if whole.is_empty() { Vec::new() } else { parse(path, whole)? };
        let origins = rows.iter().map(CsvRecord::origin);
        if let Some(other) = origins.into_iter().find(|it| it.version != Some(VERSION)) {
            let version = other.version().to_owned();
            return Err(RowError::OtherVersion { path: path.to_owned(), version });
        }
        // Without rows it may have the columns of an older version.
        if rows.is_empty() && !whole.is_empty() && whole.lines().next() != Some(&header) {
            return Err(RowError::Header { path: path.to_owned(), header });
        }
        if !torn.is_empty() {
            file.set_len(whole.len() as u64).map_err(io)?;
        }
        if whole.is_empty() {
            file.write_all(format!("{header}\n").as_bytes()).map_err(io)?;
        }
        let torn = Some(torn.to_owned()).filter(|torn| !torn.is_empty());
        let file = Self { file, path: path.to_owned(), rows: PhantomData };
        Ok(OpenedRows { file, rows, torn })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The disk is full, or gone.
    pub(crate) fn add(&mut self, row: &R) -> Result<(), RowError> {
        let io = |error| RowError::Io { path: self.path.clone(), error };
        let line = csv_lines(row, false).map_err(io)?;
        // In one piece.
        self.file.write_all(&line).and_then(|()| self.file.flush()).map_err(io)
    }
}

/// The rows of all CSV files in a folder, file by file.
///
/// # Errors
/// A file cannot be read, or something else is in it; or the rows of a learner and kind of tests are of different versions, or
/// of runs that different limits ended. A last line that is being written is left out.
pub(crate) fn read_all<R: CsvRecord>(folder: &Path) -> Result<Vec<R>, RowError> {
    let mut rows = Vec::new();
    for path in csv_files(folder)? {
        let io = |error| RowError::Io { path: path.clone(), error };
        let text = fs::read_to_string(&path).map_err(io)?;
        rows.extend(parse(&path, whole_lines(&text).0)?);
    }
    check_alike(folder, rows.iter().map(CsvRecord::origin))?;
    Ok(rows)
}

/// Whether the first CSV file of a folder has the columns of these rows.
///
/// # Errors
/// The folder or the file cannot be read.
pub(crate) fn holds<R: CsvRecord>(folder: &Path) -> Result<bool, RowError> {
    let Some(path) = csv_files(folder)?.into_iter().next() else { return Ok(false) };
    let text = fs::read_to_string(&path).map_err(|error| RowError::Io { path, error })?;
    Ok(text.lines().next().is_some_and(is_header::<R>))
}

/// The CSV files of a folder, by their names.
fn csv_files(folder: &Path) -> Result<Vec<PathBuf>, RowError> {
    let io = |error| RowError::Io { path: folder.to_owned(), error };
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(io)?.collect();
    let paths = entries.map_err(io)?.into_iter().map(|entry| entry.path());
    let is_csv = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "csv");
    let mut paths: Vec<_> = paths.filter(is_csv).collect();
    paths.sort();
    Ok(paths)
}

/// The lines that end, and what follows them.
fn whole_lines(text: &str) -> (&str, &str) {
    text.split_at(text.rfind('\n').map_or(0, |end| end + 1))
}

/// The names of the columns, with commas between.
fn header<R: CsvRecord>() -> String {
    let lines = csv_lines(&R::default(), true).expect("a row can be written to memory");
    let text = String::from_utf8_lossy(&lines);
    text.lines().next().unwrap_or_default().to_owned()
}

/// Whether a line names the columns, perhaps without those that are new.
fn is_header<R: CsvRecord>(line: &str) -> bool {
    let header = header::<R>();
    let old = header.rsplitn(R::NEW_COLUMNS + 1, ',').last();
    line == header || Some(line) == old
}

/// A row as a line of CSV, after the names of the columns if these are wanted.
fn csv_lines<R: CsvRecord>(row: &R, has_header: bool) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().has_headers(has_header).from_writer(Vec::new());
    writer.serialize(row)?;
    writer.into_inner().map_err(|error| error.into_error())
}

fn parse<R: CsvRecord>(path: &Path, text: &str) -> Result<Vec<R>, RowError> {
    let header = header::<R>();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    if !text.lines().next().is_some_and(is_header::<R>) {
        return Err(RowError::Header { path: path.to_owned(), header });
    }
    let row = |row: Result<R, csv::Error>| {
        row.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            let message = match error.kind() {
                csv::ErrorKind::Deserialize { err, .. } => {
                    let at = err.field().and_then(|field| usize::try_from(field).ok());
                    let name = at.and_then(|at| header.split(',').nth(at));
                    let column = name.map_or_else(String::new, |name| format!("column `{name}`: "));
                    format!("{column}{}", err.kind())
                }
                csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                    format!("{len} columns instead of {expected_len}")
                }
                _ => error.to_string(),
            };
            RowError::Line { path: path.to_owned(), line, message }
        })
    };
    reader.deserialize().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{RunRow, testing::row};

    fn some() -> RunRow {
        row(["s", "a, \"b\".dot", "l-star", "wp:1"], 3, 100, 20)
    }

    #[test]
    fn rows_come_back_and_two_cannot_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mealybug.csv");
        let OpenedRows { mut file, rows, torn } = RowFile::open(&path).expect("a new file");
        assert_eq!((rows.len(), torn), (0, None));
        file.add(&some()).expect("room");
        assert!(matches!(RowFile::<RunRow>::open(&path), Err(RowError::Busy { .. })));
        drop(file);
        let OpenedRows { mut file, rows, torn } = RowFile::open(&path).expect("an old file");
        assert_eq!((rows, torn), (vec![some()], None));
        file.add(&RunRow { found_states: None, ..some() }).expect("room");
        assert_eq!(read_all::<RunRow>(folder.path()).expect("rows").len(), 2);
    }

    #[test]
    fn a_line_that_makes_no_sense_is_named_and_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mealybug.csv");
        RowFile::open(&path).expect("a new file").file.add(&some()).expect("room");
        let good = fs::read_to_string(&path).expect("it is there");
        let complaint = |line: &str| {
            let text = format!("{good}{line}\n");
            fs::write(&path, &text).expect("it can be written");
            let error = RowFile::<RunRow>::open(&path).expect_err("it makes no sense").to_string();
            assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
            error.rsplit('/').next().expect("a name").to_owned()
        };
        assert_eq!(complaint("a,b"), "mealybug.csv, line 3: 2 columns instead of 23");
        let wrong = good.lines().nth(1).expect("a row").replace(",100,", ",many,");
        let of_symbols = "column `Learning symbols`: invalid digit found in string";
        assert_eq!(complaint(&wrong), format!("mealybug.csv, line 3: {of_symbols}"));
    }
}
