//! Apartness: whether what follows a word differs from what follows a state, as a component sees it.
//!
//! A node is *apart* from a state if some word was asked after both and the component saw different
//! outputs (Vaandrager and others 2022, Definition 2.6). It *differs* from a state if the hypothesis says
//! something else for a word that was asked after the node: the hypothesis knows what was asked after
//! any state, but may be wrong.

use super::bases::{Bases, State};
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, Position, fields};
use crate::observations::tree::{self, Node, Tree};
use crate::outputs::ComponentId;

fields! {
    before super::bases::FIELDS_START;
    /// On the way down a subtree: the same word after the state's access word plus one, if it was asked.
    TWIN: Field<Position> = Format::Wide;
    /// The state that the hypothesis is in plus one, zero where it is not known.
    STATE: Field<Position> = Format::Wide;
}

/// Against what the words after a node are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Against {
    /// What was asked after the state's access word.
    Asked,
    /// What the hypothesis says.
    Hypothesis,
    /// Both.
    Both,
}

/// Makes room for walks down the tree.
pub(super) fn reserve(m: &mut Memory<'_>, tree: Tree, bases: Bases) -> Result<(), Refused> {
    let depth = tree.depth().saturating_add(2);
    let nodes = tree.len().checked_next_power_of_two().unwrap_or(u32::MAX);
    let states = bases.len().checked_next_power_of_two().unwrap_or(u32::MAX);
    m.reserve(Resource::Tree, &[TWIN.list(depth, nodes), STATE.list(depth, states)])
}

/// Where to go next in a subtree: down, or else to a sibling of the node or of one above it.
fn next_node(
    m: &Memory<'_>,
    tree: Tree,
    top: Node,
    (mut node, mut depth): (Node, u32),
    skip: bool,
) -> Option<(Node, u32)> {
    if !skip && let Some(child) = tree.first_child(m, node) {
        return Some((child, depth.wrapping_add(1)));
    }
    while node != top {
        if let Some(sibling) = tree.sibling(m, node) {
            return Some((sibling, depth));
        }
        node = tree::parent(m, node);
        depth = depth.wrapping_sub(1);
    }
    None
}

/// The first node below `top` where a component sees something else than after a state.
pub(super) fn first_difference(
    m: &mut Memory<'_>,
    (tree, bases): (Tree, Bases),
    component: ComponentId,
    (top, state): (Node, State),
    against: Against,
) -> Option<Node> {
    let twin = if against == Against::Hypothesis {
        0
    } else {
        bases.access_node(m, state).0.wrapping_add(1)
    };
    let start = if against == Against::Asked { 0 } else { state.0.wrapping_add(1) };
    m.set(TWIN, Position(0), twin);
    m.set(STATE, Position(0), start);
    let mut at = next_node(m, tree, top, (top, 0), false);
    while let Some((node, depth)) = at {
        let above = Position(depth.wrapping_sub(1));
        let input = tree::input(m, node);
        let part = bases.part(m, component, node);
        let twin = m.get(TWIN, above).checked_sub(1).map(Node);
        let twin = twin.and_then(|twin| tree.child(m, twin, input));
        if twin.is_some_and(|twin| bases.part(m, component, twin) != part) {
            return Some(node);
        }
        let mut next = None;
        if let Some(state) = m.get(STATE, above).checked_sub(1).map(State)
            && let Some(seen) = Bases::seen(m, state, input)
        {
            if seen != part {
                return Some(node);
            }
            next = Bases::target(m, state, input);
        }
        m.set(TWIN, Position(depth), twin.map_or(0, |twin| twin.0.wrapping_add(1)));
        m.set(STATE, Position(depth), next.map_or(0, |next| next.0.wrapping_add(1)));
        at = next_node(m, tree, top, (node, depth), twin.is_none() && next.is_none());
    }
    None
}

/// The shortest word that was asked and that the hypothesis does not explain for this component.
pub(super) fn first_conflict(
    m: &mut Memory<'_>,
    (tree, bases): (Tree, Bases),
    component: ComponentId,
) -> Option<Node> {
    let initial = Bases::initial(m, component)?;
    m.set(STATE, Position(0), initial.0.wrapping_add(1));
    let mut found = None;
    let mut bound = u32::MAX;
    let mut at = next_node(m, tree, Node::ROOT, (Node::ROOT, 0), false);
    while let Some((node, depth)) = at {
        let above = Position(depth.wrapping_sub(1));
        let input = tree::input(m, node);
        let mut next = None;
        if depth < bound
            && let Some(state) = m.get(STATE, above).checked_sub(1).map(State)
            && let Some(seen) = Bases::seen(m, state, input)
        {
            if seen == bases.part(m, component, node) {
                next = Bases::target(m, state, input);
            } else {
                (found, bound) = (Some(node), depth);
            }
        }
        m.set(STATE, Position(depth), next.map_or(0, |next| next.0.wrapping_add(1)));
        at = next_node(m, tree, Node::ROOT, (node, depth), next.is_none());
    }
    found
}
