//! The frontier: transitions that were asked and may lead to several states, their *candidates*.
//!
//! A state is a candidate as long as nothing that was asked and nothing that the hypothesis says tells it from
//! the transition's word (Vaandrager and others 2022, section 3.1; rules 1 and 3). What a word or a target adds
//! takes candidates away and gives none back: those of the last few transitions are kept, and only they are
//! compared again. When a target is open again or a state is new, all states are compared.

use super::apart::{Against, first_difference, fits};
use super::bases::{Bases, State};
use super::explain;
use super::tasks::{Task, Tasks};
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, Position, fields, index};
use crate::observations::tree::{Node, Tree};
use crate::outputs::ComponentId;
use crate::prefixes::Row;

index! {
    /// A transition whose candidates are kept.
    KeptTransition
}

fields! {
    before explain::FIELDS_START;
    /// The transition plus one; zero if there is none.
    ROW: Field<KeptTransition> = Format::Packed;
    /// The version of the bases when its candidates were all states.
    VERSION: Field<KeptTransition> = Format::Wide;
    /// How many candidates it has.
    LEN: Field<KeptTransition> = Format::Packed;
    /// The candidates: states, in groups by component.
    CANDIDATE: Field<KeptTransition, Position> = Format::Packed;
}

/// Transitions whose candidates are kept. Tasks are begun in the order of their transitions: the same few are
/// looked at until they are settled.
const SLOTS: u32 = 8;

/// What a transition turned out to be.
pub(super) enum Settled {
    /// One state of each component.
    Known,
    /// A new state of a component, to which this transition leads.
    New((State, Input)),
    /// What was asked after its word has to be asked after a state, from which it is to be apart. Meanwhile the
    /// transition leads to that state.
    Unproved { transition: (State, Input), state: State, top: Node, node: Node },
    /// Several states of a component: they are candidates of a task.
    Open,
}

/// Makes room for the candidates.
pub(super) fn reserve(m: &mut Memory<'_>, bases: Bases) -> Result<(), Refused> {
    let has = m.columns(CANDIDATE);
    let needed = bases.len().saturating_add(1);
    let len = if needed <= has { has } else { needed.saturating_add(needed / 4) };
    let states = len.checked_next_power_of_two().unwrap_or(u32::MAX);
    m.reserve(
        Resource::States,
        &[
            ROW.list(SLOTS, bases.prefixes.rows().saturating_add(1)),
            VERSION.list(SLOTS, u32::MAX),
            LEN.list(SLOTS, len),
            CANDIDATE.matrix(SLOTS, len, states),
        ],
    )
}

/// Finds out what an open transition that was asked may be; if it may be several states, a task is begun.
pub(super) fn settle(
    m: &mut Memory<'_>,
    tree: Tree,
    (bases, tasks): (&mut Bases, &mut Tasks),
    row: Row,
) -> Settled {
    let Some((short, input)) = bases.prefixes.predecessor(row) else { return Settled::Known };
    let Some(node) = bases.node(m, short, input) else { return Settled::Known };
    let slot = find(m, *bases, row);
    narrow(m, (tree, *bases), slot, row);
    let task = tasks.begin(m, row);
    let mut end = 0_u32;
    for component in bases.components() {
        let Some(from) = open_state(m, *bases, row, component) else { continue };
        let start = end;
        while end < m.get(LEN, slot) && Bases::component(m, candidate(m, slot, end)) == component {
            end = end.wrapping_add(1);
        }
        match end.wrapping_sub(start) {
            0 => {
                tasks.drop_last();
                return prove(m, (tree, *bases), component, (from, input), node);
            }
            1 => Bases::set_target(m, from, input, candidate(m, slot, start)),
            _ => {
                for position in start..end {
                    Tasks::add_candidate(m, task, candidate(m, slot, position));
                }
            }
        }
    }
    if Tasks::candidates(m, task) > 0 {
        return Settled::Open;
    }
    tasks.drop_last();
    bases.close(m, short, input);
    Settled::Known
}

fn candidate(m: &Memory<'_>, slot: KeptTransition, position: u32) -> State {
    State(m.at(CANDIDATE, slot, Position(position)))
}

