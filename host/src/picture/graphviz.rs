//! The same boxes and edges, placed by Graphviz where it is installed.
//!
//! Its program `dot` is asked once for each picture. Whatever goes wrong (it is not there, it fails) is
//! no trouble: there is the layout of our own.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::graph::Graph;

/// The graph as SVG by Graphviz, with the note as its caption; none without Graphviz.
pub(super) fn svg(graph: &Graph, note: Option<&str>) -> Option<String> {
    let mut dot = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // It reads all before it writes. Dropping its input ends it.
    let sent = dot.stdin.take()?.write_all(text(graph, note).as_bytes());
    let output = dot.wait_with_output().ok()?;
    sent.ok()?;
    let svg = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && svg.contains("<svg")).then_some(svg)
}

/// What `dot` is given.
fn text(graph: &Graph, note: Option<&str>) -> String {
    let mut dot = "digraph machine {\n  graph [fontname=\"monospace\" fontsize=13 labelloc=t \
                   fontcolor=\"#b3261e\" class=machine]\n  node [shape=box style=\"rounded,filled\" \
                   fillcolor=\"#f4f6f8\" color=\"#52606d\" fontname=\"monospace\" fontsize=11]\n  edge \
                   [color=\"#52606d\" fontname=\"monospace\" fontsize=10]\n"
        .to_owned();
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(dot, "  {line}").expect("a string takes everything");
    };
    if let Some(note) = note {
        line(format_args!("label={}", quoted(note)));
    }
    for (number, state) in graph.boxes.iter().enumerate() {
        let lines = std::iter::once(&state.name).chain(&state.loops).chain(&state.unsure);
        let lines: Vec<_> = lines.cloned().collect();
        let look = if number == 0 { " fillcolor=\"#e3f0e4\" penwidth=2" } else { "" };
        let (label, tooltip) = (quoted(&lines.join("\n")), quoted(&state.title));
        line(format_args!("{number} [label={label} tooltip={tooltip}{look}]"));
    }
    for edge in &graph.edges {
        let (label, tooltip) = (quoted(&edge.label.join("\n")), quoted(&edge.title));
        let look = if edge.is_open { " style=dashed" } else { "" };
        line(format_args!(
            "{} -> {} [label={label} tooltip={tooltip} labeltooltip={tooltip}{look}]",
            edge.from, edge.to
        ));
    }
    dot + "}\n"
}

/// A string of DOT that shows this text.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    // Of control characters there are none in names that are shown, and none may come into XML.
    format!("\"{}\"", text.replace(|c: char| c.is_control(), " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo_lock::DoorLock;

    #[test]
    fn all_that_is_drawn_is_in_what_dot_is_given() {
        let graph = Graph::new(&DoorLock::machine());
        let text = text(&graph, Some("a \"note\" with a \\"));
        assert!(text.contains(r#"label="a \"note\" with a \\""#), "{text}");
        assert_eq!(text.matches(" -> ").count(), graph.edges.len());
        assert_eq!(text.matches(" tooltip=").count(), graph.boxes.len() + graph.edges.len());
    }
}
