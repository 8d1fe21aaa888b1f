//! The order of the nodes in each layer, so that few lines cross.
//!
//! Sweeps that put each node at the mean of its neighbours in the layer before (or after), and swaps
//! of neighbours where that alone takes crossings away; the best order that was ever met is kept.
//! Gansner, Koutsofios, North and Vo, *A technique for drawing directed graphs*, 1993, section 3.

use super::layers::Layers;

/// So many sweeps, half of them forth and half back.
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

/// How often segments cross.
fn crossings(layers: &Layers, positions: &[usize]) -> usize {
    let mut after_layer = vec![Vec::new(); layers.layers.len()];
    for segment in &layers.segments {
        let ends = (positions[segment.near], positions[segment.far]);
        after_layer[layers.layer_of[segment.near]].push(ends);
    }
    after_layer.iter_mut().map(|ends| inversions(ends)).sum()
}

/// How many pairs stand in one order at one end and in the other at the other.
fn inversions(ends: &mut [(usize, usize)]) -> usize {
    ends.sort_unstable();
    let crosses = |at: usize| {
        let (near, far) = ends[at];
        ends[..at].iter().filter(|(one, other)| *one < near && *other > far).count()
    };
    (0..ends.len()).map(crosses).sum()
}

/// Writes down where the nodes of a layer stand.
fn note(layer: &[usize], positions: &mut [usize]) {
    for (position, &node) in layer.iter().enumerate() {
        positions[node] = position;
    }
}

/// The neighbours of each node, in the layer before and in the one after.
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

    /// Sorts a layer by the mean position of the neighbours on these sides, before and after.
    fn sort(&self, layer: &mut [usize], positions: &mut [usize], sides: [bool; 2]) {
        let mean = |node: usize| {
            let (mut sum, mut count) = (0, 0);
            for (is_wanted, side) in sides.into_iter().zip([&self.before, &self.after]) {
                if is_wanted {
                    sum += side[node].iter().map(|&other| positions[other]).sum::<usize>();
                    count += side[node].len();
                }
            }
            // Nothing draws it: it stays where it is. Fractions matter little beyond a 64th.
            (64 * sum).checked_div(count).unwrap_or(64 * positions[node])
        };
        layer.sort_by_key(|&node| mean(node));
        note(layer, positions);
    }

    /// Swaps neighbours in a layer while that takes crossings away; whether any were.
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

/// The crossings of the segments of two nodes, the first of which stands before the second.
fn between(first: &[usize], second: &[usize], positions: &[usize]) -> usize {
    let crosses =
        |&one: &usize| second.iter().filter(|&&other| positions[other] < positions[one]).count();
    first.iter().map(crosses).sum()
}
