//! The position of everything in the picture.

use super::graph::{BoxSize, Graph};
use super::layers::{LayerNode, Layers, Segment};
use super::mark::LineStyle;
use super::order::order;
use super::place;

/// The size of a screen. The picture is laid out in the direction that fits it better.
pub(super) const SCREEN: BoxSize = BoxSize { width: 1500.0, height: 1500.0 };
/// The size of a page that scrolls down and not sideways.
pub(super) const PAGE: BoxSize = BoxSize { width: 1200.0, height: 3000.0 };

/// The smallest gap between two layers. It grows by `GAP_SHARE` of the distance that lines go
/// across.
const GAP: f64 = 22.0;
const GAP_SHARE: f64 = 0.16;
/// The largest gap between two layers.
const MAX_GAP: f64 = 110.0;

/// The margin around the picture. It holds the arrow to the initial state.
const MARGIN: f64 = 34.0;

/// The length of an arrow.
pub(super) const ARROW: f64 = 8.0;

/// The positions in a picture.
#[derive(Debug)]
pub(super) struct PictureLayout {
    pub(super) size: BoxSize,
    /// The box of each state.
    pub(super) boxes: Vec<Rectangle>,
    /// The label of each edge.
    pub(super) labels: Vec<Rectangle>,
    pub(super) lines: Vec<Stroke>,
    /// Whether layers go right; otherwise they go down.
    pub(super) is_rightward: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rectangle {
    pub(super) corner: Point,
    pub(super) size: BoxSize,
}

/// A piece of an edge: straight, curved from `bend[0]` to `bend[1]`, and straight again.
#[derive(Clone, Debug)]
pub(super) struct Stroke {
    pub(super) start: Point,
    pub(super) bend: [Point; 2],
    pub(super) end: Point,
    /// Whether there is an arrow at its start and at its end.
    pub(super) arrows: [bool; 2],
    pub(super) is_back: bool,
    pub(super) look: LineStyle,
    /// The numbers of the edges that share it.
    pub(super) edges: Vec<usize>,
}

impl PictureLayout {
    /// Lays out a graph for a screen or page of this size.
    pub(super) fn new(graph: &Graph, room: BoxSize) -> Self {
        let mut layers = Layers::new(graph);
        order(&mut layers);
        let [right, down] = [true, false].map(|right| Self::directed(graph, &layers, right));
        if right.excess(room) <= down.excess(room) { right } else { down }
    }

    /// How badly the layout fits; larger is worse. It is the ratio of the picture to the room,
    /// times the cube root of the picture's area, which has less weight.
    fn excess(&self, room: BoxSize) -> f64 {
        let BoxSize { width, height } = self.size;
        (width / room.width).max(height / room.height) * (width * height).cbrt()
    }

    /// The layout whose layers go right or down.
    fn directed(graph: &Graph, layers: &Layers, is_rightward: bool) -> Self {
        let (lengths, breadths) = sizes(graph, layers, is_rightward);
        let centres = place::centres(layers, &breadths);
        let first = centres.iter().zip(&breadths).map(|(c, b)| c - b / 2.0);
        let shift = MARGIN - first.fold(f64::INFINITY, f64::min);
        let centres: Vec<_> = centres.iter().map(|centre| centre + shift).collect();
        let last = centres.iter().zip(&breadths).map(|(c, b)| c + b / 2.0);
        let across = last.fold(0.0, f64::max) + MARGIN;

        let ports = ports(layers, &centres, &breadths);
        let bands = bands(layers, &lengths, &ports);
        let along = bands.last().map_or(0.0, |band| band.1) + MARGIN;
        let placed = Placed { layers, lengths, breadths, centres, bands, is_rightward };
        let nodes = |is_wanted: fn(&LayerNode) -> bool| {
            let nodes = (0..layers.nodes.len()).filter(move |&node| is_wanted(&layers.nodes[node]));
            nodes.map(|node| placed.rectangle(node)).collect()
        };
        Self {
            size: placed.size(along, across),
            boxes: nodes(|node| matches!(node, LayerNode::State(_))),
            labels: nodes(|node| matches!(node, LayerNode::Label(_))),
            lines: (layers.segments.iter().zip(&ports))
                .map(|(segment, &ports)| placed.line(segment, ports))
                .collect(),
            is_rightward,
        }
    }
}

/// The positions of the nodes along and across the layers, independent of the direction.
struct Placed<'a> {
    layers: &'a Layers,
    lengths: Vec<f64>,
    breadths: Vec<f64>,
    /// The centre of each node across the layers.
    centres: Vec<f64>,
    /// The start and end of each layer.
    bands: Vec<(f64, f64)>,
    is_rightward: bool,
}

