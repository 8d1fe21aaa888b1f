//! Notes on this computer about the places that runs have acquired.
//!
//! A run that is killed releases nothing, and the coordinator knows only the user and the computer of who acquired a place.
//! So each run keeps a file, locked as long as the run lives. A file without a lock tells the next run that the place
//! is still acquired by a run that has ended.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};

use super::client::coordinator;
use super::error::PlaceError;
use crate::data_folder::data_file;

/// The note about a place, which no other run can take while it lives.
///
/// Its first line is the number of the process, its second line when the place was changed last: when that process
/// acquired it. An empty file says that nobody has left the place acquired. Files are never removed, since another run
/// may just be waiting for the lock of one.
#[derive(Debug)]
pub(super) struct AcquiredMark {
    file: File,
    /// What the last run left.
    left: Option<String>,
}

impl AcquiredMark {
    /// Takes the note about a place; `None` if this user has no folder for it.
    ///
    /// # Errors
    /// Another run has it.
    pub(super) fn take(place: &str) -> Result<Option<Self>, PlaceError> {
        let Ok(mut file) = open(place) else { return Ok(None) };
        let is_free = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            // On a file system without locks a note says nothing.
            Err(TryLockError::Error(_)) => return Ok(None),
        };
        let mut text = String::new();
        // Text that cannot be read is that of no run.
        let _ = file.read_to_string(&mut text);
        let mut lines = text.lines().map(str::to_owned);
        let process = lines.next();
        if !is_free {
            let process = process.unwrap_or_else(|| "unknown".to_owned());
            return Err(PlaceError::InUse { name: place.to_owned(), process });
        }
        Ok(Some(Self { file, left: process.map(|_| lines.next().unwrap_or_default()) }))
    }

    /// Whether the last run was killed and had acquired the place, which was changed last at this time.
    pub(super) fn is_of(&self, changed: &str) -> bool {
        // A run that was killed while it acquired the place had no time to note when that was.
        self.left.as_ref().is_some_and(|left| left.is_empty() || left == changed)
    }

    /// Notes that this process acquires the place, and when the place was changed by that.
    pub(super) fn write(&mut self, changed: &str) {
        // Without the note a place that a killed run leaves must be released by hand.
        let _ = self.replace(&format!("{}\n{changed}\n", std::process::id()));
    }

    /// Notes that nobody has left the place acquired.
    pub(super) fn clear(&mut self) {
        let _ = self.replace("");
    }

    fn replace(&mut self, text: &str) -> io::Result<()> {
        self.file.rewind()?;
        self.file.set_len(0)?;
        self.file.write_all(text.as_bytes())
    }
}

fn open(place: &str) -> io::Result<File> {
    let place = format!("{}\0{place}", coordinator());
    let file = data_file("places", place.as_bytes())?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(file)
}
