//! The prompt of `mealybug try`: names of inputs, with editing and completion on a terminal.

use mealybug::word::{self, UnknownInput};
use miette::{IntoDiagnostic, Result, WrapErr};
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use crate::terminal::hand_word::{self, HandStep, unlike_inputs};

/// Reads lines of inputs and commands.
pub(crate) struct Prompt {
    editor: Editor<InputNames, DefaultHistory>,
}

/// A line that was read.
pub(crate) enum PromptLine {
    /// These inputs and resets.
    Steps(Vec<HandStep>),
    /// What is known here.
    Help,
    /// There is no such input or command.
    Unknown(UnknownInput),
    /// There are no more lines.
    End,
}

/// What can be typed.
struct InputNames {
    inputs: Vec<String>,
    /// The commands, so called that no input has their name.
    reset: String,
    help: String,
    quit: String,
}

impl Prompt {
    /// A prompt for these inputs.
    pub(crate) fn new(inputs: &[String]) -> Result<Self> {
        let names = InputNames {
            inputs: inputs.to_vec(),
            reset: unlike_inputs("reset", inputs),
            help: unlike_inputs("help", inputs),
            quit: unlike_inputs("quit", inputs),
        };
        let config = Config::builder().completion_type(CompletionType::List).build();
        let mut editor =
            Editor::with_config(config).into_diagnostic().wrap_err("there is no prompt")?;
        editor.set_helper(Some(names));
        Ok(Self { editor })
    }

    /// What can be typed, for people.
    pub(crate) fn help(&self) -> String {
        let Some(names) = self.editor.helper() else { return String::new() };
        let inputs: Vec<_> = names.inputs.iter().map(|name| word::quote(name)).collect();
        let InputNames { reset, help, quit, .. } = names;
        format!(
            "inputs:   {}\ncommands: {reset}, {help}, {quit} (or Ctrl-D)\nSeveral inputs may stand \
             in a line, with {reset} between them; the Tab key completes their names.\n",
            inputs.join("  ")
        )
    }

    /// The next line that is not empty.
    pub(crate) fn read(&mut self) -> Result<PromptLine> {
        loop {
            let line = match self.editor.readline("> ") {
                Ok(line) => line,
                Err(ReadlineError::Interrupted) => continue,
                Err(ReadlineError::Eof) => return Ok(PromptLine::End),
                Err(error) => return Err(error).into_diagnostic().wrap_err("cannot read a line"),
            };
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            // OK: a history that takes nothing more is no reason to stop.
            let _ = self.editor.add_history_entry(text);
            return Ok(self.editor.helper().map_or(PromptLine::End, |names| names.line(text)));
        }
    }
}

impl InputNames {
    fn line(&self, text: &str) -> PromptLine {
        match text {
            _ if text == self.help => PromptLine::Help,
            _ if text == self.quit => PromptLine::End,
            _ => match hand_word::parse(text, &self.inputs) {
                Ok(steps) => PromptLine::Steps(steps),
                Err(error) => PromptLine::Unknown(error),
            },
        }
    }
}

impl Completer for InputNames {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = &line[..position];
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let begun = &before[start..];
        let commands = [&self.reset, &self.help, &self.quit].into_iter().cloned();
        let names = self.inputs.iter().map(|name| word::quote(name)).chain(commands);
        let fitting = names.filter(|name| name.trim_start_matches(['\'', '"']).starts_with(begun));
        let pairs =
            fitting.map(|name| Pair { display: name.clone(), replacement: format!("{name} ") });
        Ok((start, pairs.collect()))
    }
}

impl Hinter for InputNames {
    type Hint = String;
}

impl Highlighter for InputNames {}

impl Validator for InputNames {}

impl Helper for InputNames {}
