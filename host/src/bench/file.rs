//! The CSV that a bench writes, a row when a run has ended, and reads when it goes on.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use super::row::{HEADER, Row};

/// A CSV that grows by a row when a run has ended; a row is on the disk before the next run counts.
#[derive(Debug)]
pub struct RowFile {
    file: File,
    path: PathBuf,
}

/// Why rows can be neither read nor written.
#[derive(Debug, Error, Diagnostic)]
pub enum RowError {
    /// The file cannot be used.
    #[error("cannot use {}: {error}", path.display())]
    #[diagnostic(help("the results of a bench need a folder that this user may write to"))]
    Io {
        /// Which file.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// Another bench writes to it.
    #[error("another bench is writing to {}", path.display())]
    #[diagnostic(help("wait until it has ended, or choose another folder with --out"))]
    Busy {
        /// Which file.
        path: PathBuf,
    },
    /// It has other columns.
    #[error("{} has other columns than the results of a bench", path.display())]
    #[diagnostic(help("its first line must be `{}`; choose another folder with --out, or move the file away", HEADER.join(",")))]
    Header {
        /// Which file.
        path: PathBuf,
    },
    /// A line makes no sense.
    #[error("{}, line {line}: {message}", path.display())]
    #[diagnostic(help("mend the line or remove it: a run that is not in the file is made again"))]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
}

/// What was in the file.
#[derive(Debug)]
pub struct Begun {
    /// The file, to be gone on with.
    pub file: RowFile,
    /// The rows in it.
    pub rows: Vec<Row>,
    /// The line that was being written when a bench was ended by force; it is no longer there.
    pub torn: Option<String>,
}

impl RowFile {
    /// Opens the file at `path` to add rows; makes it if it is not there.
    ///
    /// # Errors
    /// It cannot be written, or something else is in it.
    pub fn open(path: &Path) -> Result<Begun, RowError> {
        let io = |error| RowError::Io { path: path.to_owned(), error };
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path).map_err(io)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => RowError::Busy { path: path.to_owned() },
            TryLockError::Error(error) => io(error),
        })?;
        let text = fs::read_to_string(path).map_err(io)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let torn = Some(text[whole..].to_owned()).filter(|torn| !torn.is_empty());
        let header = HEADER.join(",") + "\n";
        if torn.is_some() {
            // A file of something else is left as it is.
            if whole == 0 && !header.starts_with(&text) {
                return Err(RowError::Header { path: path.to_owned() });
            }
            if whole > 0 {
                parse(path, &text[..whole])?;
            }
            file.set_len(whole as u64).map_err(io)?;
        }
        if whole == 0 {
            file.write_all(header.as_bytes()).map_err(io)?;
            return Ok(Begun {
                file: Self { file, path: path.to_owned() },
                rows: Vec::new(),
                torn,
            });
        }
        let rows = parse(path, &text[..whole])?;
        Ok(Begun { file: Self { file, path: path.to_owned() }, rows, torn })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The disk is full, or gone.
    pub fn add(&mut self, row: &Row) -> Result<(), RowError> {
        let io = |error| RowError::Io { path: self.path.clone(), error };
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        writer.serialize(row).map_err(|error| io(error.into()))?;
        let line = writer.into_inner().map_err(|error| io(error.into_error()))?;
        // In one piece.
        self.file.write_all(&line).and_then(|()| self.file.flush()).map_err(io)
    }
}

/// The rows of all CSV files in a folder, file by file.
///
/// # Errors
/// A file cannot be read, or something else is in it. A last line that is being written is left out.
pub fn read_all(folder: &Path) -> Result<Vec<Row>, RowError> {
    let io = |error| RowError::Io { path: folder.to_owned(), error };
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(io)?.collect();
    let paths = entries.map_err(io)?.into_iter().map(|entry| entry.path());
    let is_csv = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "csv");
    let mut paths: Vec<_> = paths.filter(is_csv).collect();
    paths.sort();
    let mut rows = Vec::new();
    for path in paths {
        let io = |error| RowError::Io { path: path.clone(), error };
        let text = fs::read_to_string(&path).map_err(io)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        rows.extend(parse(&path, &text[..whole])?);
    }
    Ok(rows)
}

fn parse(path: &Path, text: &str) -> Result<Vec<Row>, RowError> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let is_ours = reader.headers().is_ok_and(|header| header.iter().eq(HEADER));
    if !is_ours {
        return Err(RowError::Header { path: path.to_owned() });
    }
    let row = |row: Result<Row, csv::Error>| {
        row.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            let message = match error.kind() {
                csv::ErrorKind::Deserialize { err, .. } => {
                    let field =
                        err.field().and_then(|field| HEADER.get(usize::try_from(field).ok()?));
                    let column =
                        field.map_or_else(String::new, |name| format!("column `{name}`: "));
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
    use super::super::row::testing::row;
    use super::*;

    fn some() -> Row {
        row(["s", "a, \"b\".dot", "l-star", "wp:1"], 3, 100, 20)
    }

    #[test]
    fn rows_come_back_and_two_cannot_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mealybug.csv");
        let Begun { mut file, rows, torn } = RowFile::open(&path).expect("a new file");
        assert_eq!((rows.len(), torn), (0, None));
        file.add(&some()).expect("room");
        assert!(matches!(RowFile::open(&path), Err(RowError::Busy { .. })));
        drop(file);
        let Begun { mut file, rows, torn } = RowFile::open(&path).expect("an old file");
        assert_eq!((rows, torn), (vec![some()], None));
        file.add(&Row { found_states: None, ..some() }).expect("room");
        assert_eq!(read_all(folder.path()).expect("rows").len(), 2);
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
            let error = RowFile::open(&path).expect_err("it makes no sense").to_string();
            assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
            error.rsplit('/').next().expect("a name").to_owned()
        };
        assert_eq!(complaint("a,b"), "mealybug.csv, line 3: 2 columns instead of 21");
        let wrong = good.lines().nth(1).expect("a row").replace(",100,", ",many,");
        let of_symbols = "column `Learning symbols`: invalid digit found in string";
        assert_eq!(complaint(&wrong), format!("mealybug.csv, line 3: {of_symbols}"));
    }
}
