//! Names of states: `locked` instead of 3.
//!
//! A name belongs to a word that leads to the state, or to an output that marks it, and not to a number: a device that is
//! learned anew has other numbers. People write names in a device file (`[[state]]`) or in a file `states.toml` beside a model:
//!
//! ```toml
//! locked = ""               # the initial state
//! open = "1 2 enter"
//! ```
//!
//! [`Naming`] gives a machine names from several such places, and [`NameSources`] are those of a run. A name that does not fit is
//! left out with a note, and is never an error: a run that has learned a device must not be lost for a name.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use mealybug_core::{Input, Mealy};
use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;
use toml_edit::{Document, Item, Key, Value};

use crate::escape::is_hidden;
use crate::machine::{Machine, Transition};
use crate::word::{self, UnknownInput};

pub use sources::NameSources;

/// The maximum number of characters of a name.
const MAX_CHARACTERS: usize = 60;

/// An output that leads to more states marks none of them.
const MAX_MARKED: usize = 100;

/// The first line of a file of names.
pub const HEADER: &str =
    "# Names of states: a word that leads to each from a reset; \"\" is the initial state.";

/// The names in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateNames {
    /// The path of the file, for notes.
    pub file: String,
    /// In the order of the file.
    pub states: Vec<NamedState>,
}

/// A name, and the states that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedState {
    /// The name.
    pub name: String,
    /// The states.
    pub mark: StateMark,
    /// The line in the file.
    pub line: usize,
}

/// What marks a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateMark {
    /// The word leads there from a reset.
    Word(String),
    /// A transition with this output leads there: on this input, or on any.
    Output {
        /// The output.
        output: String,
        /// The input.
        input: Option<String>,
    },
}

/// A file of names that cannot be read.
#[derive(Debug, Error, Diagnostic)]
#[error("{message}")]
#[diagnostic(help("each line is a name and a word, such as open = \"1 2 enter\""))]
pub struct StateNamesError {
    message: String,
    #[source_code]
    file: NamedSource<String>,
    #[label("here")]
    place: SourceSpan,
    line: usize,
}

impl StateNamesError {
    fn new(file: &str, text: &str, place: Range<usize>, message: String) -> Box<Self> {
        let line = line_of(text, place.start);
        let file = NamedSource::new(file, text.to_owned()).with_language("TOML");
        Box::new(Self { message, file, place: place.into(), line })
    }

    /// The error as a note.
    pub fn note(&self) -> String {
        format!("{}:{}: {}", self.file.name(), self.line, self.message)
    }
}

impl StateNames {
    /// Reads a file of names; `None` if there is no such file.
    ///
    /// # Errors
    /// It cannot be read, or as in [`parse`](Self::parse).
    pub fn load(path: &Path) -> Result<Option<Self>, Box<StateNamesError>> {
        let file = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&file, &text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let message = format!("cannot read the names of states: {error}");
                Err(StateNamesError::new(&file, "", 0..0, message))
            }
        }
    }

    /// Reads the `text` of a file of names.
    ///
    /// # Errors
    /// It is not TOML, a name cannot be one, or a value is not text.
    pub fn parse(file: &str, text: &str) -> Result<Self, Box<StateNamesError>> {
        let fault = |place, message| StateNamesError::new(file, text, place, message);
        let document = Document::parse(text).map_err(|error| {
            let place = error.span().unwrap_or(0..0);
            fault(place, format!("this is not TOML: {}", error.message()))
        })?;
        let table = document.as_table();
        let mut states = Vec::new();
        for (name, item) in table {
            let place = table.key(name).and_then(Key::span).unwrap_or(0..0);
            if let Some(wrong) = wrong_name(name) {
                return Err(fault(place, format!("a state cannot be called so: {wrong}")));
            }
            let Item::Value(Value::String(word)) = item else {
                return Err(fault(place, "the word of this name is not text".to_owned()));
            };
            let mark = StateMark::Word(word.value().clone());
            states.push(NamedState {
                name: name.to_owned(),
                mark,
                line: line_of(text, place.start),
            });
        }
        states.sort_by_key(|state| state.line);
        Ok(Self { file: file.to_owned(), states })
    }
}

