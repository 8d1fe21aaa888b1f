//! What boards said, while it is told from what `answers.log` has of it.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mealybug_core::Input;

use super::answers::AheadAnswers;
use super::board_log::BoardLog;
use super::logs::{log_path, numbers};
use crate::store::log::{self, LogRecord};
use crate::store::{DeviceAnswer, StoreError};

/// All words that boards said, without those that were taken off.
///
/// Representation: a word is its inputs and the numbers of its outputs, so that the words that begin with a given one
/// are next to each other.
#[derive(Debug, Default)]
pub(in crate::store) struct Said {
    words: BTreeMap<Vec<(Input, u32)>, Vec<Spoken>>,
    outputs: Vec<Arc<[u8]>>,
    numbers: HashMap<Arc<[u8]>, u32>,
    logs: BTreeMap<usize, BoardLogCount>,
}

/// A log of a board.
#[derive(Debug)]
struct BoardLogCount {
    /// The version that began it.
    version: u16,
    /// The number of words in `answers.log` when it was begun.
    since: u64,
    /// The number of its words and doubts.
    records: usize,
}

/// A word that is left in a log: its place there, its inputs, and the answers to them.
type LeftWord<'s> = (usize, &'s [(Input, u32)], &'s [DeviceAnswer]);

/// When a word was said.
#[derive(Debug)]
struct Spoken {
    /// The number of the log, and the place there.
    log: usize,
    place: usize,
    answers: Vec<DeviceAnswer>,
}

impl Said {
    /// Reads the logs in `folder`, which may be missing.
    pub(in crate::store) fn read(folder: &Path, inputs: &[String]) -> Result<Self, StoreError> {
        let mut said = Self::default();
        for number in numbers(folder).map_err(|source| failed(folder, source))? {
            said.read_log(number, &log_path(folder, number), inputs)?;
        }
        Ok(said)
    }

    fn read_log(
        &mut self,
        number: usize,
        path: &Path,
        inputs: &[String],
    ) -> Result<(), StoreError> {
        let (bytes, _lock) = log::read_locked(path)?;
        let (mut outputs, mut replies) = (Vec::new(), Vec::new());
        let mut words: Vec<(Vec<_>, Vec<_>)> = Vec::new();
        let (version, _) = log::read_header(path, &bytes)?;
        let mut about = BoardLogCount { version, since: 0, records: 0 };
        // Whether the last word is not in doubt.
        let mut is_word = false;
        log::read(path, &bytes, inputs, |record| {
            match record {
                LogRecord::Header { .. } => return Err("a second beginning"),
                LogRecord::Dropped { .. } => {}
                LogRecord::Prices(_)
                | LogRecord::Priced { .. }
                | LogRecord::Faults { .. }
                | LogRecord::Lost { .. }
                | LogRecord::Ended { .. } => {
                    return Err("a record of a whole run");
                }
                LogRecord::Since(words) => about.since = words,
                LogRecord::Output(bytes) => outputs.push(self.intern(&bytes)),
                LogRecord::Reset => {
                    about.records += 1;
                    words.push((Vec::new(), Vec::new()));
                    is_word = true;
                }
                LogRecord::Doubt => {
                    about.records += 1;
                    // A second doubt is about the same word.
                    if std::mem::take(&mut is_word) {
                        words.pop();
                    }
                }
                LogRecord::Reply { output, bytes } => {
                    replies.push((output, Arc::<[u8]>::from(bytes)));
                }
                LogRecord::Answer { input, .. } | LogRecord::Replied { input, .. }
                    if input as usize >= inputs.len() =>
                {
                    return Err("an unknown input");
                }
                LogRecord::Answer { input, output, ms } => {
                    let output = *outputs.get(output as usize).ok_or("an unknown output")?;
                    let word = words.last_mut().ok_or("an answer without a reset")?;
                    self.say(word, Input::new(input), output, (None, ms));
                }
                LogRecord::Replied { input, reply, ms } => {
                    let (output, reply) = replies.get(reply as usize).ok_or("an unknown reply")?;
                    let output = *outputs.get(*output as usize).ok_or("an unknown output")?;
                    let word = words.last_mut().ok_or("an answer without a reset")?;
                    self.say(word, Input::new(input), output, (Some(Arc::clone(reply)), ms));
                }
            }
            Ok(())
        })?;
        self.logs.insert(number, about);
        for (place, (word, answers)) in
            words.into_iter().enumerate().filter(|(_, (word, _))| !word.is_empty())
        {
            self.words.entry(word).or_default().push(Spoken { log: number, place, answers });
        }
        Ok(())
    }

