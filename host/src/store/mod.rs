//! All answers of a device, kept in memory and on disk.
//!
//! A [`Store`] is a [`AnswerTree`] of answers and the log file to which they are written. [`Stored`] puts
//! a store around a device. It answers from memory if it can. Otherwise it resets the device,
//! repeats the word so far and sends the new input. It compares the device's answers to the word so
//! far with the earlier ones, and so detects contradictions.
//!
//! # Never lose an answer
//!
//! Each answer is written before the next input is sent, so it survives the end of the process. The
//! file is synchronised with the disk once for each word, before the learner sees the last answer,
//! so the word survives a power failure. (Synchronising after each symbol would save half a word,
//! which must be asked from its beginning again anyway.) To resume a run is to run it again over
//! its store: all learners here ask the same words again, and soon catch up.
//!
//! # Never believe a wrong one
//!
//! A device that has never contradicted itself is believed, but for a word that refutes a
//! hypothesis: it is asked twice, because a wrong answer there costs most. Otherwise doubt costs
//! only what rests on it:
//!
//! - The number of answers that must agree follows the rate of wrong answers that was seen, by a
//!   sequential test in each place of the tree (`noise`).
//! - While it learns, a learner is given answers of which less than one is expected to be wrong.
//!   Where that takes more than one answer, a word is asked again before the next one begins.
//! - A new state rests on few answers, and a wrong one makes a state that is none. So all that is
//!   known of a new state is confirmed once the device was wrong for the first time.
//! - An answer to a test that agrees with the hypothesis needs no further confirmation.
//! - A long test nearly always contains an answer that is wrong or lost, and would be asked again and again. So tests are shorter
//!   the more often that happens (`by_hypothesis`).
//! - Before a hypothesis becomes the result, each of its transitions must rest on so many answers
//!   that at most one model in a hundred is expected to be wrong (`support`).
//! - If a different answer is believed than the one given to the learner, the learner starts again
//!   over the same store ([`NoAnswer::Overturned`]), which costs no word that is known.
//! - If a reset fails, the last answer before it is asked for again: something may have come after
//!   it that belongs to it.

mod ahead;
mod answer;
mod by_hypothesis;
mod carried_over;
mod doubts;
mod error;
mod foreseen;
mod gone;
mod line_faults;
mod log;
mod noise;
mod prices;
mod refusal;
mod refute;
mod replay;
mod replies;
mod stored;
mod support;
#[cfg(test)]
mod tests;
mod tree;
mod tried;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use mealybug_core::Input;

use ahead::Said;
pub use ahead::{AheadAnswers, BoardLog, copy_kept_logs};
pub use answer::DeviceAnswer;
use by_hypothesis::ByHypothesis;
pub use carried_over::{
    AnswerFate, JudgeAnswer, KeptAnswers, LoggedAnswer, LoggedReply, copy_kept,
};
pub use doubts::DoubtfulWords;
pub use error::StoreError;
pub use gone::{GoneAnswer, gone_answers};
pub use line_faults::{ConnectionEnded, Garbled, LineRules};
pub use log::LockedLog;
use log::{AnswerLog, LogRecord};
pub use prices::Prices;
pub use refusal::{NoAnswer, Unsettled};
pub use refute::refutation;
use replay::Replay;
use replies::ReplyNumbers;
pub use stored::Stored;
pub use tree::{AnswerTree, NodeId, Observed};
pub use tried::Tried;

/// The answers of a device; see the [module](self).
#[derive(Debug, Default)]
pub struct Store {
    tree: AnswerTree,
    replies: ReplyNumbers,
    /// What a reset and each input cost, at each hypothesis.
    prices: ByHypothesis<Option<Prices>>,
    /// One of how many symbols was lost or wrong, at each hypothesis.
    faults: ByHypothesis<u32>,
    log: Option<AnswerLog>,
    path: PathBuf,
    /// The number of words, that is, of resets.
    words: u64,
    /// The number of answers that are not in the log any more, since the device file has changed.
    dropped: u64,
    ahead: AheadAnswers,
}

