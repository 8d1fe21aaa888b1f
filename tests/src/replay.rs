//! Compares a device with a golden model by replaying words: every transition of the model,
//! followed by the words that separate its states.
//!
//! A device that has no more states than the model and answers all these words like the model is
//! equal to it (Chow, *Testing software design modeled by finite-state machines*, 1978).

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Mutex;

use mealybug::machine::{Machine, separate_by};
use mealybug_core::{Input, Mealy, Output, Sul};

/// The words to replay.
pub fn words(model: &Machine) -> Vec<Vec<Input>> {
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
/// The device failed, or its answers to some words differ from the model's; the message lists these
/// words.
pub fn compare<S: Sul<Error = io::Error> + Send>(
    model: &Machine,
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

/// How the device's answer to `word` differs from the model's; `None` if it does not.
fn compare_word<S: Sul>(
    model: &Machine,
    word: &[Input],
    device: &mut S,
) -> Result<Option<String>, S::Error> {
    device.reset()?;
    let mut state = model.initial();
    for (at, input) in word.iter().enumerate() {
        let expected =
            model.step(&mut state, *input).map_or("", |output| model.output_name(output));
        let said = device.step(*input)?;
        if said != expected.as_bytes() {
            let word: Vec<_> = word[..=at].iter().map(|&input| model.input_name(input)).collect();
            return Ok(Some(format!(
                "{}: the device says \"{}\", the model \"{expected}\"",
                word.join(", "),
                said.escape_ascii()
            )));
        }
    }
    Ok(None)
}

fn inputs(model: &Machine) -> impl Iterator<Item = Input> + use<> {
    (0..Mealy::inputs(model)).map(Input::new)
}

/// A shortest word to each state.
fn access_words(model: &Machine) -> BTreeMap<u32, Vec<Input>> {
    let mut found = BTreeMap::from([(model.initial(), Vec::new())]);
    let mut todo = VecDeque::from([model.initial()]);
    while let Some(state) = todo.pop_front() {
        for input in inputs(model) {
            let (next, _) = model.expect_transition(state, input);
            if !found.contains_key(&next) {
                found.insert(next, [&found[&state][..], &[input]].concat());
                todo.push_back(next);
            }
        }
    }
    found
}

/// Words that separate every two states; no word is a prefix of another.
///
/// # Panics
/// The model is not minimal.
fn separating(model: &Machine) -> Vec<Vec<Input>> {
    let mut words: Vec<Vec<Input>> = Vec::new();
    for (state, other) in (0..model.states()).flat_map(|s| (0..s).map(move |other| (s, other))) {
        let [one, other] = [state, other].map(|state| StartedAt { model, state });
        if !words.iter().any(|word| one.answer(word) != other.answer(word)) {
            let word = separate_by(&one, &other, |one, other| one == other);
            words.push(word.expect("golden models are minimal"));
        }
    }
    let all = words.clone();
    words.retain(|word| {
        !all.iter().any(|longer| longer.len() > word.len() && longer.starts_with(word))
    });
    words
}

/// A model that starts in another state.
#[derive(Clone, Copy)]
struct StartedAt<'m> {
    model: &'m Machine,
    state: u32,
}

impl StartedAt<'_> {
    fn answer(self, word: &[Input]) -> Vec<Option<Output>> {
        let mut state = self.state;
        word.iter().map(|&input| self.step(&mut state, input)).collect()
    }
}

impl Mealy for StartedAt<'_> {
    type State = u32;

    fn inputs(&self) -> u32 {
        Mealy::inputs(self.model)
    }

    fn initial(&self) -> u32 {
        self.state
    }

    fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
        self.model.step(state, input)
    }
}
