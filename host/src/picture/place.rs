//! Places nodes across the layers, as near to their neighbours as their order allows.
//!
//! Passes go over the layers in both directions. The target of each node is the weighted mean of
//! its neighbours. Moving the nodes of a layer to their targets with the least squared error, while
//! keeping their order and distances, is isotonic regression. Pooling adjacent violators solves it
//! exactly (Ayer et al., *An empirical distribution function for sampling with incomplete
//! information*, 1955).

use super::layers::{LayerNode, Layers, Segment};

/// The number of passes over all layers.
const PASSES: usize = 60;

/// The weight of a segment. A higher weight makes lines through several layers straighter.
fn weight(layers: &Layers, segment: &Segment) -> f64 {
    match [segment.near, segment.far].map(|node| layers.nodes[node]) {
        [LayerNode::Bend, LayerNode::Bend] => 8.0,
        [LayerNode::Bend, _] | [_, LayerNode::Bend] => 2.0,
        _ => 1.0,
    }
}

/// The space between two neighbouring nodes.
fn gap(one: LayerNode, other: LayerNode) -> f64 {
    match (one, other) {
        (LayerNode::State(_), LayerNode::State(_)) => 18.0,
        (LayerNode::Bend, LayerNode::Bend) => 9.0,
        (LayerNode::Label(_), LayerNode::Label(_)) => 7.0,
        _ => 12.0,
    }
}

/// The centre of each node across the layers; `breadths` holds the size of each node in that
/// direction.
pub(super) fn centres(layers: &Layers, breadths: &[f64]) -> Vec<f64> {
    let mut neighbours = vec![Vec::new(); layers.nodes.len()];
    for segment in &layers.segments {
        let weight = weight(layers, segment);
        neighbours[segment.near].push((segment.far, weight));
        neighbours[segment.far].push((segment.near, weight));
    }
    let mut centres = vec![0.0; layers.nodes.len()];
    let offsets: Vec<_> =
        layers.layers.iter().map(|layer| offsets(layers, layer, breadths)).collect();
    for (layer, offsets) in layers.layers.iter().zip(&offsets) {
        let middle = offsets.last().copied().unwrap_or(0.0) / 2.0;
        for (&node, offset) in layer.iter().zip(offsets) {
            centres[node] = offset - middle;
        }
    }
    for pass in 0..PASSES {
        let count = layers.layers.len();
        for step in 0..count {
            let at = if pass % 2 == 0 { step } else { count - 1 - step };
            let wanted = layers.layers[at].iter().zip(&offsets[at]).map(|(&node, offset)| {
                let near = &neighbours[node];
                let weight: f64 = near.iter().map(|(_, weight)| weight).sum();
                let sum: f64 = near.iter().map(|(other, weight)| centres[*other] * weight).sum();
                if weight > 0.0 { (sum / weight - offset, weight) } else { (-offset, 0.1) }
            });
            let moved = isotonic(wanted);
            for ((&node, offset), place) in layers.layers[at].iter().zip(&offsets[at]).zip(moved) {
                centres[node] = place + offset;
            }
        }
    }
    centres
}

/// The centres of a layer's nodes if they were packed as closely as possible.
fn offsets(layers: &Layers, layer: &[usize], breadths: &[f64]) -> Vec<f64> {
    let mut offsets = Vec::with_capacity(layer.len());
    let mut centre = 0.0;
    for (at, &node) in layer.iter().enumerate() {
        if let Some(&before) = at.checked_sub(1).and_then(|before| layer.get(before)) {
            let room = gap(layers.nodes[before], layers.nodes[node]);
            centre += f64::midpoint(breadths[before], breadths[node]) + room;
        }
        offsets.push(centre);
    }
    offsets
}

/// The non-decreasing numbers nearest to the targets, by weighted squares.
fn isotonic(wanted: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
    // Blocks of equal numbers: their mean, their weight and their count.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (mean, weight) in wanted {
        let mut block = (mean, weight, 1);
        while let Some(before) = blocks.pop_if(|before| before.0 > block.0) {
            let weight = before.1 + block.1;
            let mean = (before.0 * before.1 + block.0 * block.1) / weight;
            block = (mean, weight, before.2 + block.2);
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|&(mean, _, count)| std::iter::repeat_n(mean, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::isotonic;

    #[test]
    fn what_falls_is_pooled() {
        let numbers = |wanted: &[f64]| isotonic(wanted.iter().map(|&number| (number, 1.0)));
        assert_eq!(numbers(&[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
        assert_eq!(numbers(&[3.0, 1.0, 5.0, 4.0, 0.0]), [2.0, 2.0, 3.0, 3.0, 3.0]);
        let weighted = isotonic([(4.0, 3.0), (0.0, 1.0)].into_iter());
        assert_eq!(weighted, [3.0, 3.0]);
    }
}