impl Store {
    /// A store in memory only.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Opens or creates the store in a file. If the last word was cut off, its complete part is
    /// kept.
    ///
    /// # Errors
    /// The file cannot be read or written, another run has it open, it is damaged, another version
    /// wrote it, or its device has other inputs.
    pub fn open(path: &Path, inputs: &[String]) -> Result<Self, StoreError> {
        let locked = log::read_locked(path)?;
        Self::read(path, locked, inputs, &mut Said::default())
    }

    /// Opens or creates the store in a file, and takes in what several boards said ahead: the logs in the folder `ahead`,
    /// which may be missing.
    ///
    /// # Errors
    /// As of [`open`](Self::open), for this file and for the logs.
    pub fn open_with_ahead(
        path: &Path,
        ahead: &Path,
        inputs: &[String],
    ) -> Result<Self, StoreError> {
        // First of all: if the run is still going on, its store is locked.
        Self::open_locked(LockedLog::open(path)?, path, ahead, inputs)
    }

    /// As [`open_with_ahead`](Self::open_with_ahead), for a log that is locked already and is now at `path`.
    ///
    /// # Errors
    /// As of [`open_with_ahead`](Self::open_with_ahead).
    pub fn open_locked(
        log: LockedLog,
        path: &Path,
        ahead: &Path,
        inputs: &[String],
    ) -> Result<Self, StoreError> {
        let locked = log.into_parts()?;
        let mut said = Said::read(ahead, inputs)?;
        let mut store = Self::read(path, locked, inputs, &mut said)?;
        store.ahead = said.keep(ahead, inputs, store.words)?;
        Ok(store)
    }

    /// Reads the store in a file, and takes its words off `said`. If the last one was being taken, it is taken to its end.
    fn read(
        path: &Path,
        locked: (Vec<u8>, File),
        inputs: &[String],
        said: &mut Said,
    ) -> Result<Self, StoreError> {
        let mut replay = Replay::new(inputs.len(), said);
        let log = AnswerLog::open_locked(path, locked, inputs, |record| replay.take(record))?;
        let (rest, mut at) = (replay.end_word(), replay.at);
        let mut store = Self { log: Some(log), path: path.to_owned(), ..Self::of(replay) };
        for (input, answer) in rest {
            let node = store.observe(at, input, &answer)?.node;
            at = store.tree.next_of(node);
        }
        store.sync()?;
        Ok(store)
    }

    /// Reads the content of a log into a store in memory. Returns the length in bytes of the log's complete part, too. `path`
    /// names the log in errors.
    ///
    /// # Errors
    /// As of [`open`](Self::open), but for what concerns files.
    pub fn from_log(
        path: &Path,
        log: &[u8],
        inputs: &[String],
    ) -> Result<(Self, usize), StoreError> {
        let mut said = Said::default();
        let mut replay = Replay::new(inputs.len(), &mut said);
        let complete = log::read(path, log, inputs, |record| replay.take(record))?;
        Ok((Self::of(replay), complete))
    }

    /// The store in memory of what a log says.
    fn of(log: Replay<'_>) -> Self {
        let Replay { tree, replies, prices, faults, words, dropped, .. } = log;
        Self { tree, replies, prices, faults, words, dropped, ..Self::default() }
    }

    /// Opens the logs of `boards` boards, in the folder `ahead` that the store was opened with. It is made if it is missing.
    ///
    /// # Errors
    /// The folder or a log cannot be written, or another run has it open.
    pub fn open_board_logs(
        &self,
        ahead: &Path,
        boards: usize,
        inputs: &[String],
    ) -> Result<Vec<BoardLog>, StoreError> {
        let io = |source| StoreError::Io { path: ahead.to_owned(), source };
        fs::create_dir_all(ahead).map_err(io)?;
        let open = |number| BoardLog::open(&ahead::log_path(ahead, number), inputs, self.words);
        (1..=boards).map(open).collect()
    }

    /// The words that boards have answered ahead of their turn.
    pub fn ahead(&self) -> &AheadAnswers {
        &self.ahead
    }

    /// The answers.
    pub fn tree(&self) -> &AnswerTree {
        &self.tree
    }

