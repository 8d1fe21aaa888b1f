//! Why a test against a golden model fails, as its user reads it.

use std::error::Error;
use std::fmt;
use std::io;

use mealybug_core::Mealy;
use miette::Diagnostic;
use unicode_width::UnicodeWidthStr;

use super::error::LearnError;
use crate::dot::DotError;
use crate::export::shown;
use crate::machine::{Cut, Difference, Differences, Machine};
use crate::statistics::number;
use crate::word::quote;

/// How the model is written.
const UPDATE: &str = "MEALYBUG_UPDATE=1 cargo test";

/// Why a test against the golden model at `path` fails.
#[derive(Debug)]
pub(super) enum Mismatch<E: Error + 'static> {
    /// There is no such file.
    NoModel { path: String },
    /// The file is not a model: where, what is wrong, and what to do.
    NotAModel { path: String, line: usize, problem: String, help: String },
    /// The file cannot be read or written.
    File { path: String, error: io::Error },
    /// The model is to be written where that is not allowed.
    UpdateInCi { path: String },
    /// Only the model, or only the device, has these inputs.
    Inputs { path: String, only_model: Vec<String>, only_device: Vec<String> },
    /// The device says something else than the model.
    Differs { path: String, difference: Box<ShownDifference>, states: [u32; 2] },
    /// A limit ended the run. The device may have been caught saying something else.
    NotSure { path: String, reason: String, difference: Option<Box<ShownDifference>> },
    /// The device was learned, but comparing it with a model with gaps took too long.
    NotCompared { path: String, cut: Cut },
    /// The device was not learned.
    NotLearned { path: String, error: LearnError<E> },
}

impl<E: Error + 'static> Mismatch<E> {
    /// What was found, which is not nothing.
    pub(super) fn new(path: String, golden: &Machine, model: &Machine, found: Differences) -> Self {
        let Differences { only_first: only_model, only_second: only_device, mut places, .. } =
            found;
        match places.pop() {
            Some(place) if only_model.is_empty() && only_device.is_empty() => Self::Differs {
                path,
                difference: ShownDifference::new(golden, place),
                states: [golden.states(), model.states()],
            },
            _ => Self::Inputs { path, only_model, only_device },
        }
    }

    pub(super) fn not_a_model(path: String, text: &str, error: &DotError) -> Self {
        let offset =
            error.labels().and_then(|mut labels| labels.next()).map(|label| label.offset());
        let before = text.get(..offset.unwrap_or(0)).unwrap_or_default();
        Self::NotAModel {
            path,
            line: before.matches('\n').count() + 1,
            problem: error.to_string(),
            help: error.help().map(|help| help.to_string()).unwrap_or_default(),
        }
    }
}

impl<E: Error + 'static> fmt::Display for Mismatch<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModel { path } => write!(
                f,
                "there is no model {path}\n\nTo write what the device does now: {UPDATE}\n\
                 Read the file before you commit it: it says what the device does, right or wrong."
            ),
            Self::NotAModel { path, line, problem, help } => {
                write!(f, "{path} is not a model: line {line}: {problem}\n\n{help}")
            }
            Self::File { path, error } => write!(f, "{path}: {error}"),
            Self::UpdateInCi { path } => write!(
                f,
                "MEALYBUG_UPDATE is set and {path} would change, but CI is set as well: nothing is \
                 written there\n\nRun {UPDATE} at home and commit the file, or unset CI."
            ),
            Self::Inputs { path, only_model, only_device } => {
                writeln!(f, "the device has other inputs than {path}\n")?;
                let lines = |f: &mut fmt::Formatter<'_>, sign, names: &[String]| {
                    names.iter().try_for_each(|name| writeln!(f, "{sign} {}", quote(name)))
                };
                lines(f, '-', only_model)?;
                lines(f, '+', only_device)?;
                write!(f, "\n- the model, + the device\n{}", if_right())
            }
            Self::Differs { path, difference, states: [model, device] } => write!(
                f,
                "the device differs from {path}\n\n{difference}\n\
                 - the model, {} states\n+ the device, {} states\n{}",
                number(*model),
                number(*device),
                if_right()
            ),
            Self::NotSure { path, reason, difference: None } => write!(
                f,
                "it is not sure whether the device does what {path} says: {reason}\n\n\
                 No difference was found so far. Does the device count without end? Give a limit with \
                 LearnOptions, or let the device answer less."
            ),
            Self::NotSure { path, reason, difference: Some(difference) } => write!(
                f,
                "the device differs from {path}\n\n{difference}\n- the model\n+ the device\n\
                 There may be more: {reason}, before the device was known."
            ),
            Self::NotCompared { path, cut } => write!(
                f,
                "it is not sure whether the device does what {path} says: {cut}\n\n\
                 No difference was found so far. The device was learned, but the model has gaps. Add the \
                 transitions that it lacks, or write it anew: {UPDATE}."
            ),
            Self::NotLearned { path, error } => {
                write!(f, "the device cannot be compared with {path}: {error}")?;
                let mut source = error.source();
                while let Some(error) = source {
                    write!(f, ": {error}")?;
                    source = error.source();
                }
                Ok(())
            }
        }
    }
}

fn if_right() -> String {
    format!("\nIf the device is right: {UPDATE}, and review the change of the file.")
}

/// A word as a diff: the answers that are the same, then that of the model and that of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShownDifference {
    /// An input and its output, for each input of the word but the last.
    same: Vec<[String; 2]>,
    last: String,
    /// The name of the model's state before the last input, if people have named it.
    state: Option<String>,
    model: String,
    device: String,
}

impl ShownDifference {
    pub(super) fn new(golden: &Machine, found: Difference) -> Box<Self> {
        let Difference { mut word, first: model, second: device, .. } = found;
        let last = word.pop().unwrap_or_default();
        let mut state = golden.initial();
        let output = |name: &String| {
            let output = golden.step(&mut state, golden.find_input(name)?)?;
            Some(golden.output_name(output).to_owned())
        };
        let outputs: Vec<_> = word.iter().map(output).map(Option::unwrap_or_default).collect();
        let same = word.into_iter().zip(outputs).map(|(input, output)| [input, output]).collect();
        let state = golden.state_name(state).map(str::to_owned);
        Box::new(Self { same, last, state, model, device })
    }
}

impl fmt::Display for ShownDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { same, last, state, model, device } = self;
        let same = same.iter().map(|[input, output]| (' ', input, output));
        let lines: Vec<_> = same.chain([('-', last, model), ('+', last, device)]).collect();
        let width = lines.iter().map(|(_, input, _)| quote(input).width()).max().unwrap_or(0);
        for (sign, input, output) in lines {
            let input = quote(input);
            let fill = " ".repeat(width - input.width());
            writeln!(f, "{sign} {input}{fill}  {}", shown(output))?;
        }
        match state {
            Some(name) => writeln!(f, "\nin the state `{name}`"),
            None => Ok(()),
        }
    }
}
