//! The folder of a run: its model, its components, its statistics.
//!
//! ```text
//! model.dot             the minimal model, unless it is too large
//! modules/NAME.dot      the machines that it consists of, if they are several
//! components/NAME.dot   a machine for each projection
//! model.svg             its picture, if it has at most 60 states; modules and components have theirs
//! report.html           all of it on a page for people
//! hypotheses/N.dot      what was believed before
//! result.postcard       what was learned and how, for this tool and others
//! answers.log           everything that the device said: see `store`
//! states.toml           names of states, of the run or of the user: see `state_names`
//! ahead/N.log           what board N said before its turn came
//! transcript.txt        the same for people: what was asked and answered
//! options.json          the options of the run, for `--resume`
//! older/N.dot           the models of `--like`, for `--resume`; `older/N.states.toml` are their names
//! words.txt             the words of `--words`, for `--resume`
//! device.toml           the device file, for `--resume`
//! statistics.json       how the run ended and what it cost
//! log.txt, log.defmt    what a target logged; the latter is what could not be read
//! previous.postcard     the result that a target had before the run
//! ```
//!
//! A folder is for one run only. It is made before the device is asked anything, so that a run of
//! many hours does not end without a place to write to. It must be new or empty, so no earlier run
//! is overwritten.

mod changed_device;
mod error;
mod model_files;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::advice::OlderModel;
use crate::dot;
use crate::export::shown;
use crate::machine::Machine;
use crate::state_names::{self, Naming, StateNames, StateNamesError};
use crate::statistics::Statistics;
use crate::store::{BoardLog, LockedLog, Store, StoreError};

pub use changed_device::EarlierDevice;
pub use error::RunFolderError;

use error::{OPTIONS, OPTIONS_FORMAT};

/// The answers of the device.
const ANSWERS: &str = "answers.log";

/// What boards said before its turn came.
const AHEAD: &str = "ahead";

/// The models of `--like`. A resumed run needs them to get the same advice.
const OLDER: &str = "older";

/// How the run ended.
const STATISTICS: &str = "statistics.json";

/// The device file.
const DEVICE: &str = "device.toml";

/// The words of `--words`.
const WORDS: &str = "words.txt";

/// The names of states.
const STATES: &str = "states.toml";

/// The first line of such a file while it is the run's own.
const OF_THE_RUN: &str = "# Written by the run, and written anew when it goes on. Remove this line to keep your changes.\n";

/// The maximum length of a file name in bytes, without its extension.
const MAX_NAME_BYTES: usize = 60;

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Whether the results of an earlier session stay: see [`keeping_results`](Self::keeping_results).
    is_kept: bool,
}

impl RunFolder {
    /// Uses the folder at `path`, which must be empty, or makes it.
    ///
    /// # Errors
    /// The folder is not empty or cannot be made.
    pub fn create(path: &Path) -> Result<Self, RunFolderError> {
        let path = path.to_owned();
        if path.exists() && !path.is_dir() {
            return Err(RunFolderError::NotAFolder { path });
        }
        let entries = fs::create_dir_all(&path).and_then(|()| fs::read_dir(&path));
        match entries.map(|mut entries| entries.next().is_none()) {
            Ok(true) => Ok(Self { path, is_kept: false }),
            Ok(false) => Err(RunFolderError::NotEmpty { path }),
            Err(source) => Err(RunFolderError::Unwritable { path, source }),
        }
    }

    /// Opens the folder of a run to resume.
    ///
    /// # Errors
    /// The folder contains no run that can be resumed.
    pub fn resume(path: &Path) -> Result<Self, RunFolderError> {
        let path = path.to_owned();
        if path.exists() && !path.is_dir() {
            let of_a_run = |folder: &&Path| folder.join(ANSWERS).exists();
            let parent =
                path.parent().map(|it| if it == Path::new("") { Path::new(".") } else { it });
            let folder = parent.filter(of_a_run).unwrap_or(Path::new("FOLDER")).to_owned();
            return Err(RunFolderError::ResumesAFile { path, folder });
        }
        if !path.exists() {
            return Err(RunFolderError::NotARun { path, missing: "such folder" });
        }
        if !path.join(ANSWERS).exists() {
            return Err(RunFolderError::NotARun { path, missing: ANSWERS });
        }
        Ok(Self { path, is_kept: false })
    }

