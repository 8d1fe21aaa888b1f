//! What has changed a device for good, as a check or a run has seen: kept for the next one, to which the device looks sound.
//!
//! The user's data folder has a file for each port or program. What was kept of another device at the same port does not matter:
//! it is believed only where the device gives the later answer, and never the first one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crc::{CRC_64_XZ, Crc};
use mealybug::data_folder::data_folder;
use mealybug::diagnosis::LastingChange;
use mealybug::replaced_file::replace;
use mealybug_core::Input;
use serde::{Deserialize, Serialize};

use crate::terminal::complain;

/// A change, and the file where it is kept.
pub(crate) struct KnownChange {
    address: String,
    /// `None` if there is no data folder.
    path: Option<PathBuf>,
}

/// What stands in the file.
#[derive(Debug, Deserialize, Serialize)]
struct ChangeRecord {
    /// The port or the program.
    address: String,
    /// The names of the inputs.
    word: Vec<String>,
    before: String,
    since: String,
    is_certain: bool,
}

impl KnownChange {
    /// That of the device at this port, or of this program.
    pub(crate) fn of(address: &str) -> Self {
        let name = format!("{:016x}", Crc::<u64>::new(&CRC_64_XZ).checksum(address.as_bytes()));
        let path = data_folder().ok().map(|folder| folder.join("changes").join(name));
        Self { address: address.to_owned(), path }
    }

    /// Where it is kept.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What is kept, if these inputs have the names of its word.
    pub(crate) fn read(&self, inputs: &[String]) -> Option<LastingChange> {
        let text = fs::read(self.path.as_ref()?).ok()?;
        let record: ChangeRecord = serde_json::from_slice(&text).ok()?;
        let ChangeRecord { address, word, before, since, is_certain } = record;
        let numbered = (0..).map(Input::new).zip(inputs);
        let input = |name: &String| numbered.clone().find(|(_, input)| *input == name);
        let word: Option<Vec<_>> = word.iter().map(|name| Some(input(name)?.0)).collect();
        let word = word.filter(|word| !word.is_empty() && address == self.address)?;
        Some(LastingChange { word, before, since, is_certain })
    }

    /// Keeps a change in place of what was kept; with `None`, nothing. Says so if that fails.
    pub(crate) fn keep(&self, change: Option<&LastingChange>, inputs: &[String]) {
        let kept = match change {
            Some(change) => self.write(change, inputs),
            None => self.remove(),
        };
        if let Err(error) = kept {
            complain(&format!("Note: what has changed the device is not remembered: {error}"));
        }
    }

    fn write(&self, change: &LastingChange, inputs: &[String]) -> io::Result<()> {
        let path = self.path.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let LastingChange { word, before, since, is_certain } = change.clone();
        let word = word.iter().map(|input| inputs[input.index() as usize].clone()).collect();
        let address = self.address.clone();
        let record = ChangeRecord { address, word, before, since, is_certain };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        replace(path, serde_json::to_string(&record)?.as_bytes())
    }

    fn remove(&self) -> io::Result<()> {
        match self.path.as_ref().map(fs::remove_file) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
