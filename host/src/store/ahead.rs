//! Answers that boards gave ahead of their turn.
//!
//! With several boards, words are asked before the learner wants their answers. `answers.log` takes the answers in the
//! learner's order, so that it is the same as with one board. Until their turn comes, they are in the folder `ahead`
//! beside it: `ahead/N.log` is what board N said, on disk before its next input is sent ([`BoardLog`]). Its format and its
//! safety are those of `answers.log`; each log has one writer.
//!
//! When a store is opened, the words that `answers.log` has are taken out of these logs ([`Said`]), and the others are
//! [`AheadAnswers`]: if the learner asks for one of these words, its answers are taken instead of asking a board. Each is
//! taken once, so that nothing that was said once counts as said twice. What the learner never asks for (tests after one
//! that found a counterexample) changes nothing, and stays where it is.

mod board_log;
mod said;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mealybug_core::Input;

use super::{StoreError, copy_kept};

pub use board_log::BoardLog;
pub(super) use said::Said;

/// An output, and how long the board took for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AheadAnswer {
    /// The output.
    pub output: Arc<[u8]>,
    /// The time in milliseconds.
    pub ms: u32,
}

/// Words that boards have answered and the learner has not asked for. Clones share the words.
#[derive(Clone, Debug, Default)]
pub struct AheadAnswers(Arc<Mutex<Words>>);

/// For each word the answers that were given to it, those that came first in front.
type Words = BTreeMap<Vec<Input>, Vec<Vec<AheadAnswer>>>;

impl AheadAnswers {
    /// Adds a word and its answers.
    pub fn add(&self, word: Vec<Input>, answers: Vec<AheadAnswer>) {
        self.lock().entry(word).or_default().push(answers);
    }

    /// Whether the answers to this word are there.
    pub fn knows(&self, word: &[Input]) -> bool {
        self.lock().contains_key(word)
    }

    /// The number of words, each as often as it was answered.
    pub fn len(&self) -> usize {
        self.lock().values().map(Vec::len).sum()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Takes the answers to a word: those that were added first.
    pub(super) fn take(&self, word: &[Input]) -> Option<Vec<AheadAnswer>> {
        let mut words = self.lock();
        let Entry::Occupied(mut all) = words.entry(word.to_vec()) else { return None };
        let answers = all.get_mut().remove(0);
        if all.get().is_empty() {
            all.remove();
        }
        Some(answers)
    }

    /// The answers to this word are in doubt: they are forgotten.
    pub fn forget(&self, word: &[Input]) {
        self.lock().remove(word);
    }

    fn lock(&self) -> MutexGuard<'_, Words> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Copies the logs in `from` into the folder `to`, which is made anew, for a device with these inputs: as [`copy_kept`] does
/// with `answers.log`.
///
/// # Errors
/// As of [`copy_kept`].
pub fn copy_kept_logs(
    from: &Path,
    to: &Path,
    inputs: &[String],
    is_same: impl Fn(&str) -> bool,
) -> Result<(), StoreError> {
    let failed = |path: &Path, source| StoreError::Io { path: path.to_owned(), source };
    if to.exists() {
        fs::remove_dir_all(to).map_err(|source| failed(to, source))?;
    }
    fs::create_dir(to).map_err(|source| failed(to, source))?;
    for number in said::numbers(from).map_err(|source| failed(from, source))? {
        copy_kept(&log_path(from, number), &log_path(to, number), inputs, &is_same)?;
    }
    Ok(())
}

/// The log of the board with this number.
pub(super) fn log_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("{number}.log"))
}

#[cfg(test)]
mod tests;
