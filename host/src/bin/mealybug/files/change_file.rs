//! What has changed a device for good, as a check or a run has seen: kept for the next one, to which the device looks sound.
//!
//! The user's data folder has a file for each port or program. Another device may be there by then: what was kept is only a reason to
//! ask, and only where the device gives the later answer and never the first one.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use mealybug::data_folder::data_file;
use mealybug::diagnosis::LastingChange;
use mealybug::replaced_file::replace;
use mealybug_core::Input;
use serde::{Deserialize, Serialize};

use crate::terminal::complain;

/// The file for the device at one port, or for one program.
pub(crate) struct ChangeFile {
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

impl ChangeFile {
    /// That of the device at this port, or of this program.
    pub(crate) fn of(address: &str) -> Self {
        let path = data_file("changes", address.as_bytes()).ok();
        Self { address: address.to_owned(), path }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What is kept, if these inputs have the names of its word.
    pub(crate) fn read(&self, inputs: &[String]) -> Option<LastingChange> {
        let text = fs::read(self.path.as_ref()?).ok()?;
        let record: ChangeRecord = serde_json::from_slice(&text).ok()?;
        let ChangeRecord { address, word, before, since, is_certain } = record;
        let input = |name: &String| {
            let number = inputs.iter().position(|input| input == name)?;
            Some(Input::new(u32::try_from(number).ok()?))
        };
        let word: Option<Vec<_>> = word.iter().map(input).collect();
        let word = word.filter(|word| !word.is_empty() && address == self.address)?;
        Some(LastingChange { word, before, since, is_certain })
    }

    /// Keeps a change in place of what was kept, but for one that is not certain in place of one that is. Says so if that fails.
    pub(crate) fn keep(&self, change: &LastingChange, inputs: &[String]) {
        if !change.is_certain && self.read(inputs).is_some_and(|kept| kept.is_certain) {
            return;
        }
        if let Err(error) = self.write(change, inputs) {
            complain(&format!("Note: that the device has changed cannot be remembered: {error}"));
        }
    }

    fn write(&self, change: &LastingChange, inputs: &[String]) -> io::Result<()> {
        let no_folder = || io::Error::other("there is no folder for the user's data");
        let path = self.path.as_ref().ok_or_else(no_folder)?;
        let LastingChange { word, before, since, is_certain } = change.clone();
        let word = word.iter().map(|input| inputs[input.index() as usize].clone()).collect();
        let address = self.address.clone();
        let record = ChangeRecord { address, word, before, since, is_certain };
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        replace(path, serde_json::to_string(&record)?.as_bytes())
    }

    /// Forgets what was kept. Says so if that fails.
    pub(crate) fn forget(&self) {
        match self.path.as_ref().map(fs::remove_file) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                complain(&format!("Note: what the device was before cannot be forgotten: {error}"));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn what_is_kept_is_of_one_place_and_one_set_of_inputs() {
        let folder = TempDir::new().expect("a folder");
        let at = |address: &str| ChangeFile {
            address: address.to_owned(),
            path: Some(folder.path().join("changes").join("file")),
        };
        let known = at("/dev/ttyX");
        let names = ["get", "set"].map(str::to_owned);
        let change = |before: &str, is_certain| LastingChange {
            word: vec![Input::new(1), Input::new(0)],
            before: before.to_owned(),
            since: "7".to_owned(),
            is_certain,
        };
        assert_eq!(known.read(&names), None);
        known.keep(&change("5", true), &names);
        assert_eq!(known.read(&names), Some(change("5", true)));
        // The same hash of another address, and another device.
        assert_eq!(at("/dev/ttyY").read(&names), None);
        assert_eq!(known.read(&["get".to_owned()]), None);
        let swapped = known.read(&["set", "get"].map(str::to_owned)).expect("the same names");
        assert_eq!(swapped.word, [Input::new(0), Input::new(1)]);
        // What came once may have been a fault.
        known.keep(&change("4", false), &names);
        assert_eq!(known.read(&names), Some(change("5", true)));
        known.keep(&change("4", true), &names);
        assert_eq!(known.read(&names), Some(change("4", true)));
        known.forget();
        known.forget();
        assert_eq!(known.read(&names), None);
    }
}