    /// The same folder, but calls that write results do nothing: those of an earlier session stay.
    #[must_use]
    pub fn keeping_results(self) -> Self {
        Self { is_kept: true, ..self }
    }

    /// Whether a session has ended and written its results.
    pub fn has_results(&self) -> bool {
        self.path.join(STATISTICS).is_file()
    }

    /// Whether the run can be resumed, that is, the answers of its device and its options are there.
    pub fn can_be_resumed(&self) -> bool {
        [ANSWERS, OPTIONS].iter().all(|file| self.path.join(file).is_file())
    }

    /// Makes a new folder in `parent`: `name-1`, or the first number that is free.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn create_numbered(parent: &Path, name: &str) -> Result<Self, RunFolderError> {
        let unwritable = |path, source| RunFolderError::Unwritable { path, source };
        fs::create_dir_all(parent).map_err(|source| unwritable(parent.to_owned(), source))?;
        let name = file_name(name);
        let mut number = 1_u64;
        loop {
            let path = parent.join(format!("{name}-{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path, is_kept: false }),
                // Another process has just made this folder, so try the next number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(source) => return Err(unwritable(path, source)),
            }
        }
    }

    /// Locks the answers, so that no other run can go on in this folder.
    ///
    /// # Errors
    /// Another run has the answers open, or they cannot be read and written.
    pub fn lock(&self) -> Result<LockedLog, StoreError> {
        LockedLog::open(&self.path.join(ANSWERS))
    }

    /// Whether the run is going on, in this process or in another one.
    pub fn is_going_on(&self) -> bool {
        LockedLog::is_held(&self.path.join(ANSWERS))
    }

    /// Opens or creates `answers.log`, the answers of the device, and takes out of `ahead` what it has.
    ///
    /// # Errors
    /// The store cannot be used; see [`Store::open_with_ahead`].
    pub fn open_store(&self, inputs: &[String]) -> Result<Store, StoreError> {
        self.open_locked_store(self.lock()?, inputs)
    }

    /// As [`open_store`](Self::open_store), for answers that are locked already.
    ///
    /// # Errors
    /// As of [`open_store`](Self::open_store).
    pub fn open_locked_store(
        &self,
        lock: LockedLog,
        inputs: &[String],
    ) -> Result<Store, StoreError> {
        Store::open_locked(lock, &self.path.join(ANSWERS), &self.path.join(AHEAD), inputs)
    }

    /// Opens the logs of what boards say in `ahead`. `store` is that of the run.
    ///
    /// # Errors
    /// A log cannot be used; see [`Store::open_board_logs`].
    pub fn open_board_logs(
        &self,
        store: &Store,
        boards: usize,
        inputs: &[String],
    ) -> Result<Vec<BoardLog>, StoreError> {
        store.open_board_logs(&self.path.join(AHEAD), boards, inputs)
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `previous.postcard`, the result that a target had before this run, and returns its path.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_previous(&self, result: &[u8]) -> Result<PathBuf, RunFolderError> {
        let name = "previous.postcard";
        self.write(name, result)?;
        Ok(self.path.join(name))
    }

    /// Writes `report.html`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_report(&self, html: &str) -> Result<(), RunFolderError> {
        self.write("report.html", html.as_bytes())
    }

