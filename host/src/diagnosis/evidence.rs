//! The evidence: what a device was asked, what it answered, and when.
//!
//! One collector for everybody who asks. A learner's words are too many to be kept, so of them only
//! the answers right after a reset are; of the words of a plan all are.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use mealybug_core::Input;

use super::device_file::EditableDeviceFile;
use super::exchange::Exchange;
use super::timing::{Spread, Timing};
use crate::escape::unescape;
use crate::export::shown;
use crate::word;

/// How many different outputs of one input, or answers to one word, are remembered.
const REMEMBERED: usize = 256;
/// How many characters of an output are shown.
const SHOWN: usize = 60;

/// What a device was asked and answered.
#[derive(Debug)]
pub struct Evidence {
    names: Vec<String>,
    /// The file that describes the device, where somebody can change it.
    pub(super) file: Option<EditableDeviceFile>,
    /// Whether there is such a file at all.
    pub(super) has_file: bool,
    /// How long the words are whose answers are kept.
    depth: usize,
    /// How many words were begun, and how long the longest was.
    words: u32,
    pub(super) longest_word: usize,
    /// The word that is being asked, up to now, and how long it has taken.
    word: Vec<Input>,
    took: Duration,
    /// The word before it.
    before: Option<Vec<Input>>,
    /// The answers to the last input of words from a reset on, in their order.
    answers: BTreeMap<Vec<Input>, Vec<Run>>,
    /// For each input its different outputs, the last ones at the end.
    pub(super) outputs: Vec<VecDeque<String>>,
    /// For each input how long its replies took, where that was measured.
    pub(super) timings: Vec<Timing>,
    /// How long inputs took that were answered.
    pub(super) answered: Spread,
    /// The time spent with the device.
    pub(super) spent: Duration,
    pub(super) silence: Silence,
    /// The access word of the state that was found last, and how many states there are.
    pub(super) newest_state: (Vec<Input>, u32),
    /// Differences that were looked into.
    pub(super) trials: Vec<Trial>,
    /// Why words failed, and how many.
    pub(super) faults: Vec<(String, u32)>,
}

/// An input and its answer.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// The input.
    pub input: Input,
    /// The name of the output.
    pub output: &'a str,
    /// Whether it says that nothing came.
    pub is_silence: bool,
    /// How long it took.
    pub took: Duration,
}

/// The same answer to a word, several times in a row.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) output: String,
    /// The bytes that it is the name of.
    pub(super) reply: Vec<u8>,
    /// How often it came.
    pub(super) count: u32,
    /// The word that was asked before the reset, the first time.
    pub(super) after: Option<Vec<Input>>,
    /// How long after the reset it came, the first time.
    pub(super) at: Duration,
}

/// What became of the device after it fell silent.
#[derive(Debug, Default)]
pub(super) struct Silence {
    /// How many answers of the word were silence, one after the other, up to now.
    in_a_row: usize,
    /// The shortest word after which nothing came any more, as far as it was tried.
    pub(super) dead: Option<Vec<Input>>,
    /// The time spent in silence after silence.
    pub(super) eaten: Duration,
}

/// A word with two answers, asked again after the words that had come before each of them.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) word: Vec<Input>,
    pub(super) outputs: [String; 2],
    /// What was asked before the reset when each came; nothing at the beginning.
    pub(super) after: [Option<Vec<Input>>; 2],
    /// Whether the word before the reset decides on the answer.
    pub(super) is_by_reset: bool,
}

