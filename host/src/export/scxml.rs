//! A machine as SCXML, for tools that run or draw state charts.
//!
//! Source: *State Chart XML (SCXML): State Machine Notation for Control Abstraction*, W3C
//! Recommendation, 2015. An input is an event, and an output is logged: as an event it could be
//! taken for an input of the same name. The name of an event has letters, digits, `_`, `:` and `-`;
//! a dot has a meaning of its own. Other characters, and `:`, are written as their hexadecimal code
//! between colons: `GET:20:index`. An empty name is `::`.

use std::fmt::Write as _;

use mealybug_core::Mealy;

use super::coded;
use crate::machine::{Machine, Transition};

/// Writes the machine as SCXML, with the note if there is one. Comments mark open transitions and
/// list the inputs that were never asked in a state;
/// the name of a state is one, too.
pub fn scxml(machine: &Machine, note: Option<&str>) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(text, "{line}").expect("a string takes everything");
    };
    line(format_args!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
    if let Some(note) = note {
        line(format_args!("{}", comment(note)));
    }
    line(format_args!(
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" \
         datamodel=\"ecmascript\" initial=\"s{}\">",
        machine.initial()
    ));
    let mut transitions = machine.transitions().peekable();
    for state in 0..machine.states() {
        let name = machine.state_name(state).map_or_else(String::new, comment);
        line(format_args!("  <state id=\"s{state}\">{name}"));
        while let Some((_, input, Transition { target, output, is_open })) =
            transitions.next_if(|&(from, ..)| from == state)
        {
            let mark = if is_open { comment("open: the target is a guess") } else { String::new() };
            line(format_args!(
                "    <transition event=\"{}\" target=\"s{target}\">\
                 <log label=\"output\" expr=\"{}\"/>{mark}</transition>",
                event(machine.input_name(input)),
                expression(machine.output_name(output))
            ));
        }
        let unknown: Vec<_> = machine.unknown_inputs(state).map(event).collect();
        if !unknown.is_empty() {
            line(format_args!("    {}", comment(&format!("never asked: {}", unknown.join(", ")))));
        }
        line(format_args!("  </state>"));
    }
    line(format_args!("</scxml>"));
    text
}

fn event(name: &str) -> String {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || (!c.is_ascii() && c.is_alphabetic())
    };
    if name.is_empty() { "::".to_owned() } else { coded(name, is_plain, |c| format!(":{c:X}:")) }
}

/// The name as a string of ECMAScript, in an attribute.
fn expression(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    text.push('\'');
    for c in name.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '"' => text.push_str("&quot;"),
            // XML cannot hold some of these, and ECMAScript cannot hold others in a string.
            '\'' | '\\' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}' => code(&mut text, c),
            _ if c.is_control() => code(&mut text, c),
            _ => text.push(c),
        }
    }
    text + "'"
}

fn code(text: &mut String, c: char) {
    write!(text, "\\u{:04x}", u32::from(c)).expect("a string takes everything");
}

fn comment(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    format!("<!-- {} -->", text.chars().map(plain).collect::<String>().replace("--", "- -"))
}

#[cfg(test)]
mod tests {
    use roxmltree::{Document, Node};

    use super::*;
    use crate::machine::testing::{Random, lamp, random};
    use crate::machine::{Builder, separate};

    fn read(text: &str) -> Machine {
        let document = Document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let state = |name: &str| name[1..].parse::<u32>().expect("a number");
        let attribute =
            |node: Node<'_, '_>, name| node.attribute(name).expect("it is there").to_owned();
        let mut builder = Builder::default();
        for node in document.descendants().filter(|node| node.has_tag_name("transition")) {
            let from = attribute(node.parent().expect("a state"), "id");
            let log = node.first_element_child().expect("an output");
            let event = attribute(node, "event");
            // Codes stand between colons, so every second piece is one.
            let pieces = event.split(':').enumerate().map(|(at, piece)| match (at % 2, piece) {
                (0, _) | (_, "") => piece.to_owned(),
                _ => {
                    let code = u32::from_str_radix(piece, 16).expect("a code");
                    char::from_u32(code).expect("a character").to_string()
                }
            });
            // What JSON and ECMAScript write as strings differs only in the quotation marks.
            let expression = attribute(log, "expr").replace('"', "\\\"");
            let json = format!("\"{}\"", &expression[1..expression.len() - 1]);
            let output: String = serde_json::from_str(&json).expect("a string");
            let (from, to) = (state(&from), state(&attribute(node, "target")));
            builder.add(from, &pieces.collect::<String>(), to, &output).expect("new");
        }
        builder.build_partial(state(&attribute(document.root_element(), "initial")))
    }

    #[test]
    fn what_is_written_reads_as_the_same_machine() {
        let mut source = Random::new(23);
        for _ in 0..50 {
            let machine = random(&mut source, 9, 3, 4);
            let again = read(&scxml(&machine, Some("a -- note --> -")));
            assert_eq!(separate(&machine, &again), Ok(None));
            assert_eq!(again.states(), machine.states());
        }
    }

    #[test]
    fn names_of_any_kind_survive() {
        let names = [
            "", " ", "a / b", "x:y", ":20:", "a.b", "*", "<br/>", "\"", "'", "\\u0041", "é", "\n",
            " a b ", "&amp;", "-->", "\0", "\u{2028}", "\u{ffff}", "²", "😀", "a--b",
        ];
        let mut builder = Builder::default();
        for (input, output) in names.iter().zip(names.iter().rev()) {
            builder.add(0, input, 0, output).expect("new");
        }
        let machine = builder.build(0).expect("complete");
        let text = scxml(&machine, None);
        assert_eq!(read(&text), machine);
        let document = Document::parse(&text).expect("XML");
        for event in document.descendants().filter_map(|node| node.attribute("event")) {
            let may_stand = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':');
            assert!(!event.is_empty() && event.chars().all(may_stand), "{event}");
        }
    }

    #[test]
    fn what_is_not_known_is_said() {
        let mut builder = Builder::default();
        builder.add(0, "a", 1, "x").expect("new");
        builder.add_open(1, "b--", 0, "x").expect("new");
        let text = scxml(&builder.build_partial(0), None);
        assert_eq!(text.matches("<!-- open: the target is a guess -->").count(), 1);
        assert!(text.contains("<!-- never asked: b- - -->"), "{text}");
        read(&text);
    }

    #[test]
    fn it_looks_like_this() {
        let text = scxml(&lamp(), None);
        let begin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" \
            datamodel=\"ecmascript\" initial=\"s0\">\n  \
            <state id=\"s0\">\n    \
            <transition event=\"press\" target=\"s1\"><log label=\"output\" expr=\"'on'\"/></transition>\n";
        assert!(text.starts_with(begin) && text.ends_with("  </state>\n</scxml>\n"), "{text}");
    }
}
