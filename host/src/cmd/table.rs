//! A machine as a table that people read.

use mealybug::machine::Machine;
use mealybug_core::{Input, Mealy};

/// The machine with a line for each state and a column for each input. A cell holds the output, and
/// the next state where that is another one.
pub(crate) fn table(machine: &Machine) -> String {
    let cell = |state, input| {
        let (next, output) = machine.transition(state, input);
        let output = machine.output_name(output);
        if next == state { output.to_owned() } else { format!("{output} > {next}") }
    };
    let inputs = || (0..Mealy::inputs(machine)).map(Input::new);
    let header = std::iter::once("state".to_owned()).chain(machine.inputs().iter().cloned());
    let mut lines = vec![header.collect::<Vec<_>>()];
    for state in 0..machine.states() {
        let cells = inputs().map(|input| cell(state, input));
        lines.push(std::iter::once(state.to_string()).chain(cells).collect());
    }
    let width = |column: usize| lines.iter().map(|line| len(&line[column])).max().unwrap_or(0);
    let widths: Vec<_> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        for (cell, width) in line.iter().zip(&widths) {
            text.push_str("  ");
            text.push_str(cell);
            text.extend(std::iter::repeat_n(' ', width - len(cell)));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

fn len(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use mealybug::machine::Builder;

    use super::*;

    #[test]
    fn states_are_lines_and_inputs_columns() {
        let mut lamp = Builder::default();
        let transitions = [
            (0, "press", 1, "on"),
            (0, "hold", 0, "dark"),
            (1, "press", 0, "off"),
            (1, "hold", 1, "on"),
        ];
        for (from, input, to, output) in transitions {
            lamp.add(from, input, to, output).expect("a new transition");
        }
        let lines =
            ["  state  press    hold", "  0      on > 1   dark", "  1      off > 0  on", ""];
        assert_eq!(table(&lamp.build(0).expect("a machine")), lines.join("\n"));
    }
}
