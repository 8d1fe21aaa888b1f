//! From a machine to a graph.

use std::fmt::Write as _;

use mealybug_core::Mealy;

use super::label;
use crate::machine::Machine;

/// The machine as a DOT file that other tools read too. Its states are named `s0`, `s1`, ….
///
/// Reading it again gives the same machine, whatever its symbols hold; outputs are numbered anew, in
/// the order in which they occur. (A machine without inputs has nothing to read.)
pub fn write(machine: &Machine) -> String {
    write_with_note(machine, None)
}

/// The machine as a DOT file with a note, in a comment and as its title.
pub fn write_with_note(machine: &Machine, note: Option<&str>) -> String {
    let mut dot = "digraph machine {\n".to_owned();
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(dot, "{line}").expect("a string takes everything");
    };
    if let Some(note) = note {
        // Nothing in it may end the comment or the string early.
        let note = note.replace(|c: char| c.is_control() || matches!(c, '"' | '\\'), " ");
        line(format_args!("  // {note}\n  label=\"{note}\"; labelloc=\"t\";"));
    }
    for state in 0..machine.states() {
        line(format_args!("  s{state} [label=\"s{state}\"];"));
    }
    line(format_args!("  __start0 [label=\"\" shape=\"none\"];"));
    line(format_args!("  __start0 -> s{};", machine.initial()));
    for (from, input, to, output) in machine.named_transitions() {
        let (input, output) = (label::escape(input), label::escape(output));
        line(format_args!("  s{from} -> s{to} [label=\"{input} / {output}\"];"));
    }
    line(format_args!("}}"));
    dot
}
