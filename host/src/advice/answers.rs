//! The answers of the device in this session, as a prefix tree of words.

use mealybug_core::Input;
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of an output's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MatchedName(u32);

/// Output names, numbered in the order in which they first occur.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchedNames {
    numbers: FxHashMap<Box<[u8]>, MatchedName>,
    /// The outputs that the device has given.
    came: FxHashSet<MatchedName>,
}

impl MatchedNames {
    /// The number of a name.
    pub(super) fn number(&mut self, name: &[u8]) -> MatchedName {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let new =
            MatchedName(u32::try_from(self.numbers.len()).expect("names fill the memory sooner"));
        self.numbers.insert(name.into(), new);
        new
    }

    /// Records that the device gave this output.
    pub(super) fn came(&mut self, name: MatchedName) {
        self.came.insert(name);
    }

    /// Whether the device has given this output.
    pub(super) fn has_come(&self, name: MatchedName) -> bool {
        self.came.contains(&name)
    }

    /// Whether the device has given no output yet.
    pub(super) fn is_new(&self) -> bool {
        self.came.is_empty()
    }

    /// Forgets which outputs the device gave.
    pub(super) fn begin_anew(&mut self) {
        self.came.clear();
    }
}

/// Answers as a prefix tree, rooted at node 0: each node and input map to the output and the next
/// node.
#[derive(Clone, Debug, Default)]
pub(super) struct AnswerTrie(FxHashMap<(u32, Input), (MatchedName, u32)>);

impl AnswerTrie {
    /// Records the answer to a word, or to the part of it that was answered. Returns whether any of
    /// it was new.
    pub(super) fn take(&mut self, word: &[Input], outputs: &[MatchedName]) -> bool {
        let known = self.0.len();
        let mut node = 0;
        for (&input, &output) in word.iter().zip(outputs) {
            let new = u32::try_from(self.0.len() + 1).expect("memory ends before 2^32 nodes");
            node = self.0.entry((node, input)).or_insert((output, new)).1;
        }
        self.0.len() > known
    }

    /// The last output of a word, if all of the word was answered.
    pub(super) fn last(&self, word: &[Input]) -> Option<MatchedName> {
        let mut last = None;
        let mut node = 0;
        for &input in word {
            let &(output, next) = self.0.get(&(node, input))?;
            (last, node) = (Some(output), next);
        }
        last
    }
}
