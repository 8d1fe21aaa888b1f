//! Golden models: what a device does, written down once and checked by hand.

use std::io;
use std::path::Path;

use mealybug_core::{Input, Mealy, Output};

/// A machine read from a golden DOT file, with the names of its symbols.
#[derive(Debug)]
pub struct Golden {
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// By state and input: the next state and the output.
    transitions: Vec<Vec<(usize, Output)>>,
}

impl Golden {
    /// Reads the model in `path`: one transition a line, the initial state first.
    ///
    /// # Errors
    /// The file cannot be read, or a state lacks a transition.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = std::fs::read_to_string(path)?;
        let arrows: Vec<[&str; 4]> = text.lines().filter_map(transition).collect();
        let (mut states, mut inputs, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        let mut transitions: Vec<Vec<(usize, Output)>> = Vec::new();
        for [from, input, output, to] in &arrows {
            let (from, to) = (number(&mut states, from), number(&mut states, to));
            transitions.resize(states.len(), Vec::new());
            let output = u32::try_from(number(&mut outputs, output)).expect("a small model");
            if number(&mut inputs, input) != transitions[from].len() {
                let message =
                    format!("{}: state {}: inputs in another order", path.display(), states[from]);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            transitions[from].push((to, Output::new(output)));
        }
        if let Some(state) = transitions.iter().position(|of| of.len() != inputs.len()) {
            let message =
                format!("{}: state {}: an input is missing", path.display(), states[state]);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(Self { inputs, outputs, transitions })
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.transitions.len()
    }

    /// The names of the inputs, in the order of their numbers.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// The name of an output.
    pub fn output(&self, output: Output) -> &str {
        &self.outputs[output.index() as usize]
    }
}

impl Mealy for Golden {
    type State = usize;

    fn inputs(&self) -> u32 {
        u32::try_from(self.inputs.len()).expect("a small model")
    }

    fn initial(&self) -> usize {
        0
    }

    fn step(&self, state: &mut usize, input: Input) -> Option<Output> {
        let (next, output) = *self.transitions[*state].get(input.index() as usize)?;
        *state = next;
        Some(output)
    }
}

/// The index of `name`, which is added when it is new.
fn number(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// From, input, output, to of a line `from -> to [label="input / output"];`.
fn transition(line: &str) -> Option<[&str; 4]> {
    let (arrow, label) = line.split_once("[label=\"")?;
    let (from, to) = arrow.split_once(" -> ")?;
    let (input, output) = label.split_once("\"]")?.0.split_once(" / ")?;
    Some([from.trim(), input, output, to.trim()])
}
