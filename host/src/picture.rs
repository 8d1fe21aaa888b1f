//! Pictures of machines, as SVG: by Graphviz where it is installed, else with nothing installed.
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

use crate::machine::Machine;
use graph::Graph;
use layout::Layout;

pub use style::STYLE;
pub(crate) use write::escaped;

/// Machines with more states are not drawn: nobody could read it.
pub const MAX_STATES: u32 = 60;

/// With more edges than this the picture is a tangle, too.
const MAX_EDGES: usize = 400;

/// The part of a machine that can be reached as a picture with its style in it, and the note as its
/// caption; none if the machine is too large for one.
pub fn svg(machine: &Machine, note: Option<&str>) -> Option<String> {
    layout(machine).map(|(graph, layout)| write::svg(&graph, &layout, note, Some(STYLE)))
}

/// The same placed by Graphviz, where it is installed: a layout that people know, for files that
/// stand alone. Our own keeps to its promises everywhere, and follows the page that it is in.
pub fn svg_of_file(machine: &Machine, note: Option<&str>) -> Option<String> {
    let (graph, layout) = layout(machine)?;
    let own = || write::svg(&graph, &layout, note, Some(STYLE));
    Some(graphviz::svg(&graph, note).unwrap_or_else(own))
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
