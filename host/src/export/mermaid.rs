//! A machine as a Mermaid state diagram, which many wikis and code hosts draw.
//!
//! Source: *Mermaid, State diagrams*. A description ends at the end of its line, or at a semicolon;
//! `#` begins an entity, such as `#58;` for a colon. Anything but letters, digits and harmless
//! characters is therefore written as an entity. The only literal slash separates input and output.

use std::fmt::Write as _;

use mealybug_core::Mealy;

use super::{coded, is_plain_in_diagram};
use crate::machine::{Machine, Transition};

/// Marks the output of an open transition, because Mermaid has no dashed edges.
const OPEN: &str = " (open)";

/// Writes the machine as a Mermaid state diagram, with the note if there is one. Open transitions
/// are marked, and a note beside each state lists the inputs that were never asked there.
pub fn mermaid(machine: &Machine, note: Option<&str>) -> String {
    let mut text = String::from("stateDiagram-v2\n");
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(text, "    {line}").expect("a string takes everything");
    };
    if let Some(note) = note {
        let initial = machine.initial();
        line(format_args!("note left of s{initial} : {}", escaped(note)));
    }
    for state in 0..machine.states() {
        if let Some(name) = machine.state_name(state) {
            line(format_args!("s{state} : {}", escaped(name)));
        }
    }
    line(format_args!("[*] --> s{}", machine.initial()));
    for (from, input, Transition { target, output, is_open }) in machine.transitions() {
        let (input, output) = (machine.input_name(input), machine.output_name(output));
        let mark = if is_open { OPEN } else { "" };
        line(format_args!(
            "s{from} --> s{target} : {} / {}{mark}",
            escaped(input),
            escaped(output)
        ));
    }
    for state in 0..machine.states() {
        let unknown: Vec<_> = machine.unknown_inputs(state).map(escaped).collect();
        if !unknown.is_empty() {
            line(format_args!("note right of s{state} : #63; {}", unknown.join(", ")));
        }
    }
    text
}

fn escaped(name: &str) -> String {
    coded(name, is_plain_in_diagram, |code| format!("#{code};"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::testing::{Random, lamp, random};
    use crate::machine::{Builder, separate};

    /// Undoes entities.
    fn unescaped(text: &str) -> String {
        let mut pieces = text.split('#');
        let mut name = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (code, rest) = piece.split_once(';').expect("an entity ends");
            name.push(char::from_u32(code.parse().expect("a number")).expect("a character"));
            name.push_str(rest);
        }
        name
    }

    fn read(text: &str) -> Machine {
        let mut builder = Builder::default();
        let state = |name: &str| name.trim().strip_prefix('s').expect("s").parse::<u32>();
        let mut initial = None;
        for line in text.lines().skip(1).filter(|line| !line.trim().starts_with("note")) {
            let (from, rest) = line.trim().split_once(" --> ").expect("an edge");
            let Some((to, label)) = rest.split_once(" : ") else {
                initial = Some(state(rest).expect("a state"));
                continue;
            };
            assert!(!label.contains([':', '-', '"', '<', '%']), "{label}");
            let (input, output) = label.split_once('/').expect("a slash");
            let (input, output) = (input.trim(), output.trim());
            let (from, to) = (state(from).expect("a state"), state(to).expect("a state"));
            builder.add(from, &unescaped(input), to, &unescaped(output)).expect("new");
        }
        builder.build(initial.expect("it is said")).expect("complete")
    }

    #[test]
    fn what_is_written_reads_as_the_same_machine() {
        let mut source = Random::new(22);
        for _ in 0..50 {
            let machine = random(&mut source, 9, 3, 4);
            let again = read(&mermaid(&machine, Some("a: note")));
            assert_eq!(separate(&machine, &again), Ok(None));
            assert_eq!(again.states(), machine.states());
        }
    }

    #[test]
    fn names_of_any_kind_survive() {
        let names = [
            "", " ", "a / b", "x:y", "#35;", "a;b", "<br/>", "\"", "é", "\n", " a b ", "%%", "-->",
        ];
        let mut builder = Builder::default();
        for (input, output) in names.iter().zip(names.iter().rev()) {
            builder.add(0, input, 0, output).expect("new");
        }
        let machine = builder.build(0).expect("complete");
        assert_eq!(read(&mermaid(&machine, None)), machine);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let mut builder = Builder::default();
        builder.add(0, "a", 1, "x").expect("new");
        builder.add_open(1, "b", 0, "x").expect("new");
        let text = mermaid(&builder.build_partial(0).with_unasked("c:"), None);
        let lines: Vec<_> = text.lines().skip(2).map(str::trim).collect();
        let expected = [
            "s0 --> s1 : a / x",
            "s1 --> s0 : b / x (open)",
            "note right of s0 : #63; b, c#58;",
            "note right of s1 : #63; a, c#58;",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn it_looks_like_this() {
        let text = mermaid(&lamp(), None);
        assert_eq!(
            text,
            "stateDiagram-v2\n    [*] --> s0\n    s0 --> s1 : press / on\n    \
             s0 --> s0 : hold / off\n    s1 --> s0 : press / off\n    s1 --> s1 : hold / on\n"
        );
    }
}
