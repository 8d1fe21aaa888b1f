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

mod compared;
mod graph;
mod graphviz;
mod layers;
mod layout;
mod mark;
mod order;
mod place;
mod png;
mod program;
mod style;
mod text;
mod write;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::time::Duration;

use mealybug_core::Mealy;

use crate::machine::{Machine, Overlay, Parting};
use graph::{BoxSize, Detail, DrawnState, Graph};
use layout::{PAGE, PictureLayout, SCREEN};
use mark::LineStyle;

pub use graphviz::GraphvizError;
pub use png::{PngError, png};
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

/// The pictures of a machine for a page that includes [`STYLE`].
#[derive(Clone, Debug)]
pub struct PagePicture {
    /// The picture of [`svg`].
    pub full: String,
    /// A smaller one, if that is larger than a page: labels are short. Transitions that stay in their state are counted,
    /// and so are those to the state to which most lines lead, if half of all states have one.
    pub folded: Option<String>,
}

/// Draws a machine for a page. `None` if the machine is too large.
pub fn for_page(machine: &Machine, note: Option<&str>) -> Option<PagePicture> {
    if machine.states() > MAX_STATES {
        return None;
    }
    page_picture(&graph::drawn(machine), machine.initial() as usize, machine.inputs().len(), note)
}

/// Draws two machines as one for a page; what only one of them has is marked. `None` if they are too large.
pub fn of_two(
    machines: [&Machine; 2],
    overlay: &Overlay,
    note: Option<&str>,
) -> Option<PagePicture> {
    if overlay.states.len() > MAX_STATES as usize {
        return None;
    }
    page_picture(&compared::drawn(machines, overlay), 0, inputs(machines), note)
}

/// Draws the places that a parting shows, for a page; transitions to others are lines in their boxes. `None` if there are too
/// many edges.
pub fn of_parting(
    machines: [&Machine; 2],
    overlay: &Overlay,
    parting: &Parting,
    note: Option<&str>,
) -> Option<PagePicture> {
    let states = compared::part(compared::drawn(machines, overlay), &parting.places, parting.from);
    page_picture(&states, 0, inputs(machines), note)
}

/// What pictures of two machines call a place of their overlay.
pub fn place_label(machines: [&Machine; 2], overlay: &Overlay, place: usize) -> String {
    compared::label(machines, overlay.states[place])
}

/// The number of inputs of two machines.
fn inputs(machines: [&Machine; 2]) -> usize {
    let inputs: HashSet<_> = machines.iter().flat_map(|machine| machine.inputs()).collect();
    inputs.len()
}

fn page_picture(
    states: &[DrawnState<'_>],
    initial: usize,
    inputs: usize,
    note: Option<&str>,
) -> Option<PagePicture> {
    let (graph, full) = placed(Graph::of(states, initial, inputs, Detail::Full), SCREEN)?;
    let is_small = full.size.width <= PAGE.width && full.size.height <= PAGE.width;
    let folded = (!is_small).then(|| {
        let detail = Detail::Folded(busiest(&graph).map(|number| graph.boxes[number].state));
        let graph = Graph::of(states, initial, inputs, detail);
        write::svg(&graph, &PictureLayout::new(&graph, PAGE), note, None)
    });
    Some(PagePicture { full: write::svg(&graph, &full, note, None), folded })
}

/// The box to which confirmed edges lead from most others, if they are at least half of them.
fn busiest(graph: &Graph) -> Option<usize> {
    let edges_to = |number: &usize| {
        graph
            .edges
            .iter()
            .filter(|edge| edge.to == *number && edge.look == LineStyle::default())
            .count()
    };
    let busiest = (0..graph.boxes.len()).rev().max_by_key(edges_to)?;
    (edges_to(&busiest) >= MIN_BUSY.max(graph.boxes.len() / 2)).then_some(busiest)
}

/// With fewer edges to a state, nothing is gained by leaving them out.
const MIN_BUSY: usize = 4;

fn layout(machine: &Machine) -> Option<(Graph, PictureLayout)> {
    if machine.states() > MAX_STATES {
        return None;
    }
    let graph = Graph::new(machine);
    placed(graph, SCREEN)
}

/// The graph with its layout, unless it has too many edges.
fn placed(graph: Graph, room: BoxSize) -> Option<(Graph, PictureLayout)> {
    if graph.edges.len() > MAX_EDGES {
        return None;
    }
    let layout = PictureLayout::new(&graph, room);
    Some((graph, layout))
}
