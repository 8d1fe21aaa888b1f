//! What commonly goes wrong with a device file, noticed while the device is being asked.
//!
//! [`Hints`] hears all that a device is asked and answers, and speaks up when it sees a pattern that
//! has cost people hours: each kind of hint comes once. It decides nothing, and a hint may be
//! wrong: some devices are like that.

#[cfg(test)]
mod tests;
mod varying;

use std::collections::VecDeque;
use std::time::Duration;

use mealybug_core::Input;

pub use varying::Varying;

use crate::escape::unescape;
use crate::word;

/// So many different outputs of one input are looked at.
const OUTPUTS: usize = 8;
/// Of an input's outputs that many are remembered.
const REMEMBERED: usize = 256;
/// A word grows when an end of so many inputs...
const GROWN: usize = 16;
/// ...is a repetition of at most so many.
const PERIOD: usize = 3;
/// Silence eats the time when so much was spent in silence after silence...
const EATEN: Duration = Duration::from_secs(20);
/// ...which is at least one part in so many.
const EATEN_PART: u32 = 4;

/// Notices what commonly goes wrong.
#[derive(Debug)]
pub struct Hints {
    /// The names of the inputs.
    names: Vec<String>,
    /// The word that is being asked, up to now.
    word: Vec<Input>,
    /// The one before, and its first output.
    before: Vec<Input>,
    /// For each input its different outputs, the last ones at the end.
    outputs: Vec<VecDeque<String>>,
    /// For each input its output right after a reset.
    fresh: Vec<Option<String>>,
    /// So many answers of the word were silence, one after the other, up to now.
    silences: usize,
    /// The shortest word after which nothing came any more, as far as it was tried.
    dead: Option<Vec<Input>>,
    /// The time spent in silence after silence.
    eaten: Duration,
    /// The time spent with the device.
    spent: Duration,
    given: Vec<Hint>,
    taken: usize,
}

/// Something that should be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// What kind it is; one of each is given.
    pub kind: Kind,
    /// What was seen, and what to do, for people.
    pub text: String,
}

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Outputs hold a field that changes.
    ChangingOutput,
    /// States keep coming along one word.
    GrowingWord,
    /// After a reset something is left.
    ResetLeaves,
    /// Waiting for a device that says nothing any more takes the time.
    DeadState,
}

impl Kind {
    /// As programs read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChangingOutput => "changing-output",
            Self::GrowingWord => "growing-word",
            Self::ResetLeaves => "reset-leaves",
            Self::DeadState => "dead-state",
        }
    }
}

impl Hints {
    /// Listens to a device with these inputs.
    pub fn new(names: &[String]) -> Self {
        Self {
            names: names.to_vec(),
            word: Vec::new(),
            before: Vec::new(),
            outputs: vec![VecDeque::new(); names.len()],
            fresh: vec![None; names.len()],
            silences: 0,
            dead: None,
            eaten: Duration::ZERO,
            spent: Duration::ZERO,
            given: Vec::new(),
            taken: 0,
        }
    }

    /// The device was reset, which took so long.
    pub fn reset(&mut self, took: Duration) {
        self.spent += took;
        self.silences = 0;
        if !self.word.is_empty() {
            self.before = std::mem::take(&mut self.word);
        }
    }

    /// The device answered.
    pub fn answer(&mut self, input: Input, output: &str, is_silence: bool, took: Duration) {
        self.spent += took;
        self.word.push(input);
        let index = input.index() as usize;
        if self.word.len() == 1 {
            self.look_at_fresh(index, output);
        }
        if is_silence {
            self.silences += 1;
            self.look_at_silence(took);
        } else {
            // A word that leads out of silence was not dead.
            self.silences = 0;
            if self.dead.as_ref().is_some_and(|dead| self.word.starts_with(dead)) {
                self.dead = None;
            }
            self.look_at_output(index, output);
        }
    }

    /// The learner has found a state with this access word, and has so many.
    pub fn state(&mut self, access: &[Input], states: u32) {
        let Some(period) = period(access) else { return };
        let repeated = word::format(&access[access.len() - period..], &self.names);
        let len = access.len();
        self.give(Kind::GrowingWord, || {
            format!(
                "states keep coming along one word: the newest of {states} is reached by {len} inputs \
                 that end in `{repeated}` again and again. If the device counts or stores something \
                 there that you do not want to learn, leave that input out, undo it in the [[reset]], \
                 or take the number out of the answers with `strip`"
            )
        });
    }

