//! Turns a machine into a graph.

use std::fmt::Write as _;

use mealybug_core::Mealy;

use super::graph::{OPEN, TRUE};
use super::label;
use crate::escape::is_hidden;
use crate::machine::{Gaps, Machine, Transition};

/// Writes the machine as a DOT file that other tools read too. Its states are `s0`, `s1`, …; the label of
/// one that people have named is its name.
///
/// Reading the file gives the same machine for any symbols, except that outputs are numbered in the
/// order in which they occur. (A machine without inputs cannot be read back.) An open transition is
/// a dashed edge with the mark `open="true"`. A transition that was never asked is left out, and a
/// comment states how many there are. An input that was never asked in any state appears only in
/// that comment.
pub fn write(machine: &Machine) -> String {
    write_with_note(machine, None)
}

/// The prefix of a comment.
const COMMENT: &str = "  // ";

/// The note in a file written by [`write_with_note`].
pub fn note(text: &str) -> Option<&str> {
    text.lines().nth(1)?.strip_prefix(COMMENT)
}

/// Writes the machine with a note, which becomes a comment and the title of the graph.
pub fn write_with_note(machine: &Machine, note: Option<&str>) -> String {
    let mut dot = "digraph machine {\n".to_owned();
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(dot, "{line}").expect("a string takes everything");
    };
    // The note must not end the comment or the string early, or look like an edge.
    let reserved = |c: char| is_hidden(c) || matches!(c, '"' | '\\' | '>');
    let note = note.map(|note| note.replace(reserved, " "));
    if let Some(note) = &note {
        line(format_args!("{COMMENT}{note}"));
    }
    for state in 0..machine.states() {
        let label = machine.state_name(state).map_or_else(|| format!("s{state}"), label::of_state);
        line(format_args!("  s{state} [label=\"{label}\"];"));
    }
    // AALpy takes any line with the word `label` for a state, except that of `__start0`.
    let title = note.map_or_else(String::new, |note| format!(" label=\"{note}\"; labelloc=\"t\";"));
    line(format_args!("  __start0 [label=\"\" shape=\"none\"];{title}"));
    line(format_args!("  __start0 -> s{};", machine.initial()));
    let mut is_asked = vec![false; machine.inputs().len()];
    for (from, input, Transition { target, output, is_open }) in machine.transitions() {
        is_asked[input.index() as usize] = true;
        let label = label::written(machine.input_name(input), machine.output_name(output));
        let mark =
            if is_open { format!(" style=\"dashed\" {OPEN}=\"{TRUE}\"") } else { String::new() };
        line(format_args!("  s{from} -> s{target} [label=\"{label}\"{mark}];"));
    }
    let Gaps { unknown, .. } = machine.gaps();
    if unknown > 0 {
        let never = machine.inputs().iter().zip(is_asked).filter(|(_, is_asked)| !is_asked);
        let never: Vec<_> = never.map(|(name, _)| format!("`{}`", label::escape(name))).collect();
        let never = match never.is_empty() {
            true => String::new(),
            false => format!("; among them all of {}", never.join(", ")),
        };
        line(format_args!(
            "{COMMENT}transitions left out, since they were never asked: {unknown}{never}"
        ));
    }
    line(format_args!("}}"));
    dot
}
