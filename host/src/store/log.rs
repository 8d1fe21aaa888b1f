//! The log file of the answers, which is only appended to.
//!
//! ```text
//! frame 0: Header    whose answers these are
//! frame 1: Reset     a word begins
//! frame 2: Output    the bytes of output 0
//! frame 3: Answer    this input had output 0, after this many milliseconds
//! …
//! frame n: Priced    what a reset and each input cost when a hypothesis was made
//! frame m: Faults    how often the device or its line was wrong when a hypothesis was made
//! frame k: Lost      the answer to this input was garbled
//! frame r: Reply     the bytes of reply 0, whose name is output 0
//! frame s: Replied   this input had reply 0, after this many milliseconds
//! frame e: Ended     the connection has ended here; output 0 is what further inputs have
//! frame d: Dropped   how many answers of the log before this copy of it lacks
//! …
//! ```
//!
//! A frame is a postcard record followed by its CRC-32, encoded with COBS, which removes zeros, and
//! terminated by a zero. A frame that was cut off lacks the zero or has a wrong checksum. Nothing
//! follows it, because a word is on the disk before the next word begins. So however the file is
//! cut off, all complete frames before the cut can be read, and nothing else is taken for a frame.
//!
//! Why not a database: the data is a list that grows at its end. Each record is written once, and
//! all are read once, at the start. A database adds pages, a journal and checkpoints. These survive
//! a crash during a transaction, but not a file that is cut off at an arbitrary byte. A database
//! also takes longer for each record: 8 µs with SQLite and 183 µs with redb, against 1.4 µs here.
//! The crates postcard, crc and cobs do the parts that are easy to get wrong.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::prices::Prices;

/// The version of the format. Version 1 had no prices. Up to version 2 a word ended with an answer
/// that was not the believed one. Up to version 3 there were no faults, up to version 4 no lost answers, up to version 5 no
/// replies, up to version 6 no ends of connections, and up to version 7 no number of dropped answers. Up to version 8 the
/// first hypothesis alone had prices.
pub(super) const VERSION: u16 = 9;
/// The first version with replies.
pub(super) const WITH_REPLIES: u16 = 6;

/// Whoever only looks whether a log is locked holds it for less than this...
const LOOK: Duration = Duration::from_millis(20);
/// ...and after this many looks, another run has it.
const LOOKS: u32 = 10;

/// The CRC-32 of Ethernet and zip.
const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

/// The zero at the end of a frame.
const END: u8 = 0;

/// The content of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum LogRecord {
    /// The first record.
    Header { magic: [u8; 8], version: u16, inputs: Vec<String> },
    /// The device was reset.
    Reset,
    /// A new output. Its number is the number of outputs before it.
    Output(Vec<u8>),
    /// The device answered an input, and the output is no name for one reply, such as that of a silence.
    Answer { input: u32, output: u32, ms: u32 },
    /// Up to version 8: the costs from the first hypothesis on.
    Prices(Option<Prices>),
    /// The answers to the word before are in doubt. Only logs of boards have this, and `Since`.
    Doubt,
    /// The number of words in `answers.log` when this log was begun. None of those words is in this log.
    Since(u64),
    /// A hypothesis, by its number, was made when one of this many symbols was lost or wrong.
    Faults { round: u64, symbols_per_fault: u32 },
    /// The answer to an input was garbled on its way, and the word went on from where the believed answer leads.
    Lost { input: u32 },
    /// A new reply, whose name is this output. Its number is the number of replies before it.
    Reply { output: u32, bytes: Vec<u8> },
    /// The device answered an input with this reply.
    Replied { input: u32, reply: u32, ms: u32 },
    /// The connection has ended: from here on, each input of the word that opens no new one has this output.
    Ended { output: u32 },
    /// This log is a copy for another device file, and this many answers were not kept.
    Dropped { answers: u64 },
    /// What a reset and each input cost when a hypothesis was made, by its number; `None` if all cost the same.
    Priced { round: u64, prices: Option<Prices> },
}

/// Identifies the file type.
const MAGIC: [u8; 8] = *b"MEALYBUG";

/// What a log is written to: a file, or a substitute in tests.
pub(super) trait Medium: Write + Send + std::fmt::Debug {
    /// Waits until everything written is on the disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl Medium for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// An open log, locked until it is dropped.
#[derive(Debug)]
pub(super) struct AnswerLog {
    medium: Box<dyn Medium>,
    is_synced: bool,
    /// Whether a record could not be written, or may not be on the disk: what follows could not be read.
    has_failed: bool,
}

impl AnswerLog {
    /// Opens or creates the log at `path`, and calls `take` with each record in it.
    pub(super) fn open(
        path: &Path,
        inputs: &[String],
        take: impl FnMut(LogRecord) -> Result<(), &'static str>,
    ) -> Result<Self, StoreError> {
        Self::open_locked(path, read_locked(path)?, inputs, take)
    }

