//! The protocol of a simulated device: one line in, one line out.
//!
//! | line in | line out | what happens |
//! |---|---|---|
//! | the name of an input | the name of the output | one step |
//! | `reset` | `ready` | back to the initial state |
//! | any other | `error: no such input: …` | nothing |
//!
//! An empty line has no answer, so a client can send a line end to finish half a line from before.
//!
//! Names are sent as they are, with these exceptions: a name that is empty, contains a control
//! character or begins with a backslash is sent as a backslash and the name escaped as in Rust. So
//! different names are always different lines. An empty *output* is sent as an empty line, as
//! devices do.
//!
//! As an [adapter](crate::adapter) it speaks the protocol of that module instead.

use std::borrow::Cow;
use std::collections::HashMap;

use mealybug_core::{Input, Mealy};

use super::faults::{Faults, Injector};
use crate::adapter::{quote, quote_names};
use crate::machine::Machine;
use crate::names::all_bytes_of;

/// A machine that answers lines.
#[derive(Clone, Debug)]
pub struct Protocol<'m> {
    machine: &'m Machine,
    state: u32,
    inputs: HashMap<Cow<'m, str>, Input>,
    /// The line that means a reset, and its answer.
    reset: (String, &'static str),
    /// The line that asks for the inputs, and its answer.
    list: Option<(&'static str, String)>,
    /// The line of each output.
    outputs: Vec<Cow<'m, str>>,
    error: &'static str,
    faults: Injector,
}

impl<'m> Protocol<'m> {
    /// The answer to a reset.
    pub const READY: &'static str = "ready";

    /// A conversation with `machine`, which must be complete and starts in its initial state.
    pub fn new(machine: &'m Machine) -> Self {
        let lines = machine.inputs().iter().map(|name| input_line(name));
        Self {
            machine,
            state: machine.initial(),
            inputs: lines.zip((0..).map(Input::new)).collect(),
            reset: (reset_line(machine), Self::READY),
            list: None,
            outputs: machine.outputs().iter().map(|name| output_line(name)).collect(),
            error: "error: ",
            faults: Injector::default(),
        }
    }

    /// A conversation in the protocol of an adapter.
    pub fn adapter(machine: &'m Machine) -> Self {
        let inputs = all_bytes_of(machine.inputs());
        let names = quote_names(&inputs);
        let lines = names.iter().map(|name| format!("step {name}").into());
        let outputs = all_bytes_of(machine.outputs());
        Self {
            inputs: lines.zip((0..).map(Input::new)).collect(),
            reset: ("reset".to_owned(), "ok"),
            list: Some(("inputs", names.join(" "))),
            outputs: outputs.iter().map(|bytes| quote(bytes).into()).collect(),
            error: "error ",
            ..Self::new(machine)
        }
    }

    /// Adds faults.
    pub fn with_faults(self, faults: Faults) -> Self {
        Self { faults: Injector::new(faults), ..self }
    }

    /// Answers a line; neither has a line end. `None` means no answer.
    ///
    /// # Panics
    /// The machine has no transition for the input.
    pub fn answer(&mut self, line: &str) -> Option<Cow<'m, str>> {
        if line.is_empty() {
            return None;
        }
        if line == self.reset.0 {
            self.state = self.machine.initial();
            return Some(self.reset.1.into());
        }
        if let Some((_, answer)) = self.list.as_ref().filter(|(asked, _)| line == *asked) {
            return Some(answer.clone().into());
        }
        let Some(&input) = self.inputs.get(line) else {
            let error = format!("{}no such input: {}", self.error, line.escape_debug());
            return Some(error.into());
        };
        if self.faults.reboots() {
            self.state = self.machine.initial();
        }
        let (next, output) = self.machine.expect_transition(self.state, input);
        self.state = next;
        let said = self.faults.said(output.index() as usize, self.outputs.len());
        Some(self.outputs[said].clone())
    }

    /// The faults of the device and its line.
    pub(super) fn faults(&mut self) -> &mut Injector {
        &mut self.faults
    }
}

/// The line that resets a simulated `machine`: `reset`, unless that is one of its inputs.
pub(super) fn reset_line(machine: &Machine) -> String {
    let mut reset = "reset".to_owned();
    while machine.find_input(&reset).is_some() {
        reset.push('!');
    }
    reset
}

/// The line for the input with this name.
pub(super) fn input_line(name: &str) -> Cow<'_, str> {
    if name.is_empty() { "\\".into() } else { output_line(name) }
}

/// The line for the output with this name.
fn output_line(name: &str) -> Cow<'_, str> {
    if name.starts_with('\\') || name.contains(char::is_control) {
        format!("\\{}", name.escape_debug()).into()
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Builder;
    use crate::machine::testing::lamp;

    #[test]
    fn lines_are_inputs_outputs_and_resets() {
        let lamp = lamp();
        let mut device = Protocol::new(&lamp);
        let mut answer = |line| device.answer(line).map(Cow::into_owned);
        let mut check = |line, expected: &str| assert_eq!(answer(line).as_deref(), Some(expected));
        check("hold", "off");
        check("press", "on");
        check("hold", "on");
        check("Press", "error: no such input: Press");
        check("hold ", "error: no such input: hold ");
        check("\\", "error: no such input: \\\\");
        check("\x07", "error: no such input: \\u{7}");
        check("hold", "on");
        check("reset", "ready");
        check("hold", "off");
        assert_eq!(device.answer(""), None);
    }

    #[test]
    fn names_of_all_kinds_are_lines_of_their_own() {
        let names =
            ["", "\\", "\\\\", "\n", "\\n", "n", "a\r\nb", "a\\r\\nb", "a b", " ", "é", "\0"];
        let mut builder = Builder::default();
        for name in names {
            builder.add(0, name, 0, name).expect("new");
        }
        let machine = builder.build(0).expect("complete");
        let mut device = Protocol::new(&machine);
        let mut seen = std::collections::HashSet::new();
        for name in names {
            let line = input_line(name);
            assert!(!line.is_empty() && !line.contains(char::is_control), "{line:?}");
            let output = device.answer(&line).expect("answered").into_owned();
            assert_eq!(output, if name.is_empty() { "" } else { &*line });
            assert!(seen.insert(output), "two outputs are one line");
        }
    }

    #[test]
    fn an_adapter_lists_its_inputs_and_takes_steps() {
        let mut builder = Builder::default();
        for name in ["press", "a b", "", "error 5"] {
            builder.add(0, name, 0, name).expect("new");
        }
        let machine = builder.build(0).expect("complete");
        let mut device = Protocol::adapter(&machine);
        let mut check = |line, answer| assert_eq!(device.answer(line).as_deref(), Some(answer));
        check("inputs", "press a\\x20b \\ error\\x205");
        check("reset", "ok");
        check("step a\\x20b", "a b");
        check("step \\", "");
        check("step error\\x205", "\\x65rror 5");
        check("press", "error no such input: press");
    }

    #[test]
    fn the_reset_is_never_an_input() {
        let mut builder = Builder::default();
        for name in ["reset", "reset!", "other"] {
            builder.add(0, name, 0, name).expect("new");
        }
        let machine = builder.build(0).expect("complete");
        let mut device = Protocol::new(&machine);
        assert_eq!(device.answer("reset").as_deref(), Some("reset"));
        assert_eq!(device.answer("reset!").as_deref(), Some("reset!"));
        assert_eq!(device.answer(&reset_line(&machine)).as_deref(), Some(Protocol::READY));
    }
}
