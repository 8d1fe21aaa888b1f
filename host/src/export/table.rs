//! A machine as a table for people, within a given width.

use std::collections::HashMap;

use mealybug_core::{Input, Mealy};
use unicode_width::UnicodeWidthStr;

use super::shown;
use crate::machine::{Gaps, Machine, Transition};
use crate::short_names::ShortNames;
use crate::short_output::SHOWN;
use crate::statistics::number;

/// The machine as text. Its lines are at most `width` columns wide, unless a name is longer. Outputs that take more than half of
/// that are shortened, so that what differs in them is seen.
///
/// If there is room, each state is a row and each input a column. A cell holds the output, and the
/// next state, by its name or its number, if it is another one. Otherwise the states are listed one below the other, with a
/// line for each pair of output and next state.
///
/// In a partial machine `?` marks a transition that was never asked, and `> 3?` one whose target 3
/// is a guess. Their numbers are given below the table.
pub fn table(machine: &Machine, width: usize) -> String {
    let outputs = ShownOutputs::of(machine, width / 2);
    let mut text = states(machine, width, &outputs);
    let Gaps { open, unknown } = machine.gaps();
    if open + unknown > 0 || outputs.are_short {
        text.push('\n');
    }
    if unknown > 0 {
        text.push_str(&format!("  ?     never asked: {}\n", number(unknown)));
    }
    if open > 0 {
        text.push_str(&format!("  > 0?  open, the next state is a guess: {}\n", number(open)));
    }
    if outputs.are_short {
        text.push_str("  …     long outputs are shortened here, and nowhere else\n");
    }
    text
}

/// The outputs of a machine, as a table shows them.
struct ShownOutputs<'m> {
    shown: HashMap<&'m str, String>,
    are_short: bool,
}

impl<'m> ShownOutputs<'m> {
    /// If one of them is wider than `widest` columns, they are shortened.
    fn of(machine: &'m Machine, widest: usize) -> Self {
        let names = || machine.outputs().iter().map(String::as_str);
        let are_short = names().any(|name| name.width() > widest.max(SHOWN));
        let form = |short: &ShortNames, name| match are_short {
            true => short.form(shown(name), SHOWN),
            false => shown(name).to_owned(),
        };
        let short = ShortNames::new(names().map(shown), &[SHOWN]);
        Self { shown: names().map(|name| (name, form(&short, name))).collect(), are_short }
    }

    fn show(&self, output: &str) -> &str {
        self.shown.get(output).map_or("", String::as_str)
    }
}

/// The states, as a table or as a list.
fn states(machine: &Machine, width: usize, outputs: &ShownOutputs<'_>) -> String {
    let lines = matrix(machine, outputs);
    let column = |at: usize| lines.iter().map(|line| line[at].width()).max().unwrap_or(0);
    let widths: Vec<_> = (0..lines[0].len()).map(column).collect();
    if widths.iter().map(|width| width + 2).sum::<usize>() <= width {
        aligned(&lines, &widths)
    } else {
        list(machine, width, outputs)
    }
}

/// The header and a row for each state, as cells.
fn matrix(machine: &Machine, outputs: &ShownOutputs<'_>) -> Vec<Vec<String>> {
    let cell = |state, input| {
        let Some(Transition { target, output, is_open }) = machine.transition(state, input) else {
            return UNKNOWN.to_owned();
        };
        let output = outputs.show(machine.output_name(output));
        format!(
            "{output}{}",
            next(machine, state, target, is_open)
                .map_or_else(String::new, |next| format!(" {next}"))
        )
    };
    let names = machine.inputs().iter().map(|name| shown(name).to_owned());
    let mut lines = vec![std::iter::once("state".to_owned()).chain(names).collect::<Vec<_>>()];
    for state in 0..machine.states() {
        let cells = (0..Mealy::inputs(machine)).map(|input| cell(state, Input::new(input)));
        lines.push(std::iter::once(machine.state_label(state)).chain(cells).collect());
    }
    lines
}

/// Marks a transition that was never asked.
const UNKNOWN: &str = "?";

/// The target of a transition as text, or `None` if it is known to stay in its state.
fn next(machine: &Machine, state: u32, target: u32, is_open: bool) -> Option<String> {
    let guess = if is_open { "?" } else { "" };
    (is_open || state != target).then(|| format!("> {}{guess}", machine.state_text(target)))
}

