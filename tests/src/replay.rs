//! Comparing a device with a golden model by replaying words: every transition of the model,
//! followed by the words that tell its states apart.
//!
//! A device that has no more states than the model and answers all these words as the model
//! does is equal to the model (Chow, *Testing software design modeled by finite-state machines*,
//! 1978).

use std::collections::VecDeque;
use std::collections::btree_map::{BTreeMap, Entry};
use std::io;
use std::sync::Mutex;

use mealybug_core::{Input, Mealy, Sul};

use crate::golden::Golden;

/// The words to replay.
pub fn words(model: &Golden) -> Vec<Vec<Input>> {
    let suffixes = separating(model);
    let mut words = Vec::new();
    for access in access_words(model).values() {
        for input in inputs(model) {
            for suffix in &suffixes {
                words.push([access, &[input][..], suffix].concat());
            }
        }
    }
    words
}

/// Asks all `words` on several devices at once, one thread each, and compares the answers.
///
/// # Errors
/// The device failed, or a word was answered in another way than the model does; all such
/// words are told.
pub fn compare<S: Sul<Error = io::Error> + Send>(
    model: &Golden,
    words: &[Vec<Input>],
    devices: Vec<S>,
) -> io::Result<()> {
    let todo = Mutex::new(words.iter());
    let next = || todo.lock().expect("no thread panics with the lock").next();
    let ask_all = |mut device: S| -> io::Result<Vec<String>> {
        let mut differences = Vec::new();
        while let Some(word) = next() {
            differences.extend(compare_word(model, word, &mut device)?);
        }
        Ok(differences)
    };
    let differences = std::thread::scope(|scope| {
        let ask_all = &ask_all;
        let start = |device| scope.spawn(move || ask_all(device));
        let threads: Vec<_> = devices.into_iter().map(start).collect();
        let results: io::Result<Vec<_>> =
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
        results.map(|differences| differences.concat())
    })?;
    if differences.is_empty() { Ok(()) } else { Err(io::Error::other(differences.join("\n"))) }
}

/// How the device's answer to `word` differs from the model's, if it does.
fn compare_word<S: Sul>(
    model: &Golden,
    word: &[Input],
    device: &mut S,
) -> Result<Option<String>, S::Error> {
    device.reset()?;
    let mut state = model.initial();
    for (at, input) in word.iter().enumerate() {
        let expected = model.step(&mut state, *input).map_or("", |output| model.output(output));
        let said = device.step(*input)?;
        if said != expected.as_bytes() {
            let word: Vec<_> = word[..=at].iter().map(|input| name(model, *input)).collect();
            return Ok(Some(format!(
                "{}: the device says \"{}\", the model \"{expected}\"",
                word.join(", "),
                said.escape_ascii()
            )));
        }
    }
    Ok(None)
}

fn name(model: &Golden, input: Input) -> &str {
    &model.inputs()[input.index() as usize]
}

fn inputs(model: &Golden) -> impl Iterator<Item = Input> + use<> {
    (0..Mealy::inputs(model)).map(Input::new)
}

/// A shortest word to each state.
fn access_words(model: &Golden) -> BTreeMap<usize, Vec<Input>> {
    let mut found = BTreeMap::from([(model.initial(), Vec::new())]);
    let mut todo = VecDeque::from([model.initial()]);
    while let Some(state) = todo.pop_front() {
        for input in inputs(model) {
            let mut next = state;
            model.step(&mut next, input);
            if !found.contains_key(&next) {
                found.insert(next, [&found[&state][..], &[input]].concat());
                todo.push_back(next);
            }
        }
    }
    found
}

/// Words that tell every two states apart, none a prefix of another.
///
/// # Panics
/// When the model is not minimal.
fn separating(model: &Golden) -> Vec<Vec<Input>> {
    let mut words: Vec<Vec<Input>> = Vec::new();
    for one in 0..model.states() {
        for other in 0..one {
            if !words.iter().any(|word| answer(model, one, word) != answer(model, other, word)) {
                let word = separating_word(model, one, other);
                words.push(word.expect("golden models are minimal"));
            }
        }
    }
    let all = words.clone();
    words.retain(|word| {
        !all.iter().any(|longer| longer.len() > word.len() && longer.starts_with(word))
    });
    words
}

fn answer<'m>(model: &'m Golden, mut state: usize, word: &[Input]) -> Vec<&'m str> {
    word.iter()
        .filter_map(|input| model.step(&mut state, *input))
        .map(|output| model.output(output))
        .collect()
}

/// A shortest word that `one` and `other` answer differently.
fn separating_word(model: &Golden, one: usize, other: usize) -> Option<Vec<Input>> {
    let mut words = BTreeMap::from([((one, other), Vec::new())]);
    let mut todo = VecDeque::from([(one, other)]);
    while let Some(pair) = todo.pop_front() {
        for input in inputs(model) {
            let mut next = pair;
            let word = [&words[&pair][..], &[input]].concat();
            if model.step(&mut next.0, input) != model.step(&mut next.1, input) {
                return Some(word);
            }
            if let Entry::Vacant(new) = words.entry(next) {
                new.insert(word);
                todo.push_back(next);
            }
        }
    }
    None
}
