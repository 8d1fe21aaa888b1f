//! What a simulated device says on a line: one line in, one line out.
//!
//! | line in | line out | what happens |
//! |---|---|---|
//! | the name of an input | the name of the output | one step |
//! | `reset` | `ready` | back to the initial state |
//! | any other | `error: no such input: …` | nothing |
//!
//! An empty line is not answered, so a line end may be sent to be rid of half a line from before.
//!
//! Names are sent as they are. Only one that cannot be a line of its own, for it holds a control
//! character or is empty, is sent as a backslash and its characters escaped as in Rust, and so is
//! one that begins with a backslash. So different names are always different lines; the one
//! exception is an empty *output*, which is an empty line, for that is what devices do.

use std::borrow::Cow;
use std::collections::HashMap;

use mealybug_core::{Input, Mealy};

use crate::machine::Machine;

/// A machine that is talked to in lines.
#[derive(Clone, Debug)]
pub struct Protocol<'m> {
    machine: &'m Machine,
    state: u32,
    inputs: HashMap<Cow<'m, str>, Input>,
    reset: String,
}

impl<'m> Protocol<'m> {
    /// The answer to a reset.
    pub const READY: &'static str = "ready";

    /// A conversation with `machine`, which stands in its initial state.
    pub fn new(machine: &'m Machine) -> Self {
        let lines = machine.inputs().iter().map(|name| input_line(name));
        let inputs = lines.zip((0..).map(Input::new)).collect();
        Self { machine, state: machine.initial(), inputs, reset: reset_line(machine) }
    }

    /// The answer to a line; neither has its line end. `None` means that nothing is answered.
    pub fn answer(&mut self, line: &str) -> Option<Cow<'m, str>> {
        if line.is_empty() {
            return None;
        }
        if line == self.reset {
            self.state = self.machine.initial();
            return Some(Self::READY.into());
        }
        let Some(&input) = self.inputs.get(line) else {
            return Some(format!("error: no such input: {}", line.escape_debug()).into());
        };
        let (next, output) = self.machine.transition(self.state, input);
        self.state = next;
        Some(output_line(self.machine.output_name(output)))
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

/// The line that is the input of this name.
pub(super) fn input_line(name: &str) -> Cow<'_, str> {
    if name.is_empty() { "\\".into() } else { output_line(name) }
}

/// The line that is the output of this name.
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