/// The text of a file with the names of a machine, each with a shortest word.
pub fn text(machine: &Machine) -> String {
    let mut text = format!("{HEADER}\n");
    if !machine.has_state_names() {
        return text;
    }
    let words = machine.access_words();
    for &state in words.states() {
        if let Some(name) = machine.state_name(state) {
            text.push_str(&line(name, &word::format(&words.word(state), machine.inputs())));
        }
    }
    text
}

/// A line of a file of names.
fn line(name: &str, word: &str) -> String {
    format!("{} = {}\n", Key::new(name), Value::from(word).decorated("", ""))
}

/// The number of the line with this byte.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

/// Why a state cannot be called so.
pub(crate) fn wrong_name(name: &str) -> Option<String> {
    let digits = name.strip_prefix('s').unwrap_or(name);
    if name.trim() != name || name.is_empty() {
        Some("a name has a character that is seen, and no blanks around it".to_owned())
    } else if let Some(hidden) = name.chars().find(|&c| is_hidden(c)) {
        Some(format!("it has a hidden character, U+{:04X}", u32::from(hidden)))
    } else if name.chars().count() > MAX_CHARACTERS {
        Some(format!("it has more than {MAX_CHARACTERS} characters"))
    } else if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Some("this is the number of a state".to_owned())
    } else {
        None
    }
}

/// A machine that is given names. Of two names for a state, or two states for a name, the first one counts.
#[derive(Clone, Debug)]
pub struct Naming {
    machine: Machine,
    names: BTreeMap<u32, String>,
    notes: Vec<String>,
}

impl Naming {
    /// Begins with the names that the machine has.
    pub fn new(machine: Machine) -> Self {
        let names = (0..machine.states())
            .filter_map(|state| Some((state, machine.state_name(state)?.to_owned())))
            .collect();
        Self { machine, names, notes: Vec::new() }
    }

    /// Gives the names in a file.
    pub fn give(&mut self, names: &StateNames) {
        for NamedState { name, mark, line } in &names.states {
            let given = match mark {
                StateMark::Word(word) => {
                    self.reached(word).and_then(|state| self.call(state, name))
                }
                StateMark::Output { output, input } => {
                    self.call_marked(name, output, input.as_deref())
                }
            };
            if let Err(why) = given {
                self.notes.push(format!("{}:{line}: `{name}` names no state: {why}", names.file));
            }
        }
    }

    /// Gives the names of an older machine that are not given yet: each goes to the state to which the same word leads, if
    /// the answers on the way and those to each input in the state are the same, as far as both machines know them.
    pub fn carry_over(&mut self, older: &Machine, older_name: &str) {
        let words = older.access_words();
        for &state in words.states() {
            let Some(name) = older.state_name(state) else { continue };
            if self.names.values().any(|known| known == name) {
                continue;
            }
            let like = self.like(older, state, &words.word(state));
            let given = like.and_then(|state| self.call(state, name));
            if let Err(why) = given {
                self.notes.push(format!("`{name}` of {older_name} is not carried over: {why}"));
            }
        }
    }

    /// Adds a note.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// The machine with its names, and a sentence about each that does not fit.
    pub fn finish(self) -> (Machine, Vec<String>) {
        (self.machine.with_state_names(self.names), self.notes)
    }

    fn call(&mut self, state: u32, name: &str) -> Result<(), String> {
        match self.names.get(&state) {
            Some(known) if known == name => Ok(()),
            Some(known) => Err(format!(
                "its state is called `{known}`; one of the names is too many, or the model has too few states"
            )),
            None if self.names.values().any(|known| known == name) => {
                Err("another state is called so; choose another name".to_owned())
            }
            None => {
                self.names.insert(state, name.to_owned());
                Ok(())
            }
        }
    }

