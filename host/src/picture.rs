//! Pictures of machines, as SVG.
//!
//! State machines differ from the graphs for which general layouts are made: they are small, have
//! an initial state, have many edges back to few states, and have a label on every edge. The layout
//! here is a layered one (Sugiyama, Tagawa and Toda, *Methods for visual understanding of
//! hierarchical system structures*, 1981) with these choices:
//!
//! - A state's layer is its distance from the initial state, so a shortest word to it can be read
//!   along the picture. Layers go right or down, whichever fits a screen better.
//! - Transitions that stay in a state are listed in its box. All transitions between two states are
//!   one edge with one label. The label is a node of its own between the layers. It lies within its
//!   line, and nothing else is drawn there.
//! - Unconfirmed transitions are drawn differently. An open transition, whose target is a guess, is
//!   a dashed edge. In a box, below a dashed line, are the open transitions that may stay (`a / x >
//!   3?`) and the inputs that were never asked (`? b, c`). They take only a few lines, however many
//!   there are.
//! - Edges back to a state over several layers merge into one line to that state.
//! - Lines bend only between layers, so no line crosses a box or a label.
//!
//! Graphviz, if installed, can place the same boxes and edges. It is used only on request: it took
//! 75 s for a machine of 58 states, and its pictures are the same in light and dark.
//!
//! ```
//! use mealybug::demo_lock::DemoLock;
//! use mealybug::picture;
//!
//! let svg = picture::svg(&DemoLock::machine(), None).expect("28 states are few enough");
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
use layout::PictureLayout;

pub use graphviz::GraphvizError;
pub use style::STYLE;

/// Machines with more states are not drawn: nobody could read the picture.
pub const MAX_STATES: u32 = 60;

/// Machines with more edges are not drawn either.
const MAX_EDGES: usize = 400;

/// Draws the reachable part of a machine, with the style in the picture and the note as its
/// caption. `None` if the machine is too large.
pub fn svg(machine: &Machine, note: Option<&str>) -> Option<String> {
    layout(machine).map(|(graph, layout)| write::svg(&graph, &layout, note, Some(STYLE)))
}

/// Draws a machine of any size with Graphviz.
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

/// The picture of [`svg`] without its style, for a page that includes [`STYLE`].
pub fn svg_without_style(machine: &Machine, note: Option<&str>) -> Option<String> {
    layout(machine).map(|(graph, layout)| write::svg(&graph, &layout, note, None))
}

fn layout(machine: &Machine) -> Option<(Graph, PictureLayout)> {
    if machine.states() > MAX_STATES {
        return None;
    }
    let graph = Graph::new(machine);
    if graph.edges.len() > MAX_EDGES {
        return None;
    }
    let layout = PictureLayout::new(&graph);
    Some((graph, layout))
}
