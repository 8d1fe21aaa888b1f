//! `[[state]]`: what states of the device are called.

use std::collections::HashMap;

use mealybug_core::Input;
use miette::Diagnostic;

use super::error::FileFault;
use super::fields::{Fields, TomlField, Value};
use crate::state_names::{NamedState, StateMark, line_of, wrong_name};
use crate::word::{self, UnknownInput};

/// How a table is to look.
const WANTED: &str = "a word from a reset leads to the state, such as word = \"1 2 enter\", or a transition with an \
                      output does, such as output = \"opened\"";

/// Names and words of the states so far, to tell those that come twice.
pub(super) struct States<'a> {
    /// The names of the inputs.
    pub(super) inputs: &'a [String],
    /// The text of the file.
    pub(super) text: &'a str,
    words: HashMap<Vec<Input>, String>,
    names: Vec<String>,
}

impl<'a> States<'a> {
    pub(super) fn new(inputs: &'a [String], text: &'a str) -> Self {
        Self { inputs, text, words: HashMap::new(), names: Vec::new() }
    }

    /// Reads a table.
    pub(super) fn read(&mut self, mut fields: Fields<'_>) -> Result<NamedState, FileFault> {
        let place = fields.place();
        let line = line_of(self.text, place.start);
        let name_field = fields.field("name");
        let word = fields.field("word");
        let output = fields.take::<&str>("output")?;
        let input = fields.field("input");
        fields.finish()?;
        let missing = |what: &str| {
            FileFault::new(place.clone(), format!("[[state]] needs {what}"), "missing here")
        };
        let name_field = name_field.ok_or_else(|| missing("`name`"))?;
        let name = self.name(&name_field)?;
        let mark = match (word, output, input) {
            (Some(word), None, None) => StateMark::Word(self.word(&word, &name)?),
            (None, Some(output), input) => {
                let input = input.map(|input| self.input(&input)).transpose()?;
                StateMark::Output { output: output.to_owned(), input }
            }
            (Some(word), ..) => {
                let message =
                    "a state has a `word` or an `output`, and an `input` beside an `output` only";
                return Err(word.fault(message, "remove one of them").help(WANTED));
            }
            (None, None, _) => return Err(missing("`word` or `output`").help(WANTED)),
        };
        Ok(NamedState { name, mark, line })
    }

    fn name(&mut self, field: &TomlField<'_>) -> Result<String, FileFault> {
        let name = <&str>::read(field)?;
        if let Some(wrong) = wrong_name(name) {
            return Err(field.fault("a state cannot be called so", wrong));
        }
        if self.names.iter().any(|known| known == name) {
            return Err(field.fault(format!("two states are called `{name}`"), "again here").help(
                "choose another name; an `output` that marks several states numbers them itself",
            ));
        }
        self.names.push(name.to_owned());
        Ok(name.to_owned())
    }

    fn word(&mut self, field: &TomlField<'_>, name: &str) -> Result<String, FileFault> {
        let text = <&str>::read(field)?;
        let word = word::parse(text, self.inputs).map_err(|error| unknown(field, &error))?;
        match self.words.insert(word, name.to_owned()) {
            None => Ok(text.to_owned()),
            Some(other) => {
                let message = format!("`{name}` and `{other}` are names of one state");
                Err(field.fault(message, "the same word").help("remove one of them"))
            }
        }
    }

    fn input(&self, field: &TomlField<'_>) -> Result<String, FileFault> {
        let name = <&str>::read(field)?;
        match self.inputs.iter().find(|known| *known == name) {
            Some(known) => Ok(known.clone()),
            None => Err(unknown(field, &UnknownInput::new(name, self.inputs))),
        }
    }
}

fn unknown(field: &TomlField<'_>, error: &UnknownInput) -> FileFault {
    let help = error.help().map(|help| help.to_string()).unwrap_or_default();
    field.fault(error.to_string(), "no input").help(help)
}