    /// Writes `statistics.json`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_statistics(&self, statistics: &Statistics) -> Result<(), RunFolderError> {
        let text = serde_json::to_string_pretty(statistics).expect("numbers, names and lists");
        self.write(STATISTICS, (text + "\n").as_bytes())
    }

    /// What is wanted of `statistics.json`, as the last session of the run wrote it; `None` if none did, or another version.
    pub fn last_statistics<T: DeserializeOwned>(&self) -> Option<T> {
        let text = fs::read_to_string(self.path.join(STATISTICS)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Writes `result.postcard`; the bytes are those of [`result_file`](crate::result_file).
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_result(&self, bytes: &[u8]) -> Result<(), RunFolderError> {
        self.write("result.postcard", bytes)
    }

    /// Whether there is a `device.toml`.
    pub fn has_device_file(&self) -> bool {
        self.path.join(DEVICE).is_file()
    }

    /// Writes `device.toml`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_device_file(&self, text: &str) -> Result<(), RunFolderError> {
        self.keep(DEVICE, text.as_bytes())
    }

    /// Reads `device.toml`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_device_file(&self) -> Result<String, RunFolderError> {
        self.read(DEVICE)
    }

    /// The path of `device.toml`.
    pub fn device_path(&self) -> PathBuf {
        self.path.join(DEVICE)
    }

    /// The path of `words.txt`, which is there after [`write_words`](Self::write_words).
    pub fn words_path(&self) -> PathBuf {
        self.path.join(WORDS)
    }

    /// Writes `words.txt`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_words(&self, words: &str) -> Result<(), RunFolderError> {
        self.keep(WORDS, words.as_bytes())
    }

    /// Adds an older model to those in `older/`, with its name: 1.dot, 2.dot, …
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn add_older(&self, older: &OlderModel) -> Result<(), RunFolderError> {
        self.make(OLDER)?;
        let number = (1..).find(|number| !self.older_path(*number).exists()).unwrap_or(1);
        let text = dot::write_with_note(&older.machine, Some(&older.name));
        self.write(&format!("{OLDER}/{number}.dot"), text.as_bytes())?;
        if older.machine.has_state_names() {
            let names = state_names::text(&older.machine);
            self.write(&format!("{OLDER}/{number}.{STATES}"), names.as_bytes())?;
        }
        Ok(())
    }

    /// The older models in `older/`, in the order in which they were added.
    ///
    /// # Errors
    /// A file cannot be read, or holds no model.
    pub fn read_older(&self) -> Result<Vec<OlderModel>, RunFolderError> {
        let paths = (1..).map(|number| self.older_path(number)).take_while(|path| path.exists());
        let read = |path: PathBuf| {
            let unreadable = |source| RunFolderError::Unreadable { path: path.clone(), source };
            let text = fs::read_to_string(&path).map_err(unreadable)?;
            let name = dot::note(&text).unwrap_or("an older model").to_owned();
            let machine = dot::read(&path.display().to_string(), &text);
            let machine = machine.map_err(|error| {
                let message = error.to_string();
                RunFolderError::NoModel { path: path.clone(), message }
            })?;
            let mut named = Naming::new(machine.with_visible_names());
            // Names are no reason to give up the model.
            if let Ok(Some(names)) = StateNames::load(&path.with_extension(STATES)) {
                named.give(&names);
            }
            Ok(OlderModel { name, machine: named.finish().0 })
        };
        paths.map(read).collect()
    }

    fn older_path(&self, number: u32) -> PathBuf {
        self.path.join(format!("{OLDER}/{number}.dot"))
    }

    /// Writes `options.json`: the fields of `options` and the version of the format.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_options(&self, options: &impl Serialize) -> Result<(), RunFolderError> {
        let versioned = Versioned { format: OPTIONS_FORMAT, options };
        // A path may contain bytes that JSON cannot represent.
        let text = serde_json::to_string_pretty(&versioned).map_err(|error| {
            RunFolderError::Unwritable { path: self.path.join(OPTIONS), source: error.into() }
        })?;
        self.keep(OPTIONS, (text + "\n").as_bytes())
    }

    /// What decides what a resumed run does: the content of `options.json` and `device.toml`.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn instructions(&self) -> Result<Vec<u8>, RunFolderError> {
        let mut all = self.read(OPTIONS)?.into_bytes();
        if self.path.join(DEVICE).exists() {
            all.push(0);
            all.extend(self.read(DEVICE)?.into_bytes());
        }
        Ok(all)
    }

    /// Reads `options.json`.
    ///
    /// # Errors
    /// The file is missing, damaged, or of another version.
    pub fn read_options<T: DeserializeOwned>(&self) -> Result<T, RunFolderError> {
        let path = self.path.join(OPTIONS);
        if !path.exists() {
            return Err(RunFolderError::NoOptions { path: self.path.clone() });
        }
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(source) => return Err(RunFolderError::Unreadable { path, source }),
        };
        let damaged = |source| RunFolderError::DamagedOptions { path: path.clone(), source };
        let Versioned::<Value> { format, options } =
            serde_json::from_slice(&bytes).map_err(damaged)?;
        if format != OPTIONS_FORMAT {
            return Err(RunFolderError::OtherFormat { path, format });
        }
        serde_json::from_value(options).map_err(damaged)
    }

    /// The names in `states.toml`, if the user wrote it.
    ///
    /// # Errors
    /// The file cannot be read, or is wrong.
    pub fn read_state_names(&self) -> Result<Option<StateNames>, Box<StateNamesError>> {
        if self.has_state_names_of_the_run() {
            Ok(None)
        } else {
            StateNames::load(&self.path.join(STATES))
        }
    }

    /// Writes `states.toml` with the names of the model, unless the user wrote it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_state_names(&self, model: &Machine) -> Result<(), RunFolderError> {
        let is_wanted = match self.path.join(STATES).exists() {
            true => self.has_state_names_of_the_run(),
            false => model.has_state_names(),
        };
        let text = || OF_THE_RUN.to_owned() + &state_names::text(model);
        if is_wanted { self.write(STATES, text().as_bytes()) } else { Ok(()) }
    }

    fn has_state_names_of_the_run(&self) -> bool {
        self.read(STATES).is_ok_and(|text| text.starts_with(OF_THE_RUN))
    }

    /// Writes `transcript.txt`; its text is that of [`transcript`](crate::words::transcript).
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_transcript(&self, text: &str) -> Result<(), RunFolderError> {
        self.write("transcript.txt", text.as_bytes())
    }

    /// Appends lines that a target has logged to `log.txt`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append_log(&self, lines: &str) -> Result<(), RunFolderError> {
        self.append("log.txt", lines.as_bytes())
    }

    /// Appends log bytes that cannot be decoded here to `log.defmt`, for defmt-print.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append_raw_log(&self, bytes: &[u8]) -> Result<(), RunFolderError> {
        self.append("log.defmt", bytes)
    }

    fn append(&self, file: &str, bytes: &[u8]) -> Result<(), RunFolderError> {
        let path = self.path.join(file);
        let opened = fs::OpenOptions::new().create(true).append(true).open(&path);
        let appended = opened.and_then(|mut file| file.write_all(bytes));
        appended.map_err(|source| RunFolderError::Unwritable { path, source })
    }

    fn make(&self, folder: &str) -> Result<(), RunFolderError> {
        if self.is_kept {
            return Ok(());
        }
        let path = self.path.join(folder);
        fs::create_dir_all(&path).map_err(|source| RunFolderError::Unwritable { path, source })
    }

    fn read(&self, file: &str) -> Result<String, RunFolderError> {
        let path = self.path.join(file);
        fs::read_to_string(&path).map_err(|source| RunFolderError::Unreadable { path, source })
    }

    /// Writes a file that the run can do without: its results are made again.
    fn write(&self, file: &str, bytes: &[u8]) -> Result<(), RunFolderError> {
        if self.is_kept {
            return Ok(());
        }
        self.replace(file, |new| fs::write(new, bytes))
    }

    /// Writes a file without which the run cannot be resumed: it is on disk before it takes its place.
    fn keep(&self, file: &str, bytes: &[u8]) -> Result<(), RunFolderError> {
        self.replace(file, |new| {
            let mut new = File::create(new)?;
            new.write_all(bytes)?;
            new.sync_all()
        })
    }

    /// Puts a new file in the place of an old one. If the run is killed here, it finds either the old or the new file when it
    /// is resumed.
    fn replace(
        &self,
        file: &str,
        write: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<(), RunFolderError> {
        let path = self.path.join(file);
        let new = self.path.join(format!("{file}.new"));
        let written = write(&new).and_then(|()| fs::rename(&new, &path));
        written.map_err(|source| {
            // On a full disk, a smaller file may need the room of a part of this one.
            let _ = fs::remove_file(new);
            RunFolderError::Unwritable { path, source }
        })
    }
}

/// The content of `options.json`.
#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    format: u32,
    #[serde(flatten)]
    options: T,
}

/// A different file name for each name, even on file systems that ignore case.
pub fn file_names(names: &[String], ending: &str) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut unique = |name: &String| {
        let name = file_name(name);
        let numbered = (2_u64..).map(|number| format!("{name}-{number}"));
        let mut tries = std::iter::once(name.clone()).chain(numbered);
        let free = tries.find(|name| taken.insert(name.to_lowercase()));
        format!("{}.{ending}", free.expect("there are numbers enough"))
    };
    names.iter().map(&mut unique).collect()
}

/// A file name for a name: characters that a shell or a file system may not accept become `_`.
fn file_name(name: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '=' | '+' | ',');
    let replaced = |c: char| if safe(c) { c } else { '_' };
    let mut file: String = shown(name).chars().map(replaced).collect();
    file.truncate(file.floor_char_boundary(MAX_NAME_BYTES));
    if file.starts_with(['.', '-']) {
        file.insert(0, '_');
    }
    file
}

#[cfg(test)]
mod tests;
