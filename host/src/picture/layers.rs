//! Assigns states, labels and bends to layers.
//!
//! Layer 2r holds the states of rank r. Layer 2r + 1 holds the labels between them and the states
//! of the next rank. Breadth-first ranks leave three kinds of edges: one rank forward, within a
//! rank, and any number of ranks back. Each edge becomes segments between neighbouring layers:
//!
//! ```text
//! forward   state - label > state
//! within    state - label, and from the label back into the layer: < state
//! back      state - label - bend - bend > state
//! ```
//!
//! All edges back to one state that look the same share their bends: each state has one line of bends
//! for confirmed edges and one for guesses.

use std::collections::{BTreeMap, HashMap};

use super::graph::{Edge, Graph};
use super::mark::LineStyle;

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LayerNode {
    /// The box with this number.
    State(usize),
    /// The label of the edge with this number.
    Label(usize),
    /// A bend in a line that passes through the layer.
    Bend,
}

/// A piece of an edge between two neighbouring layers.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The node in the layer nearer to the initial state.
    pub(super) near: usize,
    /// The node in the next layer.
    pub(super) far: usize,
    /// Whether the edge leads from `near` to `far` here.
    pub(super) is_outward: bool,
    /// Whether the edge leads back to a lower rank.
    pub(super) is_back: bool,
    pub(super) look: LineStyle,
    /// The numbers of the edges that share it.
    pub(super) edges: Vec<usize>,
}

/// Nodes in layers, and the segments that connect them.
#[derive(Debug)]
pub(super) struct Layers {
    pub(super) nodes: Vec<LayerNode>,
    /// The layer of each node.
    pub(super) layer_of: Vec<usize>,
    /// The nodes of each layer, in order.
    pub(super) layers: Vec<Vec<usize>>,
    pub(super) segments: Vec<Segment>,
}

impl Layers {
    pub(super) fn new(graph: &Graph) -> Self {
        let depth = graph.boxes.iter().map(|state| state.rank).max().unwrap_or(0);
        let layers = vec![Vec::new(); 2 * depth + 2];
        let mut layers =
            Self { nodes: Vec::new(), layer_of: Vec::new(), layers, segments: Vec::new() };
        // The node of a box has the number of the box.
        for (number, state) in graph.boxes.iter().enumerate() {
            layers.add(LayerNode::State(number), 2 * state.rank);
        }
        let mut ways = HashMap::new();
        for number in 0..graph.edges.len() {
            layers.edge(graph, number, &mut ways);
        }
        if layers.layers.last().is_some_and(Vec::is_empty) {
            layers.layers.pop();
        }
        layers
    }

    fn add(&mut self, node: LayerNode, layer: usize) -> usize {
        self.nodes.push(node);
        self.layer_of.push(layer);
        self.layers[layer].push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Adds an edge. `ways` holds the bends on the way back to a state, from the outermost layer inwards, each with the
    /// segment that leads on from it.
    fn edge(
        &mut self,
        graph: &Graph,
        number: usize,
        ways: &mut HashMap<(usize, LineStyle), BTreeMap<usize, Way>>,
    ) {
        let &Edge { from, to, look, .. } = &graph.edges[number];
        let [start, end] = [from, to].map(|number| graph.boxes[number].rank);
        let is_back = end < start;
        let piece = |near, far, is_outward| {
            let edges = vec![number];
            Segment { near, far, is_outward, is_back, look, edges }
        };
        if !is_back {
            let label = self.add(LayerNode::Label(number), 2 * start + 1);
            self.segments.push(piece(from, label, true));
            self.segments.push(if end > start {
                piece(label, to, true)
            } else {
                piece(to, label, false)
            });
            return;
        }
        let way = ways.entry((to, look)).or_default();
        let mut layer = 2 * start - 1;
        let mut last = self.add(LayerNode::Label(number), layer);
        self.segments.push(piece(last, from, false));
        loop {
            layer -= 1;
            if layer == 2 * end {
                self.segments.push(piece(to, last, false));
                return;
            }
            if let Some(Way { bend, .. }) = way.get(&layer) {
                self.segments.push(piece(*bend, last, false));
                for (_, Way { onward, .. }) in way.range(..=layer) {
                    self.segments[*onward].edges.push(number);
                }
                return;
            }
            let bend = self.add(LayerNode::Bend, layer);
            self.segments.push(piece(bend, last, false));
            way.insert(layer, Way { bend, onward: self.segments.len() });
            last = bend;
        }
    }
}

/// A bend on the way back to a state.
struct Way {
    bend: usize,
    /// The segment that leads on from it.
    onward: usize,
}
