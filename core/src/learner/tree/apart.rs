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
use crate::prefixes::Short;

fields! {
    before super::bases::FIELDS_START;
    /// On the way down a subtree: the same word after the state's access word.
    TWIN: Field<Position> = Format::Wide;
    /// The number of the access word that is this word, plus one; zero if none is.
    SHORT: Field<Position> = Format::Wide;
    /// The state that the hypothesis is in.
    STATE: Field<Position> = Format::Wide;
}

/// Against what the words after a node are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Against {
    /// What was asked after the state's access word.
    Asked,
    /// What the hypothesis says.
    Hypothesis,
}

/// Makes room for walks down the tree.
pub(super) fn reserve(m: &mut Memory<'_>, tree: Tree, bases: Bases) -> Result<(), Refused> {
    let depth = tree.depth().saturating_add(2);
    let nodes = tree.len().checked_next_power_of_two().unwrap_or(u32::MAX);
    let states = bases.len().checked_next_power_of_two().unwrap_or(u32::MAX);
    m.reserve(
        Resource::Tree,
        &[TWIN.list(depth, nodes), SHORT.list(depth, states), STATE.list(depth, states)],
    )
}

/// The first node below `top` where a component sees something else than after a state.
pub(super) fn first_difference(
    m: &mut Memory<'_>,
    (tree, bases): (Tree, Bases),
    component: ComponentId,
    (top, state): (Node, State),
    against: Against,
) -> Option<Node> {
    match against {
        Against::Asked => first_apart(m, (tree, bases), component, (top, state)),
        Against::Hypothesis => first_unlike(m, (tree, bases), component, (top, state)),
    }
}

/// Whether a node may be a state of a component, for all that was asked and that the hypothesis says.
pub(super) fn fits(
    m: &mut Memory<'_>,
    known: (Tree, Bases),
    component: ComponentId,
    pair: (Node, State),
) -> bool {
    // The hypothesis first: it takes fewer steps, and most states differ from a node.
    first_unlike(m, known, component, pair).is_none()
        && first_apart(m, known, component, pair).is_none()
}

/// The first node after which the component saw something else than after the state's access word.
fn first_apart(
    m: &mut Memory<'_>,
    (tree, bases): (Tree, Bases),
    component: ComponentId,
    (top, state): (Node, State),
) -> Option<Node> {
    m.set(TWIN, Position(0), bases.access_node(m, state).0);
    m.set(SHORT, Position(0), Bases::access(m, state).0.wrapping_add(1));
    let mut at = tree.next_below(m, top, (top, 0), false);
    while let Some((node, depth)) = at {
        let above = Position(depth.wrapping_sub(1));
        let (twin, short) = (Node(m.get(TWIN, above)), m.get(SHORT, above).checked_sub(1));
        let (short, input) = (short.map(Short), tree::input(m, node));
        // Access words have the most children: the bases know them by input.
        let twin = short
            .and_then(|short| bases.node(m, short, input))
            .or_else(|| tree.child(m, twin, input));
        if let Some(twin) = twin {
            let (one, other) = (tree::symbol(m, node), tree::symbol(m, twin));
            if one != other
                && bases.part_of(m, component, input, one)
                    != bases.part_of(m, component, input, other)
            {
                return Some(node);
            }
            let short = short.and_then(|short| bases.short(m, short, input));
            m.set(TWIN, Position(depth), twin.0);
            m.set(SHORT, Position(depth), short.map_or(0, |short| short.0.wrapping_add(1)));
        }
        at = tree.next_below(m, top, (node, depth), twin.is_none());
    }
    None
}

/// The first node after which the component saw something else than the hypothesis says.
fn first_unlike(
    m: &mut Memory<'_>,
    (tree, bases): (Tree, Bases),
    component: ComponentId,
    (top, state): (Node, State),
) -> Option<Node> {
    m.set(STATE, Position(0), state.0);
    let mut at = tree.next_below(m, top, (top, 0), false);
    while let Some((node, depth)) = at {
        let state = State(m.get(STATE, Position(depth.wrapping_sub(1))));
        let input = tree::input(m, node);
        let mut next = None;
        if let Some(seen) = Bases::seen(m, state, input) {
            if seen != bases.part(m, component, node) {
                return Some(node);
            }
            next = Bases::target(m, state, input);
        }
        if let Some(next) = next {
            m.set(STATE, Position(depth), next.0);
        }
        at = tree.next_below(m, top, (node, depth), next.is_none());
    }
    None
}

/// The node of what leads from `top` to `node`, asked after another node.
pub(super) fn twin(
    m: &mut Memory<'_>,
    tree: Tree,
    (top, node): (Node, Node),
    after: Node,
) -> Option<Node> {
    let depth = tree::depth(m, node).saturating_sub(tree::depth(m, top));
    let mut at = node;
    for position in (0..depth).rev() {
        m.set(TWIN, Position(position), at.0);
        at = tree::parent(m, at);
    }
    (0..depth).try_fold(after, |after, position| {
        let node = Node(m.get(TWIN, Position(position)));
        tree.child(m, after, tree::input(m, node))
    })
}

/// The shortest word that was asked and that the hypothesis does not explain for this component.
pub(super) fn first_conflict(
    m: &mut Memory<'_>,
    (tree, bases): (Tree, Bases),
    component: ComponentId,
) -> Option<Node> {
    let initial = Bases::initial(m, component)?;
    m.set(STATE, Position(0), initial.0);
    let mut found = None;
    let mut bound = u32::MAX;
    let mut at = tree.next_below(m, Node::ROOT, (Node::ROOT, 0), false);
    while let Some((node, depth)) = at {
        let above = Position(depth.wrapping_sub(1));
        let input = tree::input(m, node);
        let mut next = None;
        if depth < bound
            && let Some(seen) = Bases::seen(m, State(m.get(STATE, above)), input)
        {
            if seen == bases.part(m, component, node) {
                next = Bases::target(m, State(m.get(STATE, above)), input);
            } else {
                (found, bound) = (Some(node), depth);
            }
        }
        if let Some(next) = next {
            m.set(STATE, Position(depth), next.0);
        }
        at = tree.next_below(m, Node::ROOT, (node, depth), next.is_none());
    }
    found
}