impl Evidence {
    /// Nothing yet of a device with these inputs; `has_file` says whether a device file describes
    /// it.
    pub(super) fn new(names: &[String], has_file: bool) -> Self {
        Self {
            names: names.to_vec(),
            file: None,
            has_file,
            depth: 1,
            words: 0,
            longest_word: 0,
            word: Vec::new(),
            took: Duration::ZERO,
            before: None,
            answers: BTreeMap::new(),
            outputs: vec![VecDeque::new(); names.len()],
            timings: vec![Timing::default(); names.len()],
            answered: Spread::default(),
            spent: Duration::ZERO,
            silence: Silence::default(),
            newest_state: (Vec::new(), 0),
            trials: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Nothing yet of the device that this file describes, asked by a plan; the answers to words of
    /// at most `depth` inputs are kept.
    pub(super) fn of_plan(file: EditableDeviceFile, depth: usize) -> Self {
        let names: Vec<_> = file.device().inputs.iter().map(|input| input.name.clone()).collect();
        Self { file: Some(file), depth, ..Self::new(&names, true) }
    }

    /// The device was reset, which took so long.
    pub(super) fn reset(&mut self, took: Duration) {
        self.spent += took;
        self.took = Duration::ZERO;
        self.silence.in_a_row = 0;
        self.words += 1;
        if !self.word.is_empty() {
            self.before = Some(std::mem::take(&mut self.word));
        }
    }

    /// Something came after the end of a reply to this input.
    pub(super) fn late(&mut self, input: Input) {
        self.timings[input.index() as usize].late += 1;
    }

    /// Measures how long a reply took, and returns what of it counts.
    pub(super) fn measure(&mut self, input: Input, exchange: Option<&Exchange>) -> Option<Vec<u8>> {
        let device = self.file.as_ref()?.device();
        let number = input.index() as usize;
        let rule = &device.inputs[number];
        let exchange = exchange?;
        self.timings[number].add(&rule.reply, exchange);
        Some(exchange.body(device, rule))
    }

    /// The device answered, with these bytes where they are known; whether that tells a detector
    /// anything new.
    pub(super) fn answer(&mut self, answer: &Answer<'_>, reply: Option<Vec<u8>>) -> bool {
        let Answer { input, output, is_silence, took } = *answer;
        self.spent += took;
        self.took += took;
        self.word.push(input);
        self.longest_word = self.longest_word.max(self.word.len());
        let is_other = self.word.len() <= self.depth && self.keep(output, reply);
        if is_silence {
            self.silence.add(&self.word, took);
            return true;
        }
        self.silence.end(&self.word);
        self.answered.add(took);
        let Some(outputs) = self.outputs.get_mut(input.index() as usize) else { return is_other };
        let is_new = !outputs.iter().any(|known| known == output);
        if is_new {
            if outputs.len() == REMEMBERED {
                outputs.pop_front();
            }
            outputs.push_back(output.to_owned());
        }
        is_new || is_other
    }

    /// Keeps the answer to the word; whether it is another one than the last time.
    fn keep(&mut self, output: &str, reply: Option<Vec<u8>>) -> bool {
        let runs = self.answers.entry(self.word.clone()).or_default();
        if let Some(last) = runs.last_mut().filter(|last| last.output == output) {
            last.count += 1;
            return false;
        }
        if runs.len() < REMEMBERED {
            runs.push(Run {
                output: output.to_owned(),
                reply: reply.unwrap_or_else(|| bytes(output)),
                count: 1,
                after: self.before.clone(),
                at: self.took,
            });
        }
        true
    }

    /// A word failed.
    pub(super) fn fault(&mut self, message: String) {
        match self.faults.iter_mut().find(|(known, _)| *known == message) {
            Some((_, count)) => *count += 1,
            None => self.faults.push((message, 1)),
        }
    }

    /// How many words were asked.
    pub fn words(&self) -> u32 {
        self.words
    }

    /// Each input's timing, by its number.
    pub fn timings(&self) -> &[Timing] {
        &self.timings
    }

    /// The first answer to an input from a reset on.
    pub fn first_answer(&self, input: Input) -> Option<&str> {
        Some(self.runs(&[input]).first()?.output.as_str())
    }

    /// The answers to the last input of a word.
    pub(super) fn runs(&self, word: &[Input]) -> &[Run] {
        self.answers.get(word).map_or(&[], Vec::as_slice)
    }

    /// All words whose answers are kept, with the answers to their last inputs.
    pub(super) fn answers(&self) -> impl Iterator<Item = (&[Input], &[Run])> {
        self.answers.iter().map(|(word, runs)| (word.as_slice(), runs.as_slice()))
    }

    /// The words that were answered in different ways at their last input and at no input before it,
    /// short ones first.
    pub(super) fn differences(&self) -> Vec<&[Input]> {
        let differs = |word: &[Input]| self.runs(word).len() > 1;
        let mut words: Vec<_> = self.answers().map(|(word, _)| word).collect();
        words.retain(|word| differs(word) && !(1..word.len()).any(|len| differs(&word[..len])));
        words.sort_by_key(|word| word.len());
        words
    }

    /// An input, for people.
    pub(super) fn input(&self, input: usize) -> String {
        word::quote(&self.names[input])
    }

    /// A word, for people.
    pub(super) fn shown(&self, word: &[Input]) -> String {
        word::format(word, &self.names)
    }
}

impl Silence {
    /// One more input of the word was not answered.
    fn add(&mut self, word: &[Input], took: Duration) {
        self.in_a_row += 1;
        if self.in_a_row < 2 {
            return;
        }
        self.eaten += took;
        let dead = &word[..=word.len() - self.in_a_row];
        if self.dead.as_ref().is_none_or(|known| dead.len() < known.len()) {
            self.dead = Some(dead.to_vec());
        }
    }

    /// The last input of the word was answered: what leads there was not dead.
    fn end(&mut self, word: &[Input]) {
        self.in_a_row = 0;
        if self.dead.as_ref().is_some_and(|dead| word.starts_with(dead)) {
            self.dead = None;
        }
    }
}

/// The bytes of a reply whose name this is.
pub(super) fn bytes(name: &str) -> Vec<u8> {
    unescape(name).unwrap_or_else(|| name.as_bytes().to_vec())
}

/// An output, for people: not too long.
pub(super) fn short(output: &str) -> String {
    match output.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &output[..end]),
        None => shown(output).to_owned(),
    }
}
