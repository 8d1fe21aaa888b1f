//! Finds the wrong target behind a word that the hypothesis does not explain.
//!
//! Along the word the hypothesis goes through states. After the access word of the first of them the device
//! says what the word shows; after that of the last it says what the hypothesis says. Between two
//! neighbours that changes, and the target between them is wrong. A binary search finds such neighbours (Rivest and
//! Schapire 1993; Vaandrager and others 2022, section 3.3); words that the tree knows cost nothing.

use super::bases::{Bases, State};
use super::tasks;
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, Position, fields};
use crate::observations::tree::{self, Node, Tree};
use crate::outputs::ComponentId;

fields! {
    before tasks::FIELDS_START;
    /// The word.
    INPUT: Field<Position> = Format::Packed;
    /// The state that the hypothesis is in before each of its inputs.
    STATE: Field<Position> = Format::Packed;
}

/// A search for a wrong target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Explain {
    component: ComponentId,
    len: u32,
    /// After the access word of the state here the device contradicts the hypothesis.
    low: u32,
    /// After the access word of the state here it does not.
    high: u32,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// Ask the end of the word from this position on after the access word of this state.
    Ask(State, u32),
    /// Where this input leads this state is wrong.
    Wrong(State, Input),
}

impl Explain {
    /// Makes room for a search.
    pub(super) fn reserve(m: &mut Memory<'_>, tree: Tree, bases: Bases) -> Result<(), Refused> {
        let depth = tree.depth().saturating_add(1);
        let states = bases.len().checked_next_power_of_two().unwrap_or(u32::MAX);
        let shapes = [INPUT.list(depth, bases.prefixes.inputs()), STATE.list(depth, states)];
        m.reserve(Resource::Words, &shapes)
    }

    /// Begins with a word that was asked; `None` if the hypothesis explains it.
    pub(super) fn new(
        m: &mut Memory<'_>,
        (tree, bases): (Tree, Bases),
        component: ComponentId,
        node: Node,
    ) -> Option<Self> {
        let word_len = tree::depth(m, node);
        let mut at = node;
        for position in (0..word_len).rev() {
            m.set(INPUT, Position(position), tree::input(m, at).index());
            at = tree::parent(m, at);
        }
        let initial = Bases::initial(m, component)?;
        let mut explain = Self { component, len: word_len, low: 0, high: 0 };
        let wrong = explain.first_wrong(m, (tree, bases), Node::ROOT, initial, 0)?;
        explain.len = wrong.wrapping_add(1);
        explain.high = wrong;
        let mut state = initial;
        for position in 0..explain.len {
            m.set(STATE, Position(position), state.0);
            // OK: the hypothesis says something up to here.
            let Some(next) = Bases::target(m, state, input(m, position)) else { break };
            state = next;
        }
        // As long as the word is the access word of the state, the two are one node.
        let mut node = Node::ROOT;
        while explain.low.saturating_add(1) < explain.high {
            let Some(child) = tree.child(m, node, input(m, explain.low)) else { break };
            let next = state_at(m, explain.low.wrapping_add(1));
            if bases.access_node(m, next) != child {
                break;
            }
            node = child;
            explain.low = explain.low.wrapping_add(1);
        }
        Some(explain)
    }

    /// The position of the first output of the word from `from` on, asked after a node, that the hypothesis from a
    /// state does not have; `None` also if too little was asked or is known.
    fn first_wrong(
        &self,
        m: &Memory<'_>,
        (tree, bases): (Tree, Bases),
        node: Node,
        state: State,
        from: u32,
    ) -> Option<u32> {
        let (mut node, mut state) = (node, state);
        for position in from..self.len {
            let input = input(m, position);
            node = tree.child(m, node, input)?;
            let seen = Bases::seen(m, state, input)?;
            if seen != bases.part(m, self.component, node) {
                return Some(position);
            }
            state = Bases::target(m, state, input)?;
        }
        None
    }

    /// Whether the end of the word was asked after a node.
    fn is_asked(&self, m: &Memory<'_>, tree: Tree, node: Node, from: u32) -> bool {
        let mut at = Some(node);
        for position in from..self.len {
            at = at.and_then(|node| tree.child(m, node, input(m, position)));
        }
        at.is_some()
    }

    /// Goes on as far as the tree knows the answers.
    pub(super) fn next(&mut self, m: &Memory<'_>, (tree, bases): (Tree, Bases)) -> Next {
        while self.low.saturating_add(1) < self.high {
            let middle = self.low.wrapping_add(self.high.wrapping_sub(self.low) / 2);
            let state = state_at(m, middle);
            let node = bases.access_node(m, state);
            match self.first_wrong(m, (tree, bases), node, state, middle) {
                Some(wrong) => {
                    self.low = middle;
                    self.len = wrong.wrapping_add(1);
                    self.high = self.high.min(wrong);
                }
                None if self.is_asked(m, tree, node, middle) => self.high = middle,
                None => return Next::Ask(state, middle),
            }
        }
        Next::Wrong(state_at(m, self.low), input(m, self.low))
    }

    /// The length of the end of the word from a position on.
    pub(super) fn len_from(&self, position: u32) -> u32 {
        self.len.saturating_sub(position)
    }
}

/// An input of the word.
pub(super) fn input(m: &Memory<'_>, position: u32) -> Input {
    Input::new(m.get(INPUT, Position(position)))
}

fn state_at(m: &Memory<'_>, position: u32) -> State {
    State(m.get(STATE, Position(position)))
}
