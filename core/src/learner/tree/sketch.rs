//! A model before all is known: components with what the tree says of their transitions.

use super::apart::fits;
use super::bases::{Bases, State};
use crate::alphabet::Input;
use crate::machines::components::{Components, Knowledge};
use crate::memory::Memory;
use crate::observations::tree::Tree;

/// Fills in the transitions of components that have just been made. `assumed` is a target that is not certain.
pub(super) fn fill(
    m: &mut Memory<'_>,
    known: (Tree, Bases),
    components: Components,
    assumed: Option<(State, Input)>,
) {
    let (_, bases) = known;
    for component in components.iter() {
        let mut at = Bases::initial(m, component);
        while let Some(state) = at {
            for input in bases.prefixes.alphabet() {
                fill_transition(m, known, components, (state, input), assumed);
            }
            at = Bases::next(m, state);
        }
    }
}

/// Says what is known of a transition of a component that has just been made. If it is open, it
/// leads to the first state that it may be.
fn fill_transition(
    m: &mut Memory<'_>,
    known: (Tree, Bases),
    components: Components,
    (state, input): (State, Input),
    assumed: Option<(State, Input)>,
) {
    let (tree, bases) = known;
    let (component, number) = (Bases::component(m, state), Bases::number(m, state));
    // Tasks that are not done have answers that the bases do not know.
    let node = tree.child(m, bases.access_node(m, state), input);
    let Some(node) = node else {
        return components.set_knowledge(m, component, (number, input), Knowledge::Unknown);
    };
    let target = Bases::target(m, state, input);
    if target.is_some() && assumed != Some((state, input)) {
        return components.set_knowledge(m, component, (number, input), Knowledge::Confirmed);
    }
    let mut at = target.or(Bases::initial(m, component));
    while let Some(target) = at
        && !fits(m, known, component, (node, target))
    {
        at = Bases::next(m, target);
    }
    let target = at.map_or(number, |target| Bases::number(m, target));
    let part = bases.part(m, component, node);
    components.set_transition(m, component, (number, input), (target, part));
    components.set_knowledge(m, component, (number, input), Knowledge::Open);
}
