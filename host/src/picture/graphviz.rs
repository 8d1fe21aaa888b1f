//! Places the same boxes and edges with Graphviz, by running its program `dot` once for each
//! picture.

use std::fmt::Write;
use std::io;
use std::process::Command;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use super::graph::Graph;
use super::program::{ProgramFault, output};
use crate::duration_text;

/// Why Graphviz made no picture.
#[derive(Debug, Error, Diagnostic)]
pub enum GraphvizError {
    /// The program cannot be started.
    #[error("cannot start `dot`, the program of Graphviz")]
    #[diagnostic(help("install Graphviz, or leave out --engine dot"))]
    Start(#[source] io::Error),
    /// The time limit was reached and the program was killed.
    #[error("Graphviz has not drawn the machine within {}", duration_text::text(.0.as_secs_f64()))]
    #[diagnostic(help("leave out --engine dot, or show a --component, which is smaller"))]
    TooSlow(Duration),
    /// The program ended without a picture.
    #[error("Graphviz has not drawn the machine: its program `dot` failed")]
    #[diagnostic(help("leave out --engine dot"))]
    Failed,
}

/// Draws the graph with Graphviz within a time limit, as SVG, with the note as its caption.
pub(super) fn svg(
    graph: &Graph,
    note: Option<&str>,
    limit: Duration,
) -> Result<String, GraphvizError> {
    let svg = output(Command::new("dot").arg("-Tsvg"), text(graph, note), limit);
    let svg = svg.map_err(|fault| match fault {
        ProgramFault::Start(error) => GraphvizError::Start(error),
        ProgramFault::TooSlow => GraphvizError::TooSlow(limit),
        ProgramFault::Failed => GraphvizError::Failed,
    })?;
    let svg = String::from_utf8(svg).ok().filter(|svg| svg.contains("<svg"));
    svg.ok_or(GraphvizError::Failed)
}

/// The input of `dot`.
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
        let lines = std::iter::once(&state.name)
            .chain(state.loops.iter().map(|(_, line)| line))
            .chain(&state.unsure);
        let lines: Vec<_> = lines.cloned().collect();
        let look = if state.is_initial { " fillcolor=\"#e3f0e4\" penwidth=2" } else { "" };
        let (label, tooltip) = (quoted(&lines.join("\n")), quoted(&state.title));
        line(format_args!("{number} [label={label} tooltip={tooltip}{look}]"));
    }
    for edge in &graph.edges {
        let (label, tooltip) = (quoted(&edge.label.join("\n")), quoted(&edge.title));
        let look = if edge.look.is_open { " style=dashed" } else { "" };
        line(format_args!(
            "{} -> {} [label={label} tooltip={tooltip} labeltooltip={tooltip}{look}]",
            edge.from, edge.to
        ));
    }
    dot + "}\n"
}

/// The text as a quoted string in DOT.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    // Displayed names contain no control characters, and XML must not contain any.
    format!("\"{}\"", text.replace(|c: char| c.is_control(), " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo_lock::DemoLock;

    #[test]
    fn all_that_is_drawn_is_in_what_dot_is_given() {
        let graph = Graph::new(&DemoLock::machine());
        let text = text(&graph, Some("a \"note\" with a \\"));
        assert!(text.contains(r#"label="a \"note\" with a \\""#), "{text}");
        assert_eq!(text.matches(" -> ").count(), graph.edges.len());
        assert_eq!(text.matches(" tooltip=").count(), graph.boxes.len() + graph.edges.len());
    }
}
