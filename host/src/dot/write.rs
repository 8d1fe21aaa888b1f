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

/// What a note stands behind.
const COMMENT: &str = "  // ";

/// The note in a file of [`write_with_note`].
pub fn note(text: &str) -> Option<&str> {
    text.lines().nth(1)?.strip_prefix(COMMENT)
}

/// The machine as a DOT file with a note, in a comment and as its title.
pub fn write_with_note(machine: &Machine, note: Option<&str>) -> String {
    let mut dot = "digraph machine {\n".to_owned();
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(dot, "{line}").expect("a string takes everything");
    };
    // Nothing in it may end the comment or the string early, or look like an edge.
    let reserved = |c: char| c.is_control() || matches!(c, '"' | '\\' | '>');
    let note = note.map(|note| note.replace(reserved, " "));
    if let Some(note) = &note {
        line(format_args!("{COMMENT}{note}"));
    }
    for state in 0..machine.states() {
        line(format_args!("  s{state} [label=\"s{state}\"];"));
    }
    // AALpy takes whatever line holds the word `label` for a state, but for that of `__start0`.
    let title = note.map_or_else(String::new, |note| format!(" label=\"{note}\"; labelloc=\"t\";"));
    line(format_args!("  __start0 [label=\"\" shape=\"none\"];{title}"));
    line(format_args!("  __start0 -> s{};", machine.initial()));
    for (from, input, to, output) in machine.named_transitions() {
        let (input, output) = (label::escape(input), label::escape(output));
        line(format_args!("  s{from} -> s{to} [label=\"{input} / {output}\"];"));
    }
    line(format_args!("}}"));
    dot
}
