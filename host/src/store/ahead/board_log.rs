//! The log of what a board says.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use mealybug_core::Input;

use crate::store::log::{AnswerLog, LogRecord};
use crate::store::replies::ReplyNumbers;
use crate::store::{DeviceAnswer, StoreError};

/// The log of what a board says, as it says it.
#[derive(Debug, Default)]
pub struct BoardLog {
    /// `None` if nothing is to be kept.
    log: Option<AnswerLog>,
    path: PathBuf,
    outputs: HashMap<Vec<u8>, u32>,
    replies: ReplyNumbers,
    /// Whether the board has begun a word since the log was opened or the word before was doubted.
    has_word: bool,
}

impl BoardLog {
    /// Opens or creates the log at `path`. If it is new, none of the `words` in `answers.log` is one of its words.
    pub(in crate::store) fn open(
        path: &Path,
        inputs: &[String],
        words: u64,
    ) -> Result<Self, StoreError> {
        let (mut outputs, mut replies) = (HashMap::new(), ReplyNumbers::default());
        let mut is_new = true;
        let log = AnswerLog::open(path, inputs, |record| {
            is_new = false;
            match record {
                LogRecord::Output(bytes) => {
                    let number = next_number(&outputs);
                    outputs.insert(bytes, number);
                }
                LogRecord::Reply { output, bytes } => drop(replies.add(output, bytes)),
                _ => {}
            }
            Ok(())
        })?;
        let mut log =
            Self { log: Some(log), path: path.to_owned(), outputs, replies, has_word: false };
        if is_new {
            log.append(&LogRecord::Since(words))?;
        }
        Ok(log)
    }

    /// The board was reset for a word.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn reset(&mut self) -> Result<(), StoreError> {
        self.has_word = true;
        self.append(&LogRecord::Reset)
    }

    /// The board answered an input. The answer survives the end of the process once this returns.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn answer(&mut self, input: Input, answer: &DeviceAnswer) -> Result<(), StoreError> {
        let DeviceAnswer { output, reply, .. } = answer;
        let number = match self.outputs.get(&**output) {
            Some(&known) => known,
            None => {
                self.append(&LogRecord::Output(output.to_vec()))?;
                let number = next_number(&self.outputs);
                self.outputs.insert(output.to_vec(), number);
                number
            }
        };
        let mut records =
            self.replies.records(input.index(), number, reply.as_deref(), answer.ms());
        records.try_for_each(|record| self.append(&record))
    }

    /// The answers to the last word are in doubt: what came before the next reset may belong to them. Words of earlier
    /// sessions are not.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn doubt(&mut self) -> Result<(), StoreError> {
        match std::mem::take(&mut self.has_word) {
            true => self.append(&LogRecord::Doubt),
            false => Ok(()),
        }
    }

    /// The word is over. It survives a power failure once this returns.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        let result = self.log.as_mut().map_or(Ok(()), AnswerLog::sync);
        result.map_err(|source| self.failed(source))
    }

    fn append(&mut self, record: &LogRecord) -> Result<(), StoreError> {
        let result = self.log.as_mut().map_or(Ok(()), |log| log.append(record));
        result.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> StoreError {
        StoreError::Io { path: self.path.clone(), source }
    }
}

/// The number of an output that is not among these.
fn next_number(outputs: &HashMap<Vec<u8>, u32>) -> u32 {
    u32::try_from(outputs.len()).expect("memory ends before 2^32 outputs")
}