    /// As [`open`](Self::open), for a log that [`read_locked`] has read.
    pub(super) fn open_locked(
        path: &Path,
        (bytes, mut file): (Vec<u8>, File),
        inputs: &[String],
        take: impl FnMut(LogRecord) -> Result<(), &'static str>,
    ) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { path: path.to_owned(), source };
        let good = read(path, &bytes, inputs, take)?;
        file.set_len(good as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut log = Self::new(file);
        if good == 0 {
            log.append(&header(VERSION, inputs)).map_err(io)?;
        }
        log.sync().map_err(io)?;
        Ok(log)
    }

    pub(super) fn new(medium: impl Medium + 'static) -> Self {
        Self { medium: Box::new(medium), is_synced: false, has_failed: false }
    }

    /// Writes a record in a single call. It survives the end of the process once this returns.
    pub(super) fn append(&mut self, record: &LogRecord) -> io::Result<()> {
        self.is_synced = false;
        self.act(|medium| medium.write_all(&frame(record)))
    }

    /// Waits until all records are on the disk, so that they survive a power failure.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if !self.is_synced {
            self.act(|medium| medium.sync())?;
            self.is_synced = true;
        }
        Ok(())
    }

    fn act(&mut self, act: impl FnOnce(&mut dyn Medium) -> io::Result<()>) -> io::Result<()> {
        if self.has_failed {
            return Err(io::Error::other("an earlier answer could not be written"));
        }
        let result = act(&mut *self.medium);
        self.has_failed = result.is_err();
        result
    }
}

/// A log that no other run can open until this is dropped.
#[derive(Debug)]
pub struct LockedLog {
    file: File,
    path: PathBuf,
}

impl LockedLog {
    /// Locks the log at `path`, which is created if there is none.
    ///
    /// # Errors
    /// Another run has the log open, or it cannot be read and written.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let file =
            options.read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        match patiently(|| file.try_lock()) {
            Ok(()) => Ok(Self { file, path: path.to_owned() }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(io(error)),
        }
    }

    /// Whether a run has the log at `path` open. It changes nothing, and a log that this user may not read counts as free.
    pub fn is_held(path: &Path) -> bool {
        let tried = File::open(path).map(|file| patiently(|| file.try_lock_shared()));
        matches!(tried, Ok(Err(TryLockError::WouldBlock)))
    }

    /// Where the log was when it was opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The content of the log.
    pub(super) fn read(&mut self) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        let read = self.file.rewind().and_then(|()| self.file.read_to_end(&mut bytes));
        read.map_err(|source| StoreError::Io { path: self.path.clone(), source })?;
        Ok(bytes)
    }

    /// The content and the file, which is locked while it is open.
    pub(super) fn into_parts(mut self) -> Result<(Vec<u8>, File), StoreError> {
        Ok((self.read()?, self.file))
    }
}

/// Tries to take a lock several times. Perhaps somebody only looks, as `is_held` does, or a program is being started, which has all
/// files until it runs.
fn patiently(try_lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    let mut locked = try_lock();
    for _ in 0..LOOKS {
        if matches!(locked, Err(TryLockError::WouldBlock)) {
            thread::sleep(LOOK);
            locked = try_lock();
        }
    }
    locked
}

/// The content of the log at `path`, which is created if there is none. The log is locked while the file is open.
pub(super) fn read_locked(path: &Path) -> Result<(Vec<u8>, File), StoreError> {
    LockedLog::open(path)?.into_parts()
}

/// The first record of a log. A copy of a log has the version of the log: its answers say no more.
pub(super) fn header(version: u16, inputs: &[String]) -> LogRecord {
    LogRecord::Header { magic: MAGIC, version, inputs: inputs.to_vec() }
}

/// The version and the inputs in the header of a log. A later version may have gone on with the log.
pub(super) fn read_header(path: &Path, bytes: &[u8]) -> Result<(u16, Vec<String>), StoreError> {
    let first = bytes.split(|&byte| byte == END).next().and_then(unframe);
    match first {
        Some(LogRecord::Header { magic: MAGIC, version, inputs }) => Ok((version, inputs)),
        // It was cut off before there was an answer.
        None if is_cut_header(bytes) => Ok((VERSION, Vec::new())),
        _ => Err(StoreError::NotAStore { path: path.to_owned() }),
    }
}

/// Encodes a record as a frame.
pub(super) fn frame(record: &LogRecord) -> Vec<u8> {
    let record = postcard::to_stdvec_crc32(record, CRC.digest()).expect("memory takes everything");
    let mut frame = cobs::encode_vec(&record);
    frame.push(END);
    frame
}

/// Decodes the record in a frame without its zero. `None` unless it is complete and nothing follows
/// its checksum; if a zero is damaged, the next frame follows.
fn unframe(frame: &[u8]) -> Option<LogRecord> {
    let bytes = cobs::decode_vec(frame).ok()?;
    let (record, rest) = postcard::take_from_bytes_crc32(&bytes, CRC.digest()).ok()?;
    rest.is_empty().then_some(record)
}