/// Where the candidates of a transition are kept: those that are left, or all states of the components for which
/// it is open.
fn find(m: &mut Memory<'_>, bases: Bases, row: Row) -> KeptTransition {
    let slot = KeptTransition(row.0 % SLOTS);
    let plus_one = row.0.wrapping_add(1);
    if m.get(ROW, slot) == plus_one && m.get(VERSION, slot) == bases.version() {
        return slot;
    }
    let mut len = 0_u32;
    for component in bases.components() {
        let mut at = open_state(m, bases, row, component).and(Bases::initial(m, component));
        while let Some(state) = at {
            m.put(CANDIDATE, slot, Position(len), state.0);
            len = len.wrapping_add(1);
            at = Bases::next(m, state);
        }
    }
    m.set(ROW, slot, plus_one);
    m.set(VERSION, slot, bases.version());
    m.set(LEN, slot, len);
    slot
}

/// The state of a component from which a transition is open for it.
fn open_state(m: &Memory<'_>, bases: Bases, row: Row, component: ComponentId) -> Option<State> {
    let (short, input) = bases.prefixes.predecessor(row)?;
    let from = Bases::state(m, short, component)?;
    Bases::target(m, from, input).is_none().then_some(from)
}

/// Drops the candidates that do not fit any more.
fn narrow(m: &mut Memory<'_>, known: (Tree, Bases), slot: KeptTransition, row: Row) {
    let mut kept = 0_u32;
    for position in 0..m.get(LEN, slot) {
        let state = candidate(m, slot, position);
        if may_be(m, known, row, state) {
            m.put(CANDIDATE, slot, Position(kept), state.0);
            kept = kept.wrapping_add(1);
        }
    }
    m.set(LEN, slot, kept);
}

/// Whether an open transition may lead to a state. Where that leads to itself, what follows depends on where this
/// transition leads.
fn may_be(m: &mut Memory<'_>, known: (Tree, Bases), row: Row, state: State) -> bool {
    let (_, bases) = known;
    let component = Bases::component(m, state);
    let at = bases.prefixes.predecessor(row);
    let node = at.and_then(|(short, input)| bases.node(m, short, input));
    let (Some((_, input)), Some(node)) = (at, node) else { return false };
    let Some(from) = open_state(m, bases, row, component) else { return false };
    Bases::set_target(m, from, input, state);
    let fits = fits(m, known, component, (node, state));
    Bases::unset_target(m, from, input);
    fits
}

/// Whether all candidates of a task still fit.
pub(super) fn is_open(m: &mut Memory<'_>, known: (Tree, Bases), task: Task) -> bool {
    let row = Tasks::row(m, task);
    (0..Tasks::candidates(m, task)).all(|position| {
        let state = Tasks::candidate(m, task, position);
        may_be(m, known, row, state)
    })
}

/// A node fits no state of a component: whether it is apart from all of them.
fn prove(
    m: &mut Memory<'_>,
    known: (Tree, Bases),
    component: ComponentId,
    (from, input): (State, Input),
    top: Node,
) -> Settled {
    let mut at = Bases::initial(m, component);
    while let Some(state) = at {
        let pair = (top, state);
        if first_difference(m, known, component, pair, Against::Asked).is_none() {
            Bases::set_target(m, from, input, state);
            let node = first_difference(m, known, component, pair, Against::Hypothesis);
            if let Some(node) = node {
                return Settled::Unproved { transition: (from, input), state, top, node };
            }
            Bases::unset_target(m, from, input);
        }
        at = Bases::next(m, state);
    }
    Settled::New((from, input))
}

/// Transitions whose target was found before a state was may lead to that state.
pub(super) fn compare_with_new_states(m: &mut Memory<'_>, tree: Tree, bases: &mut Bases) {
    for new in bases.take_new_states().map(State) {
        let component = Bases::component(m, new);
        let mut at = Bases::initial(m, component);
        while let Some(state) = at {
            let short = Bases::access(m, state);
            for input in bases.prefixes.alphabet() {
                if Bases::target(m, state, input).is_none_or(|target| target == new)
                    || bases.is_state(m, short, input, component)
                {
                    continue;
                }
                let Some(node) = bases.node(m, short, input) else { continue };
                if fits(m, (tree, *bases), component, (node, new)) {
                    bases.clear_target(m, state, input);
                }
            }
            at = Bases::next(m, state);
        }
    }
}