impl Placed<'_> {
    fn point(&self, along: f64, across: f64) -> Point {
        if self.is_rightward {
            Point { x: along, y: across }
        } else {
            Point { x: across, y: along }
        }
    }

    fn size(&self, length: f64, breadth: f64) -> BoxSize {
        let Point { x, y } = self.point(length, breadth);
        BoxSize { width: x, height: y }
    }

    /// The start and end of a node along the layers: it is centred in its layer.
    fn extent(&self, node: usize) -> (f64, f64) {
        let (start, end) = self.bands[self.layers.layer_of[node]];
        let (middle, half) = (f64::midpoint(start, end), self.lengths[node] / 2.0);
        (middle - half, middle + half)
    }

    fn rectangle(&self, node: usize) -> Rectangle {
        let (length, breadth) = (self.lengths[node], self.breadths[node]);
        let corner = self.point(self.extent(node).0, self.centres[node] - breadth / 2.0);
        Rectangle { corner, size: self.size(length, breadth) }
    }

    /// A line: straight to the end of the layer, over to the next layer, and straight to the node
    /// there.
    fn line(&self, segment: &Segment, [near_port, far_port]: [f64; 2]) -> Stroke {
        let &Segment { near, far, is_outward, is_back, look, ref edges } = segment;
        let band = |node: usize| self.bands[self.layers.layer_of[node]];
        let is_state = |node: usize| matches!(self.layers.nodes[node], LayerNode::State(_));
        Stroke {
            start: self.point(self.extent(near).1, near_port),
            bend: [self.point(band(near).1, near_port), self.point(band(far).0, far_port)],
            end: self.point(self.extent(far).0, far_port),
            arrows: [is_state(near) && !is_outward, is_state(far) && is_outward],
            is_back,
            look,
            edges: edges.clone(),
        }
    }
}

/// The size of each node along and across the layers.
fn sizes(graph: &Graph, layers: &Layers, is_rightward: bool) -> (Vec<f64>, Vec<f64>) {
    let size = |node: &LayerNode| {
        let size = match *node {
            LayerNode::State(number) => graph.boxes[number].size(),
            LayerNode::Label(number) => graph.edges[number].size(),
            LayerNode::Bend => BoxSize { width: 0.0, height: 0.0 },
        };
        if is_rightward { (size.width, size.height) } else { (size.height, size.width) }
    };
    layers.nodes.iter().map(size).unzip()
}

/// The start and end of each layer. The gap before a layer grows with the distance its lines go
/// across.
fn bands(layers: &Layers, lengths: &[f64], ports: &[[f64; 2]]) -> Vec<(f64, f64)> {
    let mut reach = vec![0.0_f64; layers.layers.len()];
    for (segment, ends) in layers.segments.iter().zip(ports) {
        let reach = &mut reach[layers.layer_of[segment.far]];
        *reach = reach.max((ends[0] - ends[1]).abs());
    }
    let mut start = MARGIN;
    let band = |(at, layer): (usize, &Vec<usize>)| {
        if at > 0 {
            start += (GAP + GAP_SHARE * reach[at]).min(MAX_GAP);
        }
        let length = layer.iter().map(|&node| lengths[node]).fold(0.0, f64::max);
        let band = (start, start + length);
        start += length;
        band
    };
    layers.layers.iter().enumerate().map(band).collect()
}

/// The position across the layers where each segment leaves its near node and reaches its far node.
///
/// All lines that leave one side of a state leave at one point, and all lines that arrive at that
/// side arrive at another point. A label within a rank has both its ends on one side.
fn ports(layers: &Layers, centres: &[f64], breadths: &[f64]) -> Vec<[f64; 2]> {
    // For each side of each node: the sum of the positions at the other ends and the number of
    // lines, first for arriving and then for leaving lines.
    let mut sides = vec![[[(0.0, 0.0); 2]; 2]; layers.nodes.len()];
    for segment in &layers.segments {
        for (node, other, side) in [(segment.near, segment.far, 0), (segment.far, segment.near, 1)]
        {
            let goes = usize::from(segment.is_outward == (side == 0));
            let (sum, count) = &mut sides[node][side][goes];
            *sum += centres[other];
            *count += 1.0;
        }
    }
    let port = |node: usize, side: usize, goes: usize| {
        let [comes, leaves] = sides[node][side];
        if comes.1 == 0.0 || leaves.1 == 0.0 {
            return centres[node];
        }
        let apart = (breadths[node] / 4.0).min(9.0);
        let comes_first = comes.0 / comes.1 < leaves.0 / leaves.1;
        centres[node] + if comes_first == (goes == 0) { -apart } else { apart }
    };
    let ends = layers.segments.iter().map(|segment| {
        let near = port(segment.near, 0, usize::from(segment.is_outward));
        let far = port(segment.far, 1, usize::from(!segment.is_outward));
        [near, far]
    });
    ends.collect()
}
