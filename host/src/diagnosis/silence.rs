//! Silences of a device, and the words after which it never answers again.

use std::collections::BTreeSet;
use std::time::Duration;

use mealybug_core::Input;

/// How many words after which a device was silent, and then answered, to keep.
const ALIVE: usize = 10_000;

/// Whether the device recovers after it falls silent.
///
/// The words of a test reach a state in ever new ways, and not each of them shows that the device speaks there. So a word
/// counts only if it is hardly longer than the words that the learner has for states.
#[derive(Debug, Default)]
pub(super) struct Silence {
    /// The length of the longest access word.
    longest_access: usize,
    /// How many of the latest answers of the word were silence.
    pub(super) in_a_row: usize,
    /// The shortest word whose last input, and every input after it, was met with silence so far.
    pub(super) dead: Option<Vec<Input>>,
    /// What was sent right after it.
    pub(super) tried: BTreeSet<Input>,
    /// Words that end in a silence after which the device answered.
    alive: BTreeSet<Vec<Input>>,
    /// Whether there are too many of them to be kept: then nothing is known to be dead.
    is_full: bool,
    /// The time spent on silence after silence, after which the device did not answer before the next reset.
    pub(super) eaten: Duration,
    /// The part of it that the latest answers took.
    eaten_in_a_row: Duration,
    /// The longest time that a silence took.
    pub(super) longest: Duration,
}

impl Silence {
    /// The learner has a state with this access word.
    pub(super) fn reach(&mut self, access: &[Input]) {
        self.longest_access = self.longest_access.max(access.len());
    }

    /// The length of the longest word that can be the first to be silent in a state that the learner looks at: it leads to a
    /// state, then to the next one, and is silent there.
    fn longest_dead(&self) -> usize {
        self.longest_access + 2
    }

    /// The device was silent at the last input of the word.
    pub(super) fn add(&mut self, word: &[Input], took: Duration) {
        self.in_a_row += 1;
        if self.in_a_row == 1 {
            self.eaten_in_a_row = Duration::ZERO;
        }
        self.longest = self.longest.max(took);
        if self.in_a_row < 2 {
            return;
        }
        let dead = &word[..=word.len() - self.in_a_row];
        if self.is_full || self.alive.contains(dead) {
            return;
        }
        if dead.len() > self.longest_dead() {
            return;
        }
        self.eaten += took;
        self.eaten_in_a_row += took;
        if self.dead.as_ref().is_none_or(|known| dead.len() < known.len()) {
            self.dead = Some(dead.to_vec());
            self.tried.clear();
        }
        let next = self.dead.as_ref().filter(|dead| word.starts_with(dead));
        self.tried.extend(next.and_then(|dead| word.get(dead.len())));
    }

    /// The device answered the last input of the word, so no beginning of the word is dead.
    pub(super) fn end(&mut self, word: &[Input]) {
        let silent = &word[..word.len() - self.in_a_row];
        // Those that are too long now may count when the learner has come farther.
        let is_near = self.in_a_row > 0 && silent.len() <= 2 * self.longest_dead();
        if is_near && !self.alive.contains(silent) {
            self.keep(silent.to_vec());
        }
        if self.in_a_row > 0 {
            self.eaten -= std::mem::take(&mut self.eaten_in_a_row);
        }
        self.in_a_row = 0;
        if self.dead.as_ref().is_some_and(|dead| word.starts_with(dead)) {
            self.dead = None;
        }
    }

    /// Keeps a word after which the device answered.
    fn keep(&mut self, word: Vec<Input>) {
        if self.alive.len() >= ALIVE {
            let longest = self.longest_dead();
            self.alive.retain(|word| word.len() <= longest);
        }
        if self.alive.len() < ALIVE {
            self.alive.insert(word);
        } else {
            (self.is_full, self.dead) = (true, None);
        }
    }
}
