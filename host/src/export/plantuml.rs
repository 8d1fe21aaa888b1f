//! A machine as a PlantUML state diagram.
//!
//! Source: *PlantUML Language Reference Guide*, state diagrams and Creole. `<U+003A>` is the
//! character with that code. Anything but letters, digits and harmless characters is written so,
//! because Creole gives a meaning to many others. The only literal slash separates input and output.

use std::fmt::Write as _;

use mealybug_core::Mealy;

use super::{coded, is_plain_in_diagram};
use crate::machine::{Machine, Transition};

/// Writes the machine as a PlantUML state diagram, with the note if there is one. Open transitions
/// are dashed, and a note beside each state lists the inputs that were never asked there.
pub fn plantuml(machine: &Machine, note: Option<&str>) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(text, "{line}").expect("a string takes everything");
    };
    line(format_args!("@startuml\nhide empty description"));
    for state in 0..machine.states() {
        if let Some(name) = machine.state_name(state) {
            line(format_args!("state \"{}\" as s{state}", escaped(name)));
        }
    }
    line(format_args!("[*] --> s{}", machine.initial()));
    if let Some(note) = note {
        line(format_args!("note left of s{} : {}", machine.initial(), escaped(note)));
    }
    for (from, input, Transition { target, output, is_open }) in machine.transitions() {
        let [input, output] = [machine.input_name(input), machine.output_name(output)].map(escaped);
        let arrow = if is_open { "-[dashed]->" } else { "-->" };
        line(format_args!("s{from} {arrow} s{target} : {input} / {output}"));
    }
    for state in 0..machine.states() {
        let unknown: Vec<_> = machine.unknown_inputs(state).map(escaped).collect();
        if !unknown.is_empty() {
            line(format_args!("note right of s{state} : never asked: {}", unknown.join(", ")));
        }
    }
    line(format_args!("@enduml"));
    text
}

fn escaped(name: &str) -> String {
    coded(name, is_plain_in_diagram, |code| format!("<U+{code:04X}>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Builder;

    #[test]
    fn it_looks_like_this() {
        let mut builder = Builder::default();
        builder.add(0, "press", 1, "on: **bold**").expect("new");
        builder.add_open(1, " hold", 0, "").expect("new");
        let text = plantuml(&builder.build_partial(0), Some("NOT CONVERGED: Ctrl-C"));
        let expected = "@startuml\nhide empty description\n[*] --> s0\n\
            note left of s0 : NOT CONVERGED<U+003A> Ctrl<U+002D>C\n\
            s0 --> s1 : press / on<U+003A> <U+002A><U+002A>bold<U+002A><U+002A>\n\
            s1 -[dashed]-> s0 : <U+0020>hold / \n\
            note right of s0 : never asked: <U+0020>hold\n\
            note right of s1 : never asked: press\n@enduml\n";
        assert_eq!(text, expected);
    }
}
