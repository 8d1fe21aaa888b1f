//! Files of other tools, errors in refused files, and unusual symbols in both directions.

use std::collections::BTreeSet;

use mealybug_core::Mealy;

use super::{DotFault, decode, note, read, read_complete, write, write_with_note};
use crate::error_style::ErrorStyle;
use crate::machine::testing::{Random, lamp, partial, random};
use crate::machine::{Builder, Gaps, Machine, separate};

fn machine(text: &str) -> Machine {
    read("test.dot", text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn fault(text: &str) -> DotFault {
    read("test.dot", text).expect_err("it should be refused").fault().clone()
}

/// The error as the user sees it.
fn report(text: &str) -> String {
    let error = read("test.dot", text).expect_err("it should be refused");
    ErrorStyle::plain(200).render(error.as_ref())
}

#[test]
fn files_of_other_tools_mean_the_lamp() {
    let files = [
        // LearnLib
        "digraph g {\n\n\ts0 [shape=\"circle\" label=\"0\"];\n\ts1 [shape=\"circle\" label=\"1\"];\n\
         \ts0 -> s1 [style=\"bold\" label=\"press / on\"];\n\ts0 -> s0 [label=\"hold / off\"];\n\
         \ts1 -> s0 [label=\"press / off\"];\n\ts1 -> s1 [label=\"hold / on\"];\n\n\
         __start0 [label=\"\" shape=\"none\" width=\"0\" height=\"0\"];\n__start0 -> s0;\n\n}\n",
        // AALpy, through pydot: declarations and the start node in any order
        "digraph LearnedModel {\ns1 [label=s1];\ns0 [label=\"s0\"];\n\
         s0 -> s1  [label=\"press/on\"];\ns0 -> s0  [label=\"hold/off\"];\n\
         s1 -> s0  [label=\"press/off\"];\ns1 -> s1  [label=\"hold/on\"];\n\
         __start0 [label=\"\", shape=none];\n__start0 -> s0  [label=\"\"];\n}\n",
        // The automata wiki: nodes without attributes, no start node, bare numbers, no semicolons
        "digraph {\n0\n1\n0 -> 1 [label=\"press/on\"]\n0 -> 0 [label=\"hold/off\"]\n\
         1 -> 0 [label=\"press/off\"]\n1 -> 1 [label=\"hold/on\"]\n}",
        // HTML tables with one transition a row, and entities
        "digraph g { __start [label=<>]; __start -> \"off\"; \"off\" [label=<<b>off</b>>];\n\
         off -> on [label=<<table border=\"0\" cellspacing=\"0\"><tr><td>press</td><td>/</td>\
         <td>on</td></tr></table>>];\n\
         off -> off [label=<hold / off>]; on -> off [label=<<i>press</i> / &#111;ff<br/>>];\n\
         on -> on [label=<<TABLE><TR><TD>hold</TD><TD>/</TD><TD>on</TD></TR></TABLE>>]; }",
        // Everything else that DOT allows
        "\u{feff}/* a\n lamp */ STRICT Digraph \"the \\\"lamp\\\"\" { rankdir=LR; // left to right\n\
         graph [splines=true] node [shape=circle, label=\"x\"]; edge [label=\"a / b\"]\n\
         legend [shape=note label=\"a note / no state\"]\n# a comment\n\
         i -> -1.5[color=red;weight=2,label=\"\"][style=dotted];\n\
         subgraph cluster_0 { label=\"both\"; \"-1.5\":n->\"é\":s:w[label=\"press / on\",color=red]}\n\
         { \"-1.5\"->\"-1.5\"[fontsize=8][label=\"hold / off\"]; }\n\
         é -> \"-1.5\" [label=\"press / off\" URL=\"http://example.org/->\"];; é->é[label=\"hold/on\"]}",
    ];
    for file in files {
        assert_eq!(machine(file).minimise(), lamp(), "{file}");
    }
}

#[test]
fn one_edge_may_say_several_transitions_and_a_chain_several_edges() {
    let rows = "digraph { __start0 -> a; a -> b [label=<<table>\
                <tr><td>x</td><td>/</td><td>0</td></tr>\n<tr><td>y</td><td>/</td><td>1/2</td></tr>\
                </table>>]; b -> b [label=<x / 2<br/>y / 3>]; }";
    let machine_of_rows = machine(rows);
    assert_eq!(machine_of_rows.inputs(), ["x", "y"]);
    assert_eq!(machine_of_rows.outputs(), ["0", "1/2", "2", "3"]);
    let chain = machine("digraph { a -> b -> c -> a [label=\"x / 0\"]; }");
    assert_eq!((chain.states(), chain.minimise().states()), (3, 1));
}

#[test]
fn labels_have_the_reading_that_is_clear() {
    let read = |label: &str| {
        let machine = machine(&format!("digraph {{ a -> a [label={label}] }}"));
        (machine.inputs()[0].clone(), machine.outputs()[0].clone())
    };
    let cases = [
        (r#""a/b""#, "a", "b"),
        (r#""  a  /  b  ""#, "a", "b"),
        (r#""GET /index.html / 200""#, "GET /index.html", "200"),
        (r#""a/b / c/d""#, "a/b", "c/d"),
        (r#""a / ""#, "a", ""),
        (r#""a/""#, "a", ""),
        (r#""/ b""#, "", "b"),
        (r#""a b / c | d""#, "a b", "c | d"),
        (r#""at \"x\" / C:\\""#, "at \"x\"", "C:\\"),
        (r#""OK\r\n / \x""#, "OK\\r\\n", "\\x"),
        ("\"long \\\nname / b\"", "long name", "b"),
        (r#""50% / 100%25""#, "50%", "100%"),
        (r#""%d %41 %zz %é % / %2f""#, "%d %41 %zz %é %", "%2f"),
        (r#""a%2Fb / %20%0A%7F""#, "a/b", " \n\x7f"),
        ("<a &lt;&gt;&amp;&quot;&apos; / &#x41;&nbsp;&#66;>", "a <>&\"'", "A B"),
        ("<a &amp;lt; / R&D &;un known; &>", "a &lt;", "R&D &;un known; &"),
        ("<a/b>", "a", "b"),
    ];
    for (label, input, output) in cases {
        assert_eq!(read(label), (input.to_owned(), output.to_owned()), "{label}");
    }
}

#[test]
fn labels_without_a_clear_reading_are_refused() {
    for label in [
        "\"a\"",
        "a",
        "\"a/b/c\"",
        "\"a / b / c\"",
        "\"http://a\"",
        "<<b>a</b>>",
        "<a / b / c>",
        "<a / &eacute;>",
        "<&#x110000; / b>",
    ] {
        let text = format!("digraph {{ __start0 -> a; a -> a [label={label}] }}");
        let DotFault::Label { at, .. } = fault(&text) else { panic!("{:?}", fault(&text)) };
        assert_eq!(&text[at.offset()..at.offset() + at.len()], label);
    }
    let text = "digraph { __start0 -> a; a -> a [label=\"x/y\"]\na -> b [color=red];\n}";
    let DotFault::Label { at, .. } = fault(text) else { panic!("{:?}", fault(text)) };
    assert_eq!(&text[at.offset()..at.offset() + at.len()], "a -> b");
}

#[test]
fn edges_have_the_default_label_of_their_group() {
    let machine = machine(
        "digraph { edge [label=\"a / x\"]; s0 -> s1; { edge [label=\"b / y\" open=true]; s0 -> s0; }\n\
         s1 -> s0; s1 -> s1 [label=\"b / z\"]; edge [label=\"c / x\"]; s0 -> s1 }",
    );
    let b = machine.find_input("b").expect("an input");
    let outputs = |state, input| {
        let found = machine.transition(state, machine.find_input(input)?)?;
        Some(machine.output_name(found.output).to_owned())
    };
    let expected = [(0, "a", "x"), (1, "a", "x"), (0, "b", "y"), (1, "b", "z"), (0, "c", "x")];
    for (state, input, output) in expected {
        assert_eq!(outputs(state, input).as_deref(), Some(output), "{state} {input}");
    }
    assert_eq!(
        [0, 1].map(|state| machine.transition(state, b).expect("known").is_open),
        [true, false]
    );
    // The arrow to the initial state has a default label, too: there is no start node any more.
    let text = "digraph { edge [label=\"a / x\"]; __start0 -> s0; s0 -> s0 }";
    assert!(matches!(fault(text), DotFault::NoInitialState { .. }), "{:?}", fault(text));
}

#[test]
fn edges_of_groups_are_refused() {
    for (text, here) in [
        ("digraph { s2 -> {s0 s1} [label=\"a / x\"] }", "{"),
        ("digraph { s2 -> subgraph g {s0 s1} [label=\"a / x\"] }", "subgraph"),
        ("digraph { {s0 s1} -> s2 [label=\"a / x\"] }", "->"),
    ] {
        let DotFault::Group { at } = fault(text) else { panic!("{:?}", fault(text)) };
        assert_eq!(&text[at.offset()..at.offset() + at.len()], here);
    }
}

#[test]
fn faults_point_at_their_lines() {
    let nondeterministic = "digraph g {\n  s0 -> s1 [label=\"a / x\"];\n  s1 -> s0 [label=\"a / x\"];\n  \
                            s0 -> s0 [label=\"a / x\"];\n}\n";
    assert_eq!(
        report(nondeterministic),
        "  × nondeterministic: the state `s0` has two transitions for the input `a`
   ╭─[test.dot:2:19]
 1 │ digraph g {
 2 │   s0 -> s1 [label=\"a / x\"];
   ·                   ───┬───
   ·                      ╰── one transition
 3 │   s1 -> s0 [label=\"a / x\"];
 4 │   s0 -> s0 [label=\"a / x\"];
   ·                   ───┬───
   ·                      ╰── and another one
 5 │ }
   ╰────
  help: remove one of them: the same word must always give the same answer
"
    );
}

#[test]
fn who_needs_a_complete_machine_is_told_what_is_missing() {
    let text = "digraph g {\n  s0 -> s1 [label=\"a / x\"];\n  s1 -> s0 [label=\"a / x\"];\n  \
                s0 -> s0 [label=\"b / x\"];\n}\n";
    let error = read_complete("test.dot", text).expect_err("it is partial");
    assert_eq!(
        ErrorStyle::plain(200).render(error.as_ref()),
        "  × incomplete: the state `s1` has no transition for the input `b`
   ╭─[test.dot:2:9]
 1 │ digraph g {
 2 │   s0 -> s1 [label=\"a / x\"];
   ·         ─┬
   ·          ╰── this state
 3 │   s1 -> s0 [label=\"a / x\"];
 4 │   s0 -> s0 [label=\"b / x\"];
   ·                   ───┬───
   ·                      ╰── another state has it
 5 │ }
   ╰────
  help: a device answers every input in every state: give a model with exactly one transition for each
"
    );
    let whole = write(&lamp());
    assert_eq!(read_complete("test.dot", &whole).expect("complete"), lamp());
}

#[test]
fn what_a_state_lacks_is_unknown() {
    let partial = machine(
        "digraph g {\n  s0 -> s1 [label=\"a / x\"];\n  s1 -> s0 [label=\"a / x\" style=dashed];\n  \
         s0 -> s0 [label=\"b / x\", open=true];\n s0 -> s2 [label=\"c / x\" open=false]}\n",
    );
    assert_eq!((partial.states(), partial.gaps()), (3, Gaps { open: 1, unknown: 5 }));
    let text = write(&partial);
    assert!(
        text.contains("\n  s0 -> s0 [label=\"b/x\" style=\"dashed\" open=\"true\"];\n"),
        "{text}"
    );
    let comment = "\n  // transitions left out, since they were never asked: 5\n}\n";
    assert!(text.ends_with(comment), "{text}");
    assert_eq!(note(&text), None);
    assert_eq!(machine(&text), partial);
    let never = partial.clone().with_unasked("d/\n}");
    let text = write(&never);
    assert!(text.ends_with("never asked: 8; among them all of `d%2F%0A}`\n}\n"), "{text}");
    assert_eq!(machine(&text), partial);
}

#[test]
fn the_initial_state_is_said_once() {
    let missing = fault("digraph { __start0 [label=\"\"]; a -> a [label=\"x/y\"] }");
    assert!(matches!(missing, DotFault::NoInitialState { .. }), "{missing:?}");
    for text in [
        "digraph { __start0 -> A; a -> a [label=\"x/y\"] }",
        "digraph { __start0 -> b; a -> b [label=\"x/y\"] }",
        "digraph { b; a -> b [label=\"x/y\"] }",
    ] {
        assert!(matches!(fault(text), DotFault::NoWayOut { .. }), "{text}: {:?}", fault(text));
    }
    // A node that is no state is not the first one.
    let stray = machine("digraph { title; a -> a [label=\"x/y\"] }");
    assert_eq!((stray.states(), stray.transitions().count()), (1, 1));
    let twice = fault("digraph { __start0 -> a; __start1 -> b; a -> b -> a [label=\"x/y\"] }");
    assert!(matches!(twice, DotFault::TwoInitialStates { .. }), "{twice:?}");
    for text in ["digraph { }", "digraph { __start0 -> a; b }", "digraph { a -> b -> a }"] {
        assert!(matches!(fault(text), DotFault::NoTransitions { .. }), "{text}");
    }
}

#[test]
fn what_is_not_dot_is_refused_where_it_goes_wrong() {
    let cases = [
        ("", 0),
        ("graph { a -- b }", 0),
        ("digraph ", 8),
        ("digraph g [", 10),
        ("digraph { a -> }", 15),
        ("digraph { a -> b [label=] }", 24),
        ("digraph { a -> b [label=\"x/y\" }", 30),
        ("digraph { a -- b }", 12),
        ("digraph { a = }", 14),
        ("digraph { \"a }", 10),
        ("digraph { a [label=<<b>a</b>] }", 19),
        ("digraph { /* a }", 10),
        ("digraph { é@ }", 12),
        ("digraph { a ", 12),
        ("digraph { { a }", 15),
        ("digraph { a } digraph { b }", 14),
        ("digraph { /*/ a -> a", 10),
    ];
    for (text, offset) in cases {
        let DotFault::Syntax { at, .. } = fault(text) else { panic!("{text}: {:?}", fault(text)) };
        assert_eq!(at.offset(), offset, "{text}");
        report(text);
    }
}

/// Cutting and changing a valid file never causes a panic; errors point into the text.
#[test]
fn broken_files_are_errors() {
    let good = "strict digraph \"g\" { __start -> é; /* c */ é -> é [label=<a &lt;<br/> / b>, x=y];\n\
                é -> é [label=\"%2F\\\\ / \\\"b\"] # end\n}";
    let mut source = Random::new(5);
    let marks: Vec<char> = "\"<>{}[]=;,:-/\\%&#é \n".chars().collect();
    for _ in 0..20_000 {
        let mut text: Vec<char> = good.chars().collect();
        for _ in 0..1 + source.below(3) {
            let at = source.below(u32::try_from(text.len()).expect("short")) as usize;
            match source.below(3) {
                0 => drop(text.remove(at)),
                1 => text[at] = marks[source.below(20) as usize % marks.len()],
                _ => text.insert(at, marks[source.below(20) as usize % marks.len()]),
            }
        }
        let text = String::from_iter(text);
        if let Err(error) = read("test.dot", &text) {
            ErrorStyle::plain(200).render(error.as_ref());
        }
    }
}

/// All words of at most four of these characters, as inputs and as outputs.
#[test]
fn nasty_symbols_survive() {
    let nasty = ['a', '/', '"', '|', '\\', ' ', '%', '2', 'F', '\n', '<', '\u{a0}', '{'];
    let mut symbols = vec![String::new()];
    for at in 0.. {
        let Some(symbol) = symbols.get(at).filter(|symbol| symbol.chars().count() < 4) else {
            break;
        };
        let symbol = symbol.clone();
        symbols.extend(nasty.iter().map(|c| format!("{symbol}{c}")));
    }
    let mut builder = Builder::default();
    for (input, output) in symbols.iter().zip(symbols.iter().rev()) {
        builder.add(0, input, 0, output).expect("new");
    }
    let original = builder.build(0).expect("complete");
    let text = write(&original);
    assert_eq!(machine(&text), original);
    // Other tools rely on one slash a label, one line a transition and no quotation mark in a
    // symbol.
    for line in text.lines().filter(|line| line.contains("[label=\"s0")) {
        assert_eq!(line, "  s0 [label=\"s0\"];");
    }
    for line in text.lines().skip(4).take(symbols.len()) {
        assert_eq!(line.matches('/').count(), 1, "{line}");
        assert_eq!(line.matches('"').count(), 2, "{line}");
        let label = line.strip_prefix("  s0 -> s0 [label=\"").and_then(|l| l.strip_suffix("\"];"));
        let (input, output) = label.and_then(|label| label.split_once('/')).expect("a label");
        // AALpy keeps blanks and removes braces around a label. LearnLib wants something behind the
        // slash, and no backslash before the quotation mark.
        assert_eq!(input, input.trim_matches(' '), "{line}");
        assert!(output == " " || output == output.trim_matches(' '), "{line}");
        assert!(!input.starts_with('{') && !output.is_empty(), "{line}");
        assert!(!output.ends_with('\\'), "{line}");
    }
    assert_eq!(text.lines().count(), symbols.len() + 5);
}

#[test]
fn machines_survive() {
    let mut source = Random::new(6);
    for _ in 0..300 {
        let original = random(&mut source, 10, 3, 4);
        let again = machine(&write(&original));
        assert_eq!((again.states(), again.initial()), (original.states(), original.initial()));
        assert_eq!(separate(&original, &again), Ok(None));
        assert_eq!(machine(&write(&original.minimise())), original.minimise());
        let partial = partial(&mut source, 10, 3, 4);
        // An input that is never asked, and a state at no transition, are missing from the file.
        let inputs: BTreeSet<_> = partial.transitions().map(|(_, input, _)| input).collect();
        if inputs.len() == 3 {
            let again = machine(&write(&partial));
            assert_eq!(separate(&partial, &again), Ok(None));
            assert_eq!(partial.minimise().gaps(), again.minimise().gaps());
        }
    }
}

#[test]
fn a_note_is_a_comment_and_a_title_and_changes_no_machine() {
    let text = write_with_note(&lamp(), Some("NOT CONVERGED: \"it\"\nwas } \\interrupted"));
    let written = "NOT CONVERGED:  it  was }  interrupted";
    assert_eq!(note(&text), Some(written));
    assert!(text.contains(&format!("; label=\"{written}\"; ")), "{text}");
    assert_eq!(note(&write(&lamp())), None);
    // AALpy takes each line with a label and no arrow for a state, except that of the start node.
    let is_state = |line: &&str| line.contains("label") && !line.contains("->");
    let states = text.lines().filter(is_state).filter(|line| !line.contains("__start0"));
    assert_eq!(states.count(), 2, "{text}");
    assert_eq!(machine(&text), lamp());
}

#[test]
fn text_in_another_encoding_is_refused_with_its_place() {
    let text = "digraph {\n 0 -> 0 [label=\"drücken / an\"];\n}";
    assert_eq!(decode("test.dot", text.as_bytes()).expect("UTF-8"), text);
    let latin1: Vec<u8> = text.chars().map(|c| u8::try_from(c).expect("Latin-1")).collect();
    let error = decode("test.dot", &latin1).expect_err("it is Latin-1");
    let DotFault::Encoding { line, byte, value, .. } = *error.fault() else { panic!("{error}") };
    assert_eq!((line, byte, value), (2, 19, 0xFC));
    let shown = ErrorStyle::plain(200).render(error.as_ref());
    for part in [
        "the file is not UTF-8: byte 19 of line 2 is 0xFC",
        "test.dot:2:19",
        "iconv -f latin1 -t utf8 FILE > NEW",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
