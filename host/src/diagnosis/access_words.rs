//! The access words of the states that a learner has found, and how they grow.

use std::collections::BTreeSet;

use mealybug_core::Input;

/// How many words to keep.
const KEPT: usize = 1000;
/// A store needs so many words of one length over two inputs or more...
const WORDS: usize = 27;
/// ...of at least this length. Two choices one after the other are no store.
const LENGTH: usize = 3;
/// A state lies at most so many inputs behind the first one of a store to be looked at: a store of longer words has shown itself
/// before.
const LATEST: usize = 7;
/// At least three of four of these words must lead to states of their own. Where the order or the number of the inputs is all
/// that counts, far fewer do.
const PART: (usize, usize) = (3, 4);
/// A store is told of until so many newer states have shown none. Not each word has two inputs.
const FORGOTTEN: u32 = 10;

/// The states of a learner.
#[derive(Debug, Default)]
pub(super) struct AccessWords {
    /// The access word of the newest state, and the number of states.
    pub(super) newest: (Vec<Input>, u32),
    /// How many of the newest states lie each behind the one before it.
    pub(super) behind_each_other: usize,
    words: BTreeSet<Vec<Input>>,
    store: Option<StoredWords>,
    /// How many states have come since one showed the store.
    since: u32,
}

/// A state behind which each word over some inputs leads to another state: the device stores what it is sent.
#[derive(Debug)]
pub(super) struct StoredWords {
    pub(super) access: Vec<Input>,
    pub(super) inputs: BTreeSet<Input>,
    /// How many words of this length lead to states of their own.
    pub(super) states: usize,
    pub(super) length: usize,
}

impl StoredWords {
    /// Whether a word of its inputs leads from its state to this one.
    fn has(&self, word: &[Input]) -> bool {
        let behind = word.strip_prefix(&self.access[..]);
        behind.is_some_and(|behind| behind.iter().all(|input| self.inputs.contains(input)))
    }
}

impl AccessWords {
    /// There is a new state with this access word; there are now `states` of them.
    pub(super) fn add(&mut self, access: Vec<Input>, states: u32) {
        let (before, _) = &self.newest;
        let is_behind = access.len() > before.len() && access.starts_with(before);
        self.behind_each_other = if is_behind { self.behind_each_other + 1 } else { 0 };
        if self.words.len() < KEPT {
            self.words.insert(access.clone());
        }
        let first = access.len().saturating_sub(LATEST);
        let is_known = self.store.as_ref().is_some_and(|store| store.has(&access));
        let store = match is_known {
            true => None,
            false => (first..access.len()).find_map(|at| self.store_on(&access, at)),
        };
        self.since = if is_known || store.is_some() { 0 } else { self.since.saturating_add(1) };
        self.store = store.or(self.store.take());
        self.newest = (access, states);
    }

    /// A store that new states show.
    pub(super) fn store(&self) -> Option<&StoredWords> {
        self.store.as_ref().filter(|_| self.since < FORGOTTEN)
    }

    /// The store behind the first `at` inputs of an access word, if it is one.
    fn store_on(&self, word: &[Input], at: usize) -> Option<StoredWords> {
        let (access, behind) = word.split_at(at);
        let inputs: BTreeSet<Input> = behind.iter().copied().collect();
        if inputs.len() < 2 {
            return None;
        }
        let all =
            |length| u32::try_from(length).map_or(usize::MAX, |it| inputs.len().saturating_pow(it));
        let length = (LENGTH..=behind.len()).find(|&length| all(length) >= WORDS)?;
        let is_stored = |word: &&Vec<Input>| {
            word.len() == at + length && word[at..].iter().all(|input| inputs.contains(input))
        };
        let from = self.words.range(access.to_vec()..);
        let states = from.take_while(|word| word.starts_with(access)).filter(is_stored).count();
        let is_full = states * PART.1 >= all(length) * PART.0;
        is_full.then(|| StoredWords { access: access.to_vec(), inputs, states, length })
    }
}