    /// Hints that were not taken yet.
    pub fn take(&mut self) -> &[Hint] {
        let from = std::mem::replace(&mut self.taken, self.given.len());
        &self.given[from..]
    }

    /// All hints that were given.
    pub fn given(&self) -> &[Hint] {
        &self.given
    }

    /// Right after a reset each input has one answer.
    fn look_at_fresh(&mut self, index: usize, output: &str) {
        let known = match self.fresh.get_mut(index) {
            Some(Some(known)) if known != output => known.clone(),
            Some(fresh) => {
                fresh.get_or_insert_with(|| output.to_owned());
                return;
            }
            None => return,
        };
        let name = word::quote(&self.names[index]);
        let before = word::format(&self.before, &self.names);
        self.give(Kind::ResetLeaves, || {
            format!(
                "right after a reset `{name}` was answered `{known}` before, and now `{output}`, after the \
                 word `{before}`: the [[reset]] may leave something behind, or the answer changes by \
                 itself. `mealybug check` finds out which"
            )
        });
    }

    fn look_at_output(&mut self, index: usize, output: &str) {
        if self.has_given(Kind::ChangingOutput) {
            return;
        }
        let Some(outputs) = self.outputs.get_mut(index) else { return };
        if outputs.iter().any(|known| known == output) {
            return;
        }
        if outputs.len() == REMEMBERED {
            outputs.pop_front();
        }
        outputs.push_back(output.to_owned());
        if outputs.len() < OUTPUTS {
            return;
        }
        let last: Vec<_> = outputs.iter().rev().take(OUTPUTS).map(|output| bytes(output)).collect();
        let last: Vec<_> = last.iter().map(Vec::as_slice).collect();
        let Some(varying) = Varying::find(&last) else { return };
        let (count, name) = (outputs.len(), word::quote(&self.names[index]));
        self.give(Kind::ChangingOutput, || {
            format!(
                "`{name}` keeps giving new answers ({count} so far) that differ in one field only: {}. If \
                 that is a clock, a counter or an address, take it away in [reply]: {}",
                varying.shown,
                varying.strip_line()
            )
        });
    }

    fn look_at_silence(&mut self, took: Duration) {
        if self.silences < 2 {
            return;
        }
        self.eaten += took;
        let dead = &self.word[..=self.word.len() - self.silences];
        if self.dead.as_ref().is_none_or(|known| dead.len() < known.len()) {
            self.dead = Some(dead.to_vec());
        }
        if self.eaten < EATEN || self.eaten * EATEN_PART < self.spent {
            return;
        }
        let dead = self.dead.clone().unwrap_or_default();
        let dead = word::format(&dead, &self.names);
        let percent = self.eaten.as_secs_f64() / self.spent.as_secs_f64() * 100.0;
        self.give(Kind::DeadState, || {
            format!(
                "{percent:.0} % of the time is spent waiting for answers that do not come: after `{dead}` \
                 the device says nothing any more. A shorter `within_ms` makes each of them cheaper \
                 (`mealybug check` says how short it may be); or leave out the input that leads there"
            )
        });
    }

    fn has_given(&self, kind: Kind) -> bool {
        self.given.iter().any(|hint| hint.kind == kind)
    }

    fn give(&mut self, kind: Kind, text: impl FnOnce() -> String) {
        if !self.has_given(kind) {
            self.given.push(Hint { kind, text: text() });
        }
    }
}

/// The bytes of a reply whose name this is.
fn bytes(name: &str) -> Vec<u8> {
    unescape(name).unwrap_or_else(|| name.as_bytes().to_vec())
}

/// How many inputs are repeated at the end of a long word, if it is a repetition.
fn period(word: &[Input]) -> Option<usize> {
    let end = &word[word.len().checked_sub(GROWN)?..];
    (1..=PERIOD).find(|&period| end.iter().zip(&end[period..]).all(|(one, other)| one == other))
}
