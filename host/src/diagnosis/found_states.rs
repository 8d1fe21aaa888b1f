//! The states that a learner has found, and how their access words grow.

use std::collections::BTreeSet;

use mealybug_core::Input;

/// How many words to keep.
const KEPT: usize = 1000;
/// A store shows itself by the words of one length: by the shortest length of which two inputs or more have this many words...
const WORDS: usize = 27;
/// ...and which is at least this. Two choices one after the other are no store.
const LENGTH: usize = 3;
/// At least three of four of these words must lead to states of their own. Where the device only counts its inputs, whatever
/// their order, far fewer do.
const PART: (usize, usize) = (3, 4);
/// Look for the state before a store at most this many inputs before the end of an access word.
const LATEST: usize = 7;
/// Stop telling of a store after this many new states outside of it.
const FORGOTTEN: u32 = 10;

/// The states of a learner.
#[derive(Debug, Default)]
pub(super) struct FoundStates {
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
    /// The length of the words that were counted, and how many of them led to states of their own when the store was found.
    pub(super) length: usize,
    pub(super) states: usize,
}

impl StoredWords {
    /// Whether this word leads behind its state, by different inputs out of its own. One input again and again may only count.
    fn has(&self, word: &[Input]) -> bool {
        let Some(behind) = word.strip_prefix(&self.access[..]) else { return false };
        let is_own = behind.iter().all(|input| self.inputs.contains(input));
        is_own && behind.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// How many words of the length there are.
    pub(super) fn words(&self) -> usize {
        words(self.inputs.len(), self.length)
    }
}

impl FoundStates {
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
        let length = (LENGTH..=behind.len()).find(|&it| words(inputs.len(), it) >= WORDS)?;
        let is_stored = |word: &&Vec<Input>| {
            word.len() == at + length && word[at..].iter().all(|input| inputs.contains(input))
        };
        let from = self.words.range(access.to_vec()..);
        let states = from.take_while(|word| word.starts_with(access)).filter(is_stored).count();
        let is_full = states * PART.1 >= words(inputs.len(), length) * PART.0;
        is_full.then(|| StoredWords { access: access.to_vec(), inputs, states, length })
    }
}

/// The number of words of this length over this number of inputs.
fn words(inputs: usize, length: usize) -> usize {
    u32::try_from(length).map_or(usize::MAX, |length| inputs.saturating_pow(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(inputs: &[u32]) -> Vec<Input> {
        inputs.iter().copied().map(Input::new).collect()
    }

    /// The states of a device that stores three inputs, then those with these access words.
    fn after_a_store(others: impl Iterator<Item = Vec<Input>>) -> FoundStates {
        let mut found = FoundStates::default();
        let words = (0..27).map(|number| word(&[number / 9, number / 3 % 3, number % 3]));
        words.chain([word(&[0, 1, 2, 0])]).chain(others).for_each(|access| found.add(access, 1));
        found
    }

    #[test]
    fn a_store_is_told_of_until_many_states_come_outside_of_it() {
        let outside = |count: usize| (1..=count).map(|length| vec![Input::new(3); length]);
        assert!(after_a_store(outside(9)).store().is_some());
        assert!(after_a_store(outside(10)).store().is_none());
        // One input again and again only counts; different ones are stored.
        let deeper = |last: u32| {
            (4..20).map(move |length| {
                let mut access = vec![Input::new(0); length];
                access[length - 1] = Input::new(last);
                access
            })
        };
        assert!(after_a_store(deeper(0)).store().is_none());
        assert!(after_a_store(deeper(1)).store().is_some());
    }
}
