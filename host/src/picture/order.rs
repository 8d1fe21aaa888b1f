//! Orders the nodes of each layer so that few lines cross.
//!
//! Sweeps place each node at the mean of its neighbours in the previous (or next) layer, then swap
//! neighbouring nodes where that reduces crossings. The best order found is kept. Gansner,
//! Koutsofios, North and Vo, *A technique for drawing directed graphs*, 1993, section 3.

use super::layers::Layers;

/// The number of sweeps, half of them in each direction.
const SWEEPS: usize = 24;

/// Orders the nodes of each layer.
pub(super) fn order(layers: &mut Layers) {
    let neighbours = Neighbours::new(layers);
    let mut positions = vec![0; layers.nodes.len()];
    for layer in &layers.layers {
        note(layer, &mut positions);
    }
    let mut best = (crossings(layers, &positions), layers.layers.clone());
    for sweep in 0..SWEEPS {
        let count = layers.layers.len();
        for step in 0..count {
            let (at, sides) = match sweep % 4 {
                0 => (step, [true, false]),
                1 => (count - 1 - step, [false, true]),
                2 => (step, [true, true]),
                _ => (count - 1 - step, [true, true]),
            };
            neighbours.sort(&mut layers.layers[at], &mut positions, sides);
        }
        while (0..count).any(|at| neighbours.swap(&mut layers.layers[at], &mut positions)) {}
        let crossings = crossings(layers, &positions);
        if crossings < best.0 {
            best = (crossings, layers.layers.clone());
        }
    }
    layers.layers = best.1;
}

/// The number of crossings of segments.
fn crossings(layers: &Layers, positions: &[usize]) -> usize {
    let mut after_layer = vec![Vec::new(); layers.layers.len()];
    for segment in &layers.segments {
        let ends = (positions[segment.near], positions[segment.far]);
        after_layer[layers.layer_of[segment.near]].push(ends);
    }
    after_layer.iter_mut().map(|ends| inversions(ends)).sum()
}

/// The number of pairs that are in opposite orders at their two ends.
fn inversions(ends: &mut [(usize, usize)]) -> usize {
    ends.sort_unstable();
    let crosses = |at: usize| {
        let (near, far) = ends[at];
        ends[..at].iter().filter(|(one, other)| *one < near && *other > far).count()
    };
    (0..ends.len()).map(crosses).sum()
}

/// Records the positions of the nodes of a layer.
fn note(layer: &[usize], positions: &mut [usize]) {
    for (position, &node) in layer.iter().enumerate() {
        positions[node] = position;
    }
}

/// The neighbours of each node, in the previous and in the next layer.
struct Neighbours {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl Neighbours {
    fn new(layers: &Layers) -> Self {
        let none = vec![Vec::new(); layers.nodes.len()];
        let mut neighbours = Self { before: none.clone(), after: none };
        for segment in &layers.segments {
            neighbours.after[segment.near].push(segment.far);
            neighbours.before[segment.far].push(segment.near);
        }
        neighbours
    }

    /// Sorts a layer by the mean position of the neighbours in the selected layers: previous, next.
    fn sort(&self, layer: &mut [usize], positions: &mut [usize], sides: [bool; 2]) {
        let mean = |node: usize| {
            let (mut sum, mut count) = (0, 0);
            for (is_wanted, side) in sides.into_iter().zip([&self.before, &self.after]) {
                if is_wanted {
                    sum += side[node].iter().map(|&other| positions[other]).sum::<usize>();
                    count += side[node].len();
                }
            }
            // A node without neighbours stays where it is. Means are rounded to 1/64.
            (64 * sum).checked_div(count).unwrap_or(64 * positions[node])
        };
        layer.sort_by_key(|&node| mean(node));
        note(layer, positions);
    }

    /// Swaps neighbouring nodes in a layer while that reduces crossings. Returns whether it did.
    fn swap(&self, layer: &mut [usize], positions: &mut [usize]) -> bool {
        let mut any = false;
        for at in 1..layer.len() {
            let (one, other) = (layer[at - 1], layer[at]);
            let crossings = |one: usize, other: usize| -> usize {
                let sides: [&Vec<Vec<usize>>; 2] = [&self.before, &self.after];
                sides.iter().map(|side| between(&side[one][..], &side[other][..], positions)).sum()
            };
            if crossings(other, one) < crossings(one, other) {
                layer.swap(at - 1, at);
                any = true;
            }
        }
        note(layer, positions);
        any
    }
}

/// The crossings between the segments of two nodes, if `first` comes before `second`.
fn between(first: &[usize], second: &[usize], positions: &[usize]) -> usize {
    let crosses =
        |&one: &usize| second.iter().filter(|&&other| positions[other] < positions[one]).count();
    first.iter().map(crosses).sum()
}