    /// The number of words that the device was asked, each time counted.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// The number of symbols that the device was asked, also those whose answers do not hold for the device file any more.
    pub fn symbols(&self) -> u64 {
        self.tree.heard().saturating_add(self.dropped)
    }

    /// Whether there are no answers.
    pub fn is_empty(&self) -> bool {
        self.tree.nodes().next().is_none()
    }

    /// What a reset and each input cost when the hypothesis with this number was made, if the device is slow. The first call
    /// for a hypothesis decides it from what was measured, or else from what it was before, and stores it, so that a run
    /// repeated over this store asks the same words.
    fn decide_prices(
        &mut self,
        round: u64,
        measured: impl FnOnce(&AnswerTree, Option<&Prices>) -> Option<Prices>,
    ) -> Result<Option<Prices>, StoreError> {
        let before = self.prices.at(round).and_then(Option::as_ref);
        if self.prices.is_decided(round) {
            return Ok(before.cloned());
        }
        let prices = measured(&self.tree, before).or_else(|| before.cloned());
        self.append(&LogRecord::Priced { round, prices: prices.clone() })?;
        self.prices.add(round, prices.clone());
        Ok(prices)
    }

    /// One of how many symbols was lost or wrong when the hypothesis with this number was made; `None` if too few were to
    /// say. The first call for a hypothesis decides it from what was measured and stores it, so that a run repeated over
    /// this store asks the same words.
    fn decide_faults(
        &mut self,
        round: u64,
        measured: impl FnOnce(&AnswerTree, Option<u32>) -> Option<u32>,
    ) -> Result<Option<u32>, StoreError> {
        let before = self.faults.at(round).copied();
        if self.faults.is_decided(round) {
            return Ok(before);
        }
        let measured = measured(&self.tree, before);
        if let Some(symbols_per_fault) = measured {
            self.append(&LogRecord::Faults { round, symbols_per_fault })?;
            self.faults.add(round, symbols_per_fault);
        }
        Ok(measured)
    }

    /// The device was reset.
    fn reset(&mut self) -> Result<(), StoreError> {
        // The log relies on each word being on the disk before the next begins.
        self.sync()?;
        self.words += 1;
        self.append(&LogRecord::Reset)
    }

    /// Records that the device answered `input` after `parent`.
    fn observe(
        &mut self,
        parent: NodeId,
        input: Input,
        answer: &DeviceAnswer,
    ) -> Result<Observed, StoreError> {
        let (DeviceAnswer { output, reply, .. }, ms) = (answer, answer.ms());
        let known = self.tree.outputs();
        let number = self.tree.intern(output);
        if self.tree.outputs() > known {
            self.append(&LogRecord::Output(output.to_vec()))?;
        }
        if self.log.is_some() {
            let mut records = self.replies.records(input.index(), number, reply.as_deref(), ms);
            records.try_for_each(|record| self.append(&record))?;
        }
        Ok(self.tree.observe(parent, input, output, ms))
    }

    /// Records that the connection has ended after an answer, which is the last one, and that further inputs have this output.
    fn end(&mut self, node: NodeId, output: &[u8]) -> Result<(), StoreError> {
        // A log that is read takes the believed answer for the last one.
        if self.tree.has_end(node) || self.tree.next_of(node) != node {
            return Ok(());
        }
        let known = self.tree.outputs();
        let number = self.tree.intern(output);
        if self.tree.outputs() > known {
            self.append(&LogRecord::Output(output.to_vec()))?;
        }
        self.tree.end(node, number);
        self.append(&LogRecord::Ended { output: number })
    }

    /// Records that the answer to `input` was garbled, and that the word goes on from the believed one.
    fn lose(&mut self, input: Input) -> Result<(), StoreError> {
        self.append(&LogRecord::Lost { input: input.index() })
    }

    fn append(&mut self, record: &LogRecord) -> Result<(), StoreError> {
        let result = self.log.as_mut().map_or(Ok(()), |log| log.append(record));
        result.map_err(|source| self.failed(source))
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        let result = self.log.as_mut().map_or(Ok(()), AnswerLog::sync);
        result.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> StoreError {
        StoreError::Io { path: self.path.clone(), source }
    }
}
