//! Pictures of machines, as SVG.
//!
//! State machines are not the graphs that general layouts are made for: they are small, start
//! somewhere, have many edges back to few states, and say something on every edge. So the layout here
//! is a layered one (Sugiyama, Tagawa and Toda, *Methods for visual understanding of hierarchical
//! system structures*, 1981) with these choices:
//!
//! - A state stands in the layer of its distance from the initial state, so a shortest word to it is
//!   read along the picture. Layers go right or down, whichever fills a screen better.
//! - What a state answers without leaving it stands in its box. All transitions between two states
//!   are one edge with one label, and a label is a node of its own between the layers: it lies within
//!   its line, and nothing else comes there.
//! - What is not confirmed looks so. An open transition, whose target is a guess, is a dashed edge; in a
//!   box, below a dashed line, stand those that may stay (`a / x > 3?`), and the inputs that were never asked
//!   (`? b, c`): that is one line or two however many they are.
//! - Edges back to a state over several layers flow together into one line to that state.
//! - Lines bend only between layers, where there are neither boxes nor labels, so that none of them
//!   is ever crossed by a line.
//!
//! Graphviz can place the same boxes and edges, where it is installed. It took 75 s for a machine of 58 states, and
//! its pictures are the same in light and dark, so it draws only what somebody asks it to.
//!
//! ```
//! use mealybug::demo_lock::DoorLock;
//! use mealybug::picture;
//!
//! let svg = picture::svg(&DoorLock::machine(), None).expect("28 states are few enough");
//! assert!(svg.starts_with("<svg "));
//! ```

mod graph;
mod graphviz;
mod layers;
mod layout;
mod order;
mod place;
mod style;
mod text;
mod write;

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::machine::Machine;
use graph::Graph;
use layout::Layout;

pub use graphviz::GraphvizError;
pub use style::STYLE;

/// Machines with more states are not drawn: nobody could read it.
pub const MAX_STATES: u32 = 60;

/// With more edges than this the picture is a tangle, too.
const MAX_EDGES: usize = 400;

/// The part of a machine that can be reached as a picture with its style in it, and the note as its
/// caption; none if the machine is too large for one.
pub fn svg(machine: &Machine, note: Option<&str>) -> Option<String> {
    layout(machine).map(|(graph, layout)| write::svg(&graph, &layout, note, Some(STYLE)))
}

/// The same placed by Graphviz, for a machine of any size.
///
/// # Errors
/// Graphviz is not installed, fails, or takes longer than `limit`.
pub fn svg_by_graphviz(
    machine: &Machine,
    note: Option<&str>,
    limit: Duration,
) -> Result<String, GraphvizError> {
    graphviz::svg(&Graph::new(machine), note, limit)
}

/// The picture of [`svg`] for a page that holds [`STYLE`] itself.
pub fn svg_without_style(machine: &Machine, note: Option<&str>) -> Option<String> {
    layout(machine).map(|(graph, layout)| write::svg(&graph, &layout, note, None))
}

fn layout(machine: &Machine) -> Option<(Graph, Layout)> {
    if machine.states() > MAX_STATES {
        return None;
    }
    let graph = Graph::new(machine);
    if graph.edges.len() > MAX_EDGES {
        return None;
    }
    let layout = Layout::new(&graph);
    Some((graph, layout))
}