    /// Adds an answer to a word: its input, the number of its output, its reply if that is known, and its time.
    fn say(
        &self,
        (word, answers): &mut (Vec<(Input, u32)>, Vec<DeviceAnswer>),
        input: Input,
        output: u32,
        (reply, ms): (Option<Arc<[u8]>>, u32),
    ) {
        word.push((input, output));
        let output = Arc::clone(&self.outputs[output as usize]);
        answers.push(DeviceAnswer { output, reply, took: Duration::from_millis(ms.into()) });
    }

    fn intern(&mut self, output: &[u8]) -> u32 {
        if let Some(&known) = self.numbers.get(output) {
            return known;
        }
        let new = u32::try_from(self.outputs.len()).expect("memory ends before 2^32 outputs");
        let output: Arc<[u8]> = output.into();
        self.outputs.push(Arc::clone(&output));
        self.numbers.insert(output, new);
        new
    }

    /// An input and its output as they are in words here. An output that no board gave has a number that no word has.
    pub(in crate::store) fn symbol(&self, input: Input, output: &[u8]) -> (Input, u32) {
        (input, self.numbers.get(output).copied().unwrap_or(u32::MAX))
    }

    /// Takes off a word that `answers.log` has: it may be the beginning of one that a board said to its end. Returns how that
    /// goes on. The word is one of the first `words` there.
    pub(in crate::store) fn take_off(
        &mut self,
        word: &[(Input, u32)],
        words: u64,
    ) -> Vec<(Input, DeviceAnswer)> {
        if word.is_empty() {
            return Vec::new();
        }
        let logs = &self.logs;
        let is_later = |spoken: &Spoken| logs[&spoken.log].since < words;
        // The word itself comes before those that go on.
        let from = self.words.range::<[_], _>((Bound::Included(word), Bound::Unbounded));
        let mut candidates = from.take_while(|(whole, _)| whole.starts_with(word));
        let found = candidates
            .find_map(|(whole, all)| Some((whole.clone(), all.iter().position(is_later)?)));
        let Some((whole, at)) = found else { return Vec::new() };
        let spoken = self.words.get_mut(&whole).expect("it was just found");
        let answers = spoken.remove(at).answers;
        if spoken.is_empty() {
            self.words.remove(&whole);
        }
        let inputs = whole.iter().map(|&(input, _)| input);
        inputs.zip(answers).skip(word.len()).collect()
    }

    /// Writes the logs in `folder` anew, without the words that were taken off, and removes those that have no words any more.
    /// Returns the words that are left. `words` is the number of words in `answers.log`, none of which is among them.
    ///
    /// Each log is replaced as a whole. Killed between two of them, the next call does the rest; a word may then be asked again.
    pub(in crate::store) fn keep(
        self,
        folder: &Path,
        inputs: &[String],
        words: u64,
    ) -> Result<AheadAnswers, StoreError> {
        let mut by_log: BTreeMap<usize, Vec<LeftWord<'_>>> = BTreeMap::new();
        for (word, spoken) in &self.words {
            for Spoken { log, place, answers } in spoken {
                by_log.entry(*log).or_default().push((*place, word, answers));
            }
        }
        let ahead = AheadAnswers::default();
        for (&number, log) in &self.logs {
            let path = log_path(folder, number);
            let mut left = by_log.remove(&number).unwrap_or_default();
            left.sort_unstable_by_key(|(place, ..)| *place);
            if left.is_empty() {
                fs::remove_file(&path).map_err(|source| failed(&path, source))?;
            } else if left.len() < log.records || log.since < words {
                rewrite(&path, log.version, &left, inputs, words)?;
            }
            for (_, word, answers) in left {
                ahead.add(word.iter().map(|&(input, _)| input).collect(), answers.to_vec());
            }
        }
        // It fails where a log is left.
        let _ = fs::remove_dir(folder);
        Ok(ahead)
    }
}

/// Writes a log that this version began anew.
fn rewrite(
    path: &Path,
    version: u16,
    left: &[LeftWord<'_>],
    inputs: &[String],
    words: u64,
) -> Result<(), StoreError> {
    let new = new_path(path);
    let header = log::frame(&log::header(version, inputs));
    fs::write(&new, header).map_err(|source| failed(&new, source))?;
    let mut log = BoardLog::open(&new, inputs, words)?;
    for (_, word, answers) in left {
        log.reset()?;
        for ((input, _), answer) in word.iter().zip(*answers) {
            log.answer(*input, answer)?;
        }
    }
    log.sync()?;
    fs::rename(&new, path).map_err(|source| failed(path, source))
}

/// Where a log is written before it takes its place.
fn new_path(path: &Path) -> PathBuf {
    path.with_extension("new")
}

fn failed(path: &Path, source: io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), source }
}