/// The cells, each padded to the width of its column.
fn aligned(lines: &[Vec<String>], widths: &[usize]) -> String {
    let mut text = String::new();
    for line in lines {
        for (cell, width) in line.iter().zip(widths) {
            text.push_str("  ");
            pad(&mut text, cell, *width);
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// The states one below the other; inputs with the same output and next state share a line.
fn list(machine: &Machine, width: usize, outputs: &ShownOutputs<'_>) -> String {
    let groups: Vec<_> = (0..machine.states()).map(|state| groups(machine, state)).collect();
    let widths = groups.iter().flatten().map(|group| outputs.show(group.output).width());
    let longest = widths.max().unwrap_or(0).min(width / 2);
    // "  inputs  output  > 123?": the width that remains for the inputs.
    let guess = usize::from(machine.gaps().open > 0);
    let targets = (0..machine.states()).map(|state| machine.state_text(state).width());
    let next_width = targets.max().unwrap_or(0) + 4 + guess;
    let room = width.saturating_sub(longest + next_width + 4).max(16);
    let unknown = |state| machine.unknown_inputs(state).map(shown).collect::<Vec<_>>();
    let needed = groups.iter().flatten().map(|group| group.inputs.join(", ").width());
    let needed = needed.chain((0..machine.states()).map(|state| unknown(state).join(", ").width()));
    let room = needed.max().unwrap_or(0).min(room);
    let mut text = String::new();
    for (state, groups) in (0..).zip(&groups) {
        let mark = if state == machine.initial() { " (initial)" } else { "" };
        text.push_str(&format!("state {}{mark}\n", machine.state_label(state)));
        let mut line = |inputs: &[&str], output: &str, next: Option<String>| {
            let mut lines = wrapped(inputs, room).into_iter();
            text.push_str("  ");
            pad(&mut text, &lines.next().unwrap_or_default(), room);
            text.push_str("  ");
            pad(&mut text, output, longest);
            if let Some(next) = next {
                text.push_str(&format!("  {next}"));
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
            text.extend(lines.map(|line| format!("  {line}\n")));
        };
        for group in groups {
            let next = next(machine, state, group.next, group.is_open);
            line(&group.inputs, outputs.show(group.output), next);
        }
        if !unknown(state).is_empty() {
            line(&unknown(state), UNKNOWN, None);
        }
    }
    text
}

/// The inputs with the same output and next state in some state.
pub(crate) struct InputGroup<'m> {
    pub(crate) inputs: Vec<&'m str>,
    pub(crate) output: &'m str,
    pub(crate) next: u32,
    /// Whether the next state is a guess.
    pub(crate) is_open: bool,
}

/// The groups of a state, in the order of the inputs.
pub(crate) fn groups(machine: &Machine, state: u32) -> Vec<InputGroup<'_>> {
    let mut groups: Vec<InputGroup<'_>> = Vec::new();
    for input in (0..Mealy::inputs(machine)).map(Input::new) {
        let Some(Transition { target: next, output, is_open }) = machine.transition(state, input)
        else {
            continue;
        };
        let (name, output) = (shown(machine.input_name(input)), machine.output_name(output));
        let is_same = |group: &&mut InputGroup<'_>| {
            (group.output, group.next, group.is_open) == (output, next, is_open)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.inputs.push(name),
            None => groups.push(InputGroup { inputs: vec![name], output, next, is_open }),
        }
    }
    groups
}

/// Names separated by commas, in lines of at most `width` columns unless a name is longer.
pub(crate) fn wrapped(names: &[&str], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (at, name) in names.iter().enumerate() {
        let comma = if at + 1 < names.len() { "," } else { "" };
        let line = lines.last_mut().expect("there is a first one");
        if !line.is_empty() && line.width() + 1 + name.width() + comma.len() > width {
            lines.push(String::new());
        }
        let line = lines.last_mut().expect("there is a first one");
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(name);
        line.push_str(comma);
    }
    lines
}

fn pad(text: &mut String, cell: &str, width: usize) {
    text.push_str(cell);
    text.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width())));
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::demo_lock::DemoLock;
    use crate::machine::Builder;
    use crate::machine::testing::lamp;

    #[test]
    fn states_are_lines_and_inputs_columns() {
        let lines = ["  state  press    hold", "  0      on > 1   off", "  1      off > 0  on", ""];
        assert_eq!(table(&lamp(), 80), lines.join("\n"));
    }

    #[test]
    fn what_is_not_known_is_marked_and_counted() {
        let mut builder = Builder::default();
        builder.add(0, "press", 1, "on").expect("new");
        builder.add_open(0, "hold", 0, "off").expect("new");
        builder.add_open(1, "press", 0, "off").expect("new");
        let machine = builder.build_partial(0);
        let key = ["", "  ?     never asked: 1", "  > 0?  open, the next state is a guess: 2", ""];
        let lines =
            ["  state  press     hold", "  0      on > 1    off > 0?", "  1      off > 0?  ?"];
        assert_eq!(table(&machine, 80), [&lines[..], &key].concat().join("\n"));
        let lines = [
            "state 0 (initial)",
            "  press  on   > 1",
            "  hold   off  > 0?",
            "state 1",
            "  press  off  > 0?",
            "  hold   ?",
        ];
        assert_eq!(table(&machine, 20), [&lines[..], &key].concat().join("\n"));
    }

    #[test]
    fn wide_characters_and_empty_names_are_in_line() {
        let mut builder = Builder::default();
        builder.add(0, "押", 0, "").expect("new");
        builder.add(0, "a", 0, "開").expect("new");
        let machine = builder.build(0).expect("complete");
        let lines = ["  state  押       a", "  0      (empty)  開", ""];
        assert_eq!(table(&machine, 80), lines.join("\n"));
    }

    #[test]
    fn long_outputs_are_shortened_where_they_are_alike() {
        let mut builder = Builder::default();
        let menu = "1 status, 2 lamp; ".repeat(9);
        builder.add(0, "press", 1, &format!("{menu}lamp on")).expect("new");
        builder.add(1, "press", 0, &format!("{menu}lamp off")).expect("new");
        let machine = builder.build(0).expect("complete");
        let lines = [
            "  state  press",
            "  0      1 status, 2 lamp; 1 status, 2 lamp; 1 st…us, 2 lamp; lamp on > 1",
            "  1      1 status, 2 lamp; 1 status, 2 lamp; 1 st…s, 2 lamp; lamp off > 0",
            "",
            "  …     long outputs are shortened here, and nowhere else",
            "",
        ];
        assert_eq!(table(&machine, 80), lines.join("\n"));
        assert!(table(&machine, 500).contains(&menu), "there is room");
    }

    #[test]
    fn different_outputs_are_never_shortened_to_the_same_text() {
        let (begin, end) = ("16.8MB Sector size (logical/physical): 512B ", "System Name Flags ");
        let outputs: Vec<_> = ["gpt", "msdos", "loop"]
            .into_iter()
            .flat_map(|disk| {
                let empty = format!("{begin}Partition Table: {disk} Number Start End File {end}");
                [format!("{empty}1 1049kB 5243kB {end}"), empty]
            })
            .collect();
        let mut builder = Builder::default();
        for (state, output) in (0..).zip(&outputs) {
            builder.add(state, "print", (state + 1) % 6, output).expect("new");
        }
        let machine = builder.build(0).expect("complete");
        let text = table(&machine, 80);
        let cells = text.lines().filter(|line| line.contains(" > "));
        let cells: HashSet<_> =
            cells.filter_map(|line| line.get(9..)?.split(" > ").next()).collect();
        assert_eq!(cells.len(), outputs.len(), "{text}");
        assert!(
            text.contains("…: msdos Number Start End File…t End File System Name Flags  > 4"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    }

    #[test]
    fn what_is_too_wide_is_a_list_that_fits() {
        let lock = DemoLock::machine();
        let text = table(&lock, 60);
        assert!(text.starts_with("state 0 (initial)\n  1             beep        > 1\n"), "{text}");
        assert_eq!(text.matches("state ").count(), 28);
        assert_eq!(table(&lock, 100).lines().count(), 29, "there is room for columns");
        let mut many = Builder::default();
        for input in 0..200 {
            many.add(0, &format!("input{input}"), 0, "the same").expect("new");
        }
        let many = many.build(0).expect("complete");
        for (machine, width) in [(&lock, 40), (&lock, 60), (&many, 40), (&many, 80)] {
            let text = table(machine, width);
            let longest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(longest <= Some(width), "{longest:?} > {width}\n{text}");
            // Each transition is in the text: each name occurs once for each state.
            for name in machine.inputs() {
                let words = text.lines().filter(|line| !line.starts_with("state"));
                let words = words.flat_map(|line| line.split([' ', ',']));
                let count = words.filter(|word| word == name).count();
                assert!(count >= machine.states() as usize, "{name}: {count}\n{text}");
            }
        }
    }
}