    /// Names the states without a name to which a transition with this output leads: `name`, `name (2)`, …
    fn call_marked(&mut self, name: &str, output: &str, input: Option<&str>) -> Result<(), String> {
        let Self { machine, .. } = self;
        if let Some(input) = input.filter(|input| machine.find_input(input).is_none()) {
            return Err(unknown_input(&UnknownInput::new(input, machine.inputs())));
        }
        let is_marked = |input_name: &str, known: &Transition| {
            let is_input = input.is_none_or(|input| input == input_name);
            !known.is_open && is_input && machine.output_name(known.output) == output
        };
        let marked: BTreeSet<u32> = machine
            .transitions()
            .filter(|(_, input, known)| is_marked(machine.input_name(*input), known))
            .map(|(.., known)| known.target)
            .collect();
        if marked.is_empty() {
            let nearest = word::nearest(output, machine.outputs());
            let nearest = nearest.map_or(String::new(), |name| format!(": did you mean `{name}`?"));
            let on = input.map_or(String::new(), |input| format!(" on `{input}`"));
            return Err(format!(
                "no transition{on} is known to have the output `{output}`{nearest}"
            ));
        }
        if marked.len() > MAX_MARKED {
            let states = marked.len();
            return Err(format!(
                "the output `{output}` leads to {states} states, more than {MAX_MARKED}; give an input with it, or a word"
            ));
        }
        for state in marked {
            if !self.names.contains_key(&state) {
                let numbered = (2_u64..).map(|number| format!("{name} ({number})"));
                let is_free = |name: &String| !self.names.values().any(|known| known == name);
                let free = [name.to_owned()].into_iter().chain(numbered).find(is_free);
                self.names.insert(state, free.expect("there are numbers enough"));
            }
        }
        Ok(())
    }

    /// The state to which a word leads.
    fn reached(&self, word: &str) -> Result<u32, String> {
        let word =
            word::parse(word, self.machine.inputs()).map_err(|error| unknown_input(&error))?;
        let mut state = self.machine.initial();
        for (at, &input) in word.iter().enumerate() {
            state = self.next(state, &word[..at], input)?.target;
        }
        Ok(state)
    }

    /// The transition from a state that these inputs reach, if it is known where it leads.
    fn next(&self, state: u32, before: &[Input], input: Input) -> Result<Transition, String> {
        let known = self.machine.transition(state, input);
        if let Some(known) = known.filter(|known| !known.is_open) {
            return Ok(known);
        }
        let place = place(before, input, &self.machine);
        let what = match known {
            Some(_) => format!("where {place} leads is a guess"),
            None => format!("{place} was never asked"),
        };
        Err(format!("{what}; learn more of the device, or give another word"))
    }

    /// The state that is like the one of an older machine to which this word leads there.
    fn like(&self, older: &Machine, state: u32, word: &[Input]) -> Result<u32, String> {
        let (mut then, mut now) = (older.initial(), self.machine.initial());
        // The word with the inputs of this machine.
        let mut before = Vec::new();
        for (at, &input) in word.iter().enumerate() {
            self.same_answer((older, then), now, &word[..at], input)?;
            let name = older.input_name(input);
            let here = self.machine.find_input(name);
            let here = here.ok_or_else(|| format!("there is no input `{name}` any more"))?;
            now = self.next(now, &before, here)?.target;
            then = older.transition(then, input).map_or(state, |known| known.target);
            before.push(here);
        }
        for input in (0..Mealy::inputs(older)).map(Input::new) {
            self.same_answer((older, state), now, word, input)?;
        }
        Ok(now)
    }

    /// Whether the states of both machines, which these inputs reach, answer an input alike, as far as both know.
    fn same_answer(
        &self,
        (older, then): (&Machine, u32),
        now: u32,
        before: &[Input],
        input: Input,
    ) -> Result<(), String> {
        let here = self.machine.find_input(older.input_name(input));
        let said = |machine: &Machine, state, input| {
            let known = machine.transition(state, input)?;
            Some(machine.output_name(known.output).to_owned())
        };
        let answers =
            said(older, then, input).zip(here.and_then(|input| said(&self.machine, now, input)));
        match answers {
            Some((then, now)) if then != now => {
                let place = place(before, input, older);
                Err(format!("{place} is answered `{now}`, no longer `{then}`"))
            }
            _ => Ok(()),
        }
    }
}

/// An input and where it stands: ``` `enter` after `1 2` ```.
fn place(before: &[Input], input: Input, machine: &Machine) -> String {
    let input = machine.input_name(input);
    match before {
        [] => format!("`{input}` after a reset"),
        before => format!("`{input}` after `{}`", word::format(before, machine.inputs())),
    }
}

fn unknown_input(error: &UnknownInput) -> String {
    match error.help() {
        Some(help) if error.nearest.is_none() => format!("{error}; {help}"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
