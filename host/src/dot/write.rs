//! From a machine to a graph.

use std::fmt::Write as _;

use mealybug_core::{Input, Mealy};

use super::label;
use crate::machine::{Component, Machine};

/// The machine as a DOT file that other tools read too. Its states are named `s0`, `s1`, ….
///
/// Reading it again gives the same machine, whatever its symbols hold; outputs are numbered anew, in
/// the order in which they occur. (A machine without inputs has nothing to read.)
pub fn write(machine: &Machine) -> String {
    write_with_note(machine, None)
}

/// The machine as a DOT file with a note, in a comment and as its title.
pub fn write_with_note(machine: &Machine, note: Option<&str>) -> String {
    graph("machine", note, machine.states(), machine.initial(), machine.named_transitions())
}

/// A component as a DOT file, with a note if there is one. An output that is not one of its own is written `·`, or with more of
/// these dots if one of `outputs` is called so.
///
/// # Panics
/// `component` has an input or an output without a name.
pub fn write_component(
    component: &Component,
    inputs: &[String],
    outputs: &[String],
    note: Option<&str>,
) -> String {
    let mut another = "·".to_owned();
    while outputs.contains(&another) {
        another.push('·');
    }
    let transitions = (0..component.states()).flat_map(|from| {
        inputs.iter().zip(0..).map({
            let another = &another;
            move |(name, input)| {
                let (to, output) = component.transition(from, Input::new(input));
                let output = output.map_or(another, |output| &outputs[output.index() as usize]);
                (from, name.as_str(), to, output.as_str())
            }
        })
    });
    graph("component", note, component.states(), component.initial(), transitions)
}

/// Transitions are from, input, to, output.
fn graph<'a>(
    name: &str,
    note: Option<&str>,
    states: u32,
    initial: u32,
    transitions: impl Iterator<Item = (u32, &'a str, u32, &'a str)>,
) -> String {
    let mut dot = format!("digraph {name} {{\n");
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(dot, "{line}").expect("a string takes everything");
    };
    if let Some(note) = note {
        // Nothing in it may end the comment or the string early.
        let note = note.replace(|c: char| c.is_control() || matches!(c, '"' | '\\'), " ");
        line(format_args!("  // {note}\n  label=\"{note}\"; labelloc=\"t\";"));
    }
    for state in 0..states {
        line(format_args!("  s{state} [label=\"s{state}\"];"));
    }
    line(format_args!("  __start0 [label=\"\" shape=\"none\"];"));
    line(format_args!("  __start0 -> s{initial};"));
    for (from, input, to, output) in transitions {
        let (input, output) = (label::escape(input), label::escape(output));
        line(format_args!("  s{from} -> s{to} [label=\"{input} / {output}\"];"));
    }
    line(format_args!("}}"));
    dot
}
