//! Words that boards have answered and the learner has not asked for.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mealybug_core::Input;

use crate::store::DeviceAnswer;

/// Words that boards have answered and the learner has not asked for. Clones share the words.
#[derive(Clone, Debug, Default)]
pub struct AheadAnswers(Arc<Mutex<AnsweredWords>>);

/// For each word the answers that were given to it, those that came first in front.
type AnsweredWords = BTreeMap<Vec<Input>, Vec<Vec<DeviceAnswer>>>;

impl AheadAnswers {
    /// Adds a word and its answers.
    pub fn add(&self, word: Vec<Input>, answers: Vec<DeviceAnswer>) {
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
    pub(crate) fn take(&self, word: &[Input]) -> Option<Vec<DeviceAnswer>> {
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

    pub(super) fn lock(&self) -> MutexGuard<'_, AnsweredWords> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