/// Reads all complete frames from the beginning. Returns their total length in bytes.
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    inputs: &[String],
    mut take: impl FnMut(LogRecord) -> Result<(), &'static str>,
) -> Result<usize, StoreError> {
    let damaged = |at, what: &str| {
        let (path, what) = (path.to_owned(), what.to_owned());
        StoreError::Damaged { path, at, what }
    };
    let mut good = 0;
    for part in bytes.split_inclusive(|&byte| byte == END) {
        let record = part.strip_suffix(&[END]).and_then(unframe);
        match record {
            Some(LogRecord::Header { magic: MAGIC, version, inputs: theirs }) if good == 0 => {
                check_header(path, version, &theirs, inputs)?;
            }
            Some(record) if good > 0 => take(record).map_err(|what| damaged(good, what))?,
            _ => break,
        }
        good += part.len();
    }
    let rest = &bytes[good..];
    if good == 0 && !is_cut_header(rest) {
        return Err(StoreError::NotAStore { path: path.to_owned() });
    }
    // Only the last word can have been incomplete on the disk, so a later reset means damage. This
    // searches for bytes rather than frames, because the zero before the reset may be damaged.
    let reset = frame(&LogRecord::Reset);
    if rest.windows(reset.len()).any(|bytes| bytes == reset) {
        return Err(damaged(good, "words follow that are whole"));
    }
    Ok(good)
}

fn check_header(
    path: &Path,
    version: u16,
    theirs: &[String],
    ours: &[String],
) -> Result<(), StoreError> {
    let path = path.to_owned();
    if !(1..=VERSION).contains(&version) {
        return Err(StoreError::Version { path, version });
    }
    if theirs != ours {
        let lists = [theirs, ours].map(|names| format!("`{}`", names.join("`, `")));
        let [theirs, ours] = lists;
        return Err(StoreError::OtherInputs { path, theirs, ours });
    }
    Ok(())
}

/// Whether this is the beginning of a first frame. The magic follows two bytes of COBS, because the
/// record's number is a zero.
fn is_cut_header(bytes: &[u8]) -> bool {
    let empty = frame(&header(VERSION, &[]));
    let same = |at: usize| bytes.get(at).is_none_or(|byte| *byte == empty[at]);
    (2..2 + MAGIC.len()).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The records in a log of a device with the input `a`.
    fn records(bytes: &[u8]) -> Result<Vec<LogRecord>, StoreError> {
        let mut records = Vec::new();
        read(Path::new("answers.log"), bytes, &["a".to_owned()], |record| {
            records.push(record);
            Ok(())
        })?;
        Ok(records)
    }

    #[test]
    fn no_bit_that_is_wrong_goes_unnoticed() {
        let header =
            LogRecord::Header { magic: MAGIC, version: VERSION, inputs: vec!["a".to_owned()] };
        let answer = |output, ms| LogRecord::Answer { input: 0, output, ms };
        let word = [LogRecord::Reset, answer(0, 1), answer(1, 0), answer(0, 257)];
        let outputs = [LogRecord::Output(b"0".to_vec()), LogRecord::Output(b"one".to_vec())];
        let log: Vec<LogRecord> = [header].into_iter().chain(outputs).chain(word.clone()).collect();
        let before: Vec<u8> = log.iter().flat_map(frame).collect();
        let last: Vec<u8> = word.iter().flat_map(frame).collect();
        let whole = [before.as_slice(), &last].concat();
        let truth = records(&whole).expect("nothing is wrong");
        assert_eq!(truth.len(), 10);
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            match records(&bytes) {
                // The part after the beginning of the last word may be incomplete.
                Ok(kept) => {
                    assert!(bit / 8 >= before.len() && kept.len() < truth.len(), "bit {bit}");
                    assert_eq!(kept, truth[..kept.len()], "bit {bit}");
                }
                Err(StoreError::Damaged { .. }) => assert!(bit / 8 < before.len(), "bit {bit}"),
                Err(StoreError::NotAStore { .. }) => {
                    assert!(bit / 8 < frame(&log[0]).len(), "bit {bit}");
                }
                Err(other) => panic!("bit {bit}: {other}"),
            }
        }
    }

    #[test]
    fn logs_of_the_version_without_prices_are_read_and_of_later_ones_refused() {
        let inputs = vec!["a".to_owned()];
        let header = |version| LogRecord::Header { magic: MAGIC, version, inputs: inputs.clone() };
        let word = [LogRecord::Reset, LogRecord::Output(b"0".to_vec())];
        let read = |version| {
            let bytes: Vec<u8> = [header(version)].iter().chain(&word).flat_map(frame).collect();
            let mut taken = Vec::new();
            let good = read(Path::new("answers.log"), &bytes, &inputs, |record| {
                taken.push(record);
                Ok(())
            });
            good.map(|good| (good == bytes.len(), taken))
        };
        for version in [1, VERSION] {
            assert_eq!(read(version).expect("a version that is known"), (true, word.to_vec()));
        }
        for version in [0, VERSION + 1] {
            let refused = read(version).expect_err("refused");
            assert!(matches!(refused, StoreError::Version { .. }), "{refused}");
        }
    }
}
