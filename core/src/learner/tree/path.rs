//! One word, node by node: what it refutes of the components, and where the word of a state of their product ends.

use core::ops::Range;

use super::bases::{Bases, State};
use super::frontier;
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::machines::cover::StateCover;
use crate::memory::{Field, Format, Memory, Position, fields};
use crate::observations::tree::{self, Node, Tree};
use crate::outputs::ComponentId;
use crate::prefixes::Short;

fields! {
    before frontier::FIELDS_START;
    /// The nodes of a word, the shortest first; or its inputs.
    PATH: Field<Position> = Format::Packed;
}

/// Makes room for words with `len` inputs, for nodes and inputs up to `largest`.
pub(super) fn reserve(m: &mut Memory<'_>, len: u32, largest: u32) -> Result<(), Refused> {
    m.reserve(Resource::Tree, &[PATH.list(len, largest)])
}

/// Keeps the word of a node.
pub(super) fn keep(m: &mut Memory<'_>, node: Node) {
    let mut at = node;
    for position in (0..tree::depth(m, node)).rev() {
        m.set(PATH, Position(position), at.0);
        at = tree::parent(m, at);
    }
}

/// The node of a beginning of the word that is kept, from one input on.
pub(super) fn node(m: &Memory<'_>, position: u32) -> Node {
    Node(m.get(PATH, Position(position)))
}

/// Opens the targets again that the kept word refutes; it ends at `end`.
pub(super) fn refute_targets(m: &mut Memory<'_>, bases: &mut Bases, end: Node) {
    let len = tree::depth(m, end);
    let mut short = Some(Short::EMPTY);
    for position in 0..len {
        let Some(from) = short else { return };
        let input = tree::input(m, node(m, position));
        for component in bases.components() {
            let Some(state) = Bases::state(m, from, component) else { continue };
            let Some(target) = Bases::target(m, state, input) else { continue };
            if !bases.is_state(m, from, input, component)
                && !agrees(m, *bases, (component, target), position.wrapping_add(1)..len)
            {
                bases.clear_target(m, state, input);
            }
        }
        short = bases.short(m, from, input);
    }
}

/// Whether the hypothesis from a state says the same as the rest of the word that is kept.
fn agrees(
    m: &Memory<'_>,
    bases: Bases,
    (component, state): (ComponentId, State),
    mut rest: Range<u32>,
) -> bool {
    let mut at = Some(state);
    rest.all(|position| {
        let node = node(m, position);
        let input = tree::input(m, node);
        let Some(seen) = at.and_then(|at| Bases::seen(m, at, input)) else {
            at = None;
            return true;
        };
        at = at.and_then(|at| Bases::target(m, at, input));
        seen == bases.part(m, component, node)
    })
}

/// The node of the word that leads to a state of the product and goes on with an input.
pub(super) fn find(
    m: &mut Memory<'_>,
    tree: Tree,
    cover: StateCover,
    (state, input): (u32, Input),
) -> Option<Node> {
    let len = cover.access_len(m.read(), state);
    if len >= tree.depth() {
        return None;
    }
    cover.walk_back(m, state, |m, position, input| m.set(PATH, Position(position), input.index()));
    let node = (0..len).try_fold(Node::ROOT, |node, position| {
        tree.child(m, node, Input::new(m.get(PATH, Position(position))))
    });
    tree.child(m, node?, input)
}
