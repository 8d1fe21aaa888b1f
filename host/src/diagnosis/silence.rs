//! Silences of a device, and the words after which it never answers again.

use std::collections::BTreeSet;
use std::time::Duration;

use mealybug_core::Input;

/// How many words after which a device was silent, and then answered, to keep.
const ALIVE: usize = 10_000;

/// Whether the device recovers after it falls silent.
#[derive(Debug, Default)]
pub(super) struct Silence {
    /// How many of the latest answers of the word were silence.
    pub(super) in_a_row: usize,
    /// The shortest word after which every answer has been silence so far.
    pub(super) dead: Option<Vec<Input>>,
    /// What was sent right after it.
    pub(super) tried: BTreeSet<Input>,
    /// Words after which silences came, and then an answer.
    alive: BTreeSet<Vec<Input>>,
    /// Whether there are too many of them to be kept: then nothing is known to be dead.
    is_full: bool,
    /// The time spent on silence after silence.
    pub(super) eaten: Duration,
    /// The longest time that a silence took.
    pub(super) longest: Duration,
}

impl Silence {
    /// The device was silent at the last input of the word.
    pub(super) fn add(&mut self, word: &[Input], took: Duration) {
        self.in_a_row += 1;
        self.longest = self.longest.max(took);
        if self.in_a_row < 2 {
            return;
        }
        let dead = &word[..=word.len() - self.in_a_row];
        if self.is_full || self.alive.contains(dead) {
            return;
        }
        self.eaten += took;
        if self.dead.as_ref().is_none_or(|known| dead.len() < known.len()) {
            self.dead = Some(dead.to_vec());
            self.tried.clear();
        }
        let next = self.dead.as_ref().filter(|dead| word.starts_with(dead));
        self.tried.extend(next.and_then(|dead| word.get(dead.len())));
    }

    /// The device answered the last input of the word, so no beginning of the word is dead.
    pub(super) fn end(&mut self, word: &[Input]) {
        if self.in_a_row > 1 {
            if self.alive.len() < ALIVE {
                self.alive.insert(word[..word.len() - self.in_a_row].to_vec());
            } else {
                (self.is_full, self.dead) = (true, None);
            }
        }
        self.in_a_row = 0;
        if self.dead.as_ref().is_some_and(|dead| word.starts_with(dead)) {
            self.dead = None;
        }
    }
}
